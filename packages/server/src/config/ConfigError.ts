// Settings that the service cannot start with.
import { Schema } from "effect"

/** The message is one line that names every wrong variable. The process exits with 2. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  message: Schema.String
}) {}
