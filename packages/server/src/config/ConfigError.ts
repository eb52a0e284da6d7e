// Settings that the service cannot start with.
import { Schema } from "effect"

/** A wrong setting; the message is one line that names every wrong variable. Ends the process with 2. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  message: Schema.String
}) {}
