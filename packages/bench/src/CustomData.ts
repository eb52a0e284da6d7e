// `pnpm bench custom-data`: how long each operation on a model of 100,000 records takes (docs/performance.md). The records are
// written into a scratch database as rows, because a thousand upserts of a hundred would take long; so the server's own program
// does it.
import { Command } from "effect/cli"
import { count, keep, text } from "./Flags.ts"
import { measured } from "./Started.ts"

const records = count("records", 100_000, "Records of the model")
const only = text("only", "Only operations whose name contains this")

export const customData = Command.make("custom-data", { records, keep, only }, ({ keep, only, records }) =>
  measured("packages/server/src/testing/CustomDataRecords.ts", [String(records), keep, only])
).pipe(Command.withDescription("Operations on a model of 100,000 records of custom data"))
