// `pnpm bench <what>`: measures the service over HTTP only.
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { compare } from "./Compare.ts"
import { customData } from "./CustomData.ts"
import { evaluation } from "./Eval.ts"
import { importing } from "./Import.ts"
import { overload } from "./Overload.ts"
import { search } from "./Search.ts"
import { startUp } from "./StartUp.ts"

const bench = Command.make("bench").pipe(
  Command.withDescription("Measures a running service, or starts one"),
  Command.withSubcommands([compare, customData, evaluation, importing, overload, search, startUp])
)

Command.run(bench, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
