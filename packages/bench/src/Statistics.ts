// `pnpm bench statistics`: how long each report takes over a year of a million dialogues (docs/statistics.md). The dialogues are
// written into a scratch database as rows, because a million creates would take an hour; so the server's own program does it.
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { spawn } from "node:child_process"
import { NotStarted, program } from "./Started.ts"

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

export const statistics = Command.make(
  "statistics",
  { chats, keep, only },
  Effect.fn(function* ({ chats, keep, only }) {
    yield* Effect.callback<void, NotStarted>((resume) => {
      const file = program("packages/server/src/testing/StatisticsYear.ts")
      const child = spawn(process.execPath, [file, String(chats), keep, only], { stdio: "inherit" })
      child.once("exit", (code) =>
        resume(
          code === 0 ? Effect.void : new NotStarted({ message: `the measurement ended with ${String(code)}` })
        )
      )
      return Effect.sync(() => child.kill("SIGTERM"))
    })
  })
).pipe(Command.withDescription("Reports over a year of a million dialogues"))
