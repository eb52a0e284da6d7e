// The settings of the program rapport-mcp: origin and token of the service (contract §11).
import { Effect, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"
import type { StdioOptions } from "./Stdio.ts"

/** A wrong setting; the message is one line that names the setting. The process exits with 2. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  message: Schema.String
}) {}

export type Environment = Readonly<Record<string, string | undefined>>

/** RAPPORT_URL, and RAPPORT_TOKEN or the file that RAPPORT_TOKEN_FILE names; empty counts as absent. */
export const readOptions = Effect.fnUntraced(function* (
  environment: Environment = process.env
): Effect.fn.Return<StdioOptions, ConfigError> {
  const url = yield* optionsUrl(settingOf(environment, "RAPPORT_URL"))
  const [token, file] = [
    settingOf(environment, "RAPPORT_TOKEN"),
    settingOf(environment, "RAPPORT_TOKEN_FILE")
  ]
  if (token !== undefined && file !== undefined)
    return yield* wrong("RAPPORT_TOKEN and RAPPORT_TOKEN_FILE are both set: keep one")
  const found = file === undefined ? token : yield* textOf(file)
  if (found === undefined || found === "")
    return yield* wrong("RAPPORT_TOKEN is missing: set it, or RAPPORT_TOKEN_FILE")
  if (!TOKEN.test(found))
    return yield* wrong(
      `${file === undefined ? "RAPPORT_TOKEN" : "the file of RAPPORT_TOKEN_FILE"} must be an external token (rpx_…) or an access token`
    )
  return { url, token: Redacted.make(found, { label: "RAPPORT_TOKEN" }) }
})

/** An external token, or a JWT. */
const TOKEN = /^(?:rpx_[\w-]+|[\w-]+\.[\w-]+\.[\w-]+)$/u

const settingOf = (environment: Environment, name: string) => environment[name] || undefined

const wrong = (message: string) => Effect.fail(new ConfigError({ message }))

const optionsUrl = (value: string | undefined): Effect.Effect<string, ConfigError> => {
  if (value === undefined)
    return wrong("RAPPORT_URL is missing: set it to the origin of the service, such as http://127.0.0.1:8080")
  const url = URL.parse(value)
  if (url === null || !["http:", "https:"].includes(url.protocol))
    return wrong("RAPPORT_URL must be a URL that begins with http:// or https://")
  return url.href === `${url.origin}/`
    ? Effect.succeed(url.origin)
    : wrong(`RAPPORT_URL must be an origin without a path: ${url.origin}`)
}

const textOf = (file: string): Effect.Effect<string, ConfigError> =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () => new ConfigError({ message: "RAPPORT_TOKEN_FILE must name a readable file" })
  }).pipe(Effect.map((text) => text.replace(/\n$/u, "")))
