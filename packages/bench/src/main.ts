// `pnpm bench <what>`: measures the service over HTTP only.
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { compare } from "./Compare.ts"
import { evaluation } from "./Eval.ts"
import { importing } from "./Import.ts"
import { overload } from "./Overload.ts"
import { search } from "./Search.ts"
import { count, keep, text } from "./Flags.ts"
import { startUp } from "./StartUp.ts"
import { measured } from "./Started.ts"

const records = count("records", 100_000, "Records of the model")
const only = text("only", "Only operations whose name contains this text")

/** The server's own program writes the records into a scratch database: through the API that would take long. */
const customData = Command.make("custom-data", { records, keep, only }, ({ keep, only, records }) =>
  measured("packages/server/src/testing/CustomDataRecords.ts", [String(records), keep, only])
).pipe(Command.withDescription("Operations on a model of 100,000 records of custom data"))

const bench = Command.make("bench").pipe(
  Command.withDescription("Measures a running service, or starts one"),
  Command.withSubcommands([compare, customData, evaluation, importing, overload, search, startUp])
)

Command.run(bench, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
