// The address and token of a running service for a command: RAPPORT_URL and RAPPORT_TOKEN.
import { Effect } from "effect"
import { ConfigError } from "../config/ConfigError.ts"
import { Config } from "../Config.ts"

const failMissing = (name: string, what: string) =>
  Effect.fail(new ConfigError({ message: `${name} is missing: set it to ${what}` }))

export const bridgeOptions = Effect.gen(function* () {
  const { token, url } = (yield* Config).settings.bridge
  if (url === undefined)
    return yield* failMissing("RAPPORT_URL", "the origin of the service, such as http://127.0.0.1:8080")
  if (token === undefined)
    return yield* failMissing(
      "RAPPORT_TOKEN",
      "an external token or an access token, or set RAPPORT_TOKEN_FILE"
    )
  return { url, token }
})
