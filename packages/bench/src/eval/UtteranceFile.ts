// The CSV form of a data set: a line of text and its intent; every fifth row is a question, the others are stored.
import { Effect, Schema } from "effect"
import { DatasetInvalid, writable } from "./Dataset.ts"

const required = ["text", "category"] as const
/** Rows whose zero-based number is divisible by this are questions. */
const QUESTION_EVERY = 5

const Row = Schema.Struct({
  text: Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" })),
  category: Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" }))
})
const decode = Schema.decodeUnknownResult(Row)

/** Parses the text of a file. `file` is its name in errors. Columns may have any order; unknown ones are ignored. */
export const utterancesOf = Effect.fnUntraced(function* (file: string, text: string) {
  const [header, ...rows] = recordsOf(text.replace(/^\uFEFF/u, ""))
  const names = header?.fields.map((name) => name.trim().toLowerCase()) ?? []
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0)
    return yield* DatasetInvalid.of(file, `line 1 must name the columns ${missing.join(", ")}`)
  const faults: Array<string> = []
  const utterances = rows.flatMap(({ fields, line }, row) => {
    const decoded = decode(Object.fromEntries(names.map((name, at) => [name, fields[at]])))
    if (decoded._tag === "Success")
      return [{ row, text: writable(decoded.success.text), intent: decoded.success.category.trim() }]
    faults.push(`line ${line} must hold a text and a category`)
    return []
  })
  if (faults.length > 0) return yield* DatasetInvalid.of(file, ...faults)
  const questions = utterances.filter(({ row }) => row % QUESTION_EVERY === 0)
  const stored = utterances.filter(({ row }) => row % QUESTION_EVERY !== 0)
  if (stored.length === 0) return yield* DatasetInvalid.of(file, "the file must have at least two data rows")
  return { _tag: "Utterances" as const, stored, questions }
})
/** Single utterances with their intents: relevant to a question are the stored ones of the same intent. */
export type Utterances = Effect.Success<ReturnType<typeof utterancesOf>>

interface CsvRecord {
  /** Its first line, from 1. */
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** RFC 4180: a quoted field may have commas, line ends and doubled quotes; empty lines are ignored. */
const FIELD = /(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^,\n]*?))(?<end>,|\r?\n|$)/gy

export const recordsOf = (text: string): ReadonlyArray<CsvRecord> => {
  const records: Array<CsvRecord> = []
  let fields: Array<string> = []
  let [line, begin] = [1, 1]
  for (const { 0: whole, groups: { end, plain, quoted } = {} } of text.matchAll(FIELD)) {
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    line += whole.split("\n").length - 1
    if (end === ",") continue
    if (fields.length > 1 || fields[0] !== "") records.push({ line: begin, fields })
    fields = []
    begin = line
  }
  return records
}
