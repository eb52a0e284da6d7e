// `pnpm bench statistics`: how long each report takes over a year of a million dialogues (docs/statistics.md). The dialogues are
// written into a scratch database as rows, because a million creates would take an hour; so the server's own program does it.
import { Command } from "effect/cli"
import { count, keep, text } from "./Flags.ts"
import { measured } from "./Started.ts"

const chats = count("chats", 1_000_000, "Dialogues of the year")

const only = text("only", "Only reports whose query contains this")

export const statistics = Command.make("statistics", { chats, keep, only }, ({ chats, keep, only }) =>
  measured("packages/server/src/testing/StatisticsYear.ts", [String(chats), keep, only])
).pipe(Command.withDescription("Reports over a year of a million dialogues"))
