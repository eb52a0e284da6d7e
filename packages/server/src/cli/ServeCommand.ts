// `rapport serve`: runs the service until it is stopped.
import { Effect } from "effect"
import { Command } from "effect/cli"
import { withSettings } from "./CommandSettings.ts"
import { json } from "./Output.ts"

export const serveCommand = Command.make("serve", { json }, (flags) =>
  // Loaded here, so that the small commands do not read the whole service.
  Effect.promise(() => import("../Server.ts")).pipe(
    Effect.flatMap(({ serve }) => serve({ json: flags.json })),
    withSettings
  )
).pipe(Command.withDescription("Run the service until it is stopped"))
