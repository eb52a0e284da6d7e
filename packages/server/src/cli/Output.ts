// What commands print: text for people, one JSON document with --json, both on standard output.
import { Console, Effect } from "effect"
import { Flag } from "effect/cli"

/** The flag that every command has. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON document instead of text"),
  Flag.withDefault(false)
)

/** Prints a result the way that was asked for. */
export const print = (asJson: boolean, result: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(result) : text)

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
