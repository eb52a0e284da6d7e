// The output of commands: text, or one JSON document with --json.
import { Effect } from "effect"
import { CommandFailed } from "./Failure.ts"

// The callback of each write gets its error. Without a listener a closed pipe would end the process.
process.stdout.on("error", () => {})

const codesOfClosedPipe: ReadonlyArray<unknown> = ["EPIPE", "ERR_STREAM_DESTROYED"]

/** A failed write is an error, because a secret is shown only once. A closed pipe (`head`) is not an error. */
export const writeOutput = (text: string): Effect.Effect<void, CommandFailed> =>
  Effect.callback((resume) => {
    process.stdout.write(text, (error) => {
      const isWritten =
        error === null || error === undefined || codesOfClosedPipe.includes(Reflect.get(error, "code"))
      resume(
        isWritten
          ? Effect.void
          : Effect.fail(new CommandFailed({ message: `standard output: ${error.message}` }))
      )
    })
  })

/** Prints a result as text or JSON. */
export const print = (asJson: boolean, result: unknown, text: string): Effect.Effect<void, CommandFailed> =>
  writeOutput(`${asJson ? JSON.stringify(result) : text}\n`)

/** Aligned columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string => {
  const texts = rows.map((row) => row.map(String))
  const widths = (texts[0] ?? []).map((_, i) => Math.max(...texts.map((row) => [...(row[i] ?? "")].length)))
  return texts
    .map((row) =>
      row
        .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - [...cell].length))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
