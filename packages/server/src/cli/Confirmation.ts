// The confirmation of a destructive command: an answer on a terminal, or the flag --yes.
import { Effect } from "effect"
import { Flag } from "effect/cli"
import { createInterface } from "node:readline"
import { CommandFailed, WrongUse } from "./Failure.ts"

export const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Do not ask for confirmation; required without a terminal"),
  Flag.withDefault(false)
)

/** Shows `subject` on standard error and fails unless `answer` is typed. */
export const confirm = Effect.fnUntraced(function* (subject: string, answer: string, done: string) {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    return yield* new WrongUse({
      message: `${subject}. Nothing was ${done}: without a terminal the flag --yes is required`
    })
  const typed = yield* typedLine(`${subject}.\nThis cannot be undone. Type ${answer} to continue: `)
  if (typed?.trim() !== answer) return yield* new CommandFailed({ message: `nothing was ${done}` })
})

/** A line of the terminal; undefined at its end. With `terminal: false` Ctrl+C stays a signal. */
const typedLine = (question: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
    lines.once("line", (line) => {
      resume(Effect.succeed(line))
      lines.close()
    })
    lines.once("close", () => resume(Effect.undefined))
    process.stderr.write(question)
    return Effect.sync(() => lines.close())
  })
