// `pnpm bench custom-data`: how long each operation on a model of 100,000 records takes (docs/performance.md). The records are
// written into a scratch database as rows, because a thousand upserts of a hundred would take long; so the server's own program
// does it.
import { Command, Flag } from "effect/cli"
import { measured } from "./Started.ts"

const records = Flag.Int("records").pipe(
  Flag.withDescription("Records of the model"),
  Flag.withDefault(100_000)
)
const keep = Flag.String("keep").pipe(
  Flag.withDescription("A folder for the database: filled where it is empty, else measured as it is"),
  Flag.withDefault("")
)
const only = Flag.String("only").pipe(
  Flag.withDescription("Only operations whose name contains this"),
  Flag.withDefault("")
)

export const customData = Command.make("custom-data", { records, keep, only }, ({ keep, only, records }) =>
  measured("packages/server/src/testing/CustomDataRecords.ts", [String(records), keep, only])
).pipe(Command.withDescription("Operations on a model of 100,000 records of custom data"))
