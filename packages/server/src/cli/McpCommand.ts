// `rapport mcp`: the tools for AI agents over standard input and output, which carries only MCP messages.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ConfigError } from "../config/ConfigError.ts"
import { Config } from "../Config.ts"
import { withSettings } from "./CommandSettings.ts"
import { json } from "./Output.ts"

const missing = (name: string, what: string) =>
  Effect.fail(new ConfigError({ message: `${name} is missing: set it to ${what}` }))

const options = Effect.gen(function* () {
  const { token, url } = (yield* Config).settings.bridge
  if (url === undefined)
    return yield* missing("RAPPORT_URL", "the origin of the service, such as http://127.0.0.1:8080")
  if (token === undefined)
    return yield* missing("RAPPORT_TOKEN", "an external token or an access token, or set RAPPORT_TOKEN_FILE")
  return { url, token }
})

export const mcpCommand = Command.make("mcp", { json }, () =>
  // Loaded here, so that other commands do not load the protocol.
  Effect.flatMap(options, (settings) =>
    Effect.flatMap(
      Effect.promise(() => import("@rapport/mcp/Stdio.ts")),
      ({ serve }) => serve(settings)
    )
  ).pipe(withSettings)
).pipe(
  Command.withDescription(
    "Serve the tools for AI agents over standard input and output (MCP), for a client that starts programs. RAPPORT_URL is the origin of the service, RAPPORT_TOKEN a token that may read context"
  ),
  Command.withExamples([
    {
      command: "RAPPORT_URL=http://127.0.0.1:8080 RAPPORT_TOKEN=rpx_… rapport mcp",
      description:
        "With a token of: rapport token create --user integrator --name agent --permission context.read"
    }
  ])
)
