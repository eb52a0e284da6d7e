// The output of commands: text, or one JSON document with --json.
import { Effect } from "effect"
import { CommandFailed } from "./Failure.ts"
import { Json } from "./Flags.ts"

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

/** Prints a result as text, or as JSON with --json. */
export const print = (result: unknown, text: string) =>
  Effect.flatMap(Json, (asJson) => writeOutput(`${asJson ? JSON.stringify(result) : text}\n`))

type Cell = string | number | Date | null

/** Aligned columns below their heads, or `none` without rows. A time that is null is "never". */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  none?: string
): string => (rows.length === 0 && none !== undefined ? none : align([heads, ...rows]))

/** Aligned columns. */
export const align = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string => {
  const texts = rows.map((row) => row.map(textOf))
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

const textOf = (cell: Cell): string =>
  cell === null ? "never" : cell instanceof Date ? cell.toISOString() : String(cell)
