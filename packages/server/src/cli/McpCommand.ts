// `rapport mcp`: the tools for AI agents over standard input and output, which carries only MCP messages.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { bridgeOptions } from "./BridgeOptions.ts"

export const mcpCommand = Command.make("mcp", {}, () =>
  // Loaded here, so that other commands do not load the protocol.
  Effect.flatMap(bridgeOptions, (settings) =>
    Effect.flatMap(
      Effect.promise(() => import("@rapport/mcp/Stdio.ts")),
      ({ serve }) => serve(settings)
    )
  )
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
