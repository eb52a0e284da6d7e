// The CSV form of a data set: a line of text and its intent; every fifth row is a question, the others are stored.
import { Effect, Schema } from "effect"
import {
  DatasetInvalid,
  type DatasetViolation,
  type Utterance,
  type Utterances,
  writable
} from "./Dataset.ts"

const required = ["text", "category"] as const
/** Rows whose zero-based number is divisible by this are questions. */
const QUESTION_EVERY = 5

const Row = Schema.Struct({
  text: Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" })),
  category: Schema.String.check(Schema.isPattern(/\S/u, { message: "must not be empty" }))
})
const decode = Schema.decodeUnknownResult(Row)

/** Parses the text of a file. `file` is its name in errors. Columns may have any order; unknown ones are ignored. */
export const utterancesOf = Effect.fnUntraced(function* (
  file: string,
  text: string
): Effect.fn.Return<Utterances, DatasetInvalid> {
  const fail = (violations: ReadonlyArray<DatasetViolation>) => new DatasetInvalid({ file, violations })
  const records = recordsOf(text.replace(/^\uFEFF/u, ""))
  const [header, ...rows] = records
  const names = header?.fields.map((name) => name.trim().toLowerCase()) ?? []
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0)
    return yield* fail([{ place: "line 1", message: `must name the columns ${missing.join(", ")}` }])
  const violations: Array<DatasetViolation> = []
  const utterances = rows.flatMap(({ fields, line }, row): ReadonlyArray<Utterance> => {
    const decoded = decode(Object.fromEntries(names.map((name, at) => [name, fields[at]])))
    if (decoded._tag === "Success")
      return [{ row, text: writable(decoded.success.text), intent: decoded.success.category.trim() }]
    violations.push({ place: `line ${line}`, message: "must hold a text and a category" })
    return []
  })
  if (violations.length > 0) return yield* fail(violations)
  const questions = utterances.filter(({ row }) => row % QUESTION_EVERY === 0)
  const stored = utterances.filter(({ row }) => row % QUESTION_EVERY !== 0)
  if (stored.length === 0) return yield* fail([{ place: "", message: "must have at least two data rows" }])
  return { _tag: "Utterances", stored, questions }
})

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
