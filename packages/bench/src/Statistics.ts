// `pnpm bench statistics`: how long each report takes over a year of a million dialogues (docs/statistics.md). The dialogues are
// written into a scratch database as rows, because a million creates would take an hour; so the server's own program does it.
import { Command, Flag } from "effect/cli"
import { measured } from "./Started.ts"

const chats = Flag.Int("chats").pipe(
  Flag.withDescription("Dialogues of the year"),
  Flag.withDefault(1_000_000)
)

const keep = Flag.String("keep").pipe(
  Flag.withDescription("A folder for the database: filled where it is empty, else measured as it is"),
  Flag.withDefault("")
)
const only = Flag.String("only").pipe(
  Flag.withDescription("Only reports whose query contains this"),
  Flag.withDefault("")
)

export const statistics = Command.make("statistics", { chats, keep, only }, ({ chats, keep, only }) =>
  measured("packages/server/src/testing/StatisticsYear.ts", [String(chats), keep, only])
).pipe(Command.withDescription("Reports over a year of a million dialogues"))
