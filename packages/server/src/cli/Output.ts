// What commands print: text for people, one JSON document with --json, both on standard output.
import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"

/** The flag that every command has. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON document instead of text"),
  Flag.withDefault(false)
)

/** Standard output takes nothing more: a full disk. */
export class OutputFailed extends Schema.TaggedError<OutputFailed>()("OutputFailed", {
  message: Schema.String
}) {}

/**
 * Prints a result the way that was asked for. What is shown once would be lost where it cannot be written, so that is a failure;
 * a reader that wants no more, such as `head`, is none.
 */
export const print = (asJson: boolean, result: unknown, text: string): Effect.Effect<void, OutputFailed> =>
  Effect.callback((resume) => {
    process.stdout.write(`${asJson ? JSON.stringify(result) : text}\n`, (error) => {
      const isWritten = error === null || error === undefined || Reflect.get(error, "code") === "EPIPE"
      resume(
        isWritten
          ? Effect.void
          : Effect.fail(new OutputFailed({ message: `standard output: ${error.message}` }))
      )
    })
  })

/** Columns aligned under their heads. */
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
