// The measuring program: `pnpm bench <what>`; it asks the service over HTTP alone.
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { importing } from "./Import.ts"
import { compare } from "./Compare.ts"
import { customData } from "./CustomData.ts"
import { evaluation } from "./Eval.ts"
import { overload } from "./Overload.ts"
import { read } from "./Read.ts"
import { search } from "./Search.ts"
import { statistics } from "./Statistics.ts"
import { worst } from "./Worst.ts"
import { write } from "./Write.ts"

const bench = Command.make("bench").pipe(
  Command.withDescription("Measure a running service, or one that is started for it"),
  Command.withSubcommands([
    compare,
    read,
    write,
    importing,
    evaluation,
    worst,
    search,
    statistics,
    customData,
    overload
  ])
)

Command.run(bench, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
