// The data sets of a run: one file, or all sets of a directory (docs/retrieval-figures.md, "Data sets").
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { conversationsOf } from "./ConversationFile.ts"
import { DatasetInvalid } from "./Dataset.ts"
import { utterancesOf } from "./UtteranceFile.ts"

export interface SetFile {
  /** As tables show it: the file without its ending. */
  readonly name: string
  /** Of the questions: `uk` of intents-uk.csv, `ru` of help-ru2uk.json; empty in other names. */
  readonly language: string
  readonly file: string
}

const NAME = /^.*?-(?<language>[a-z]{2})(?:2[a-z]{2})?(?:-\w+)?$/u

const setOf = (file: string): SetFile => {
  const name = path.basename(file).replace(/(?:\.\w+)?\.(?:json|csv|tsv)$/u, "")
  return { name, language: NAME.exec(name)?.groups?.["language"] ?? "", file }
}

const isFile = (file: string) =>
  Effect.tryPromise({
    try: () => fs.stat(file).then((found) => found.isFile()),
    catch: (error) => DatasetInvalid.of(file, `the file cannot be read: ${String(error)}`)
  })

/** `only`: names of sets of a directory; none: every set that is named NAME-LANGUAGE. */
export const findSets = Effect.fn("Sets.findSets")(function* (file: string, only: ReadonlyArray<string>) {
  if (yield* isFile(file)) return [setOf(file)]
  const names = yield* Effect.promise(() => fs.readdir(file))
  const sets = names
    .filter((name) => /\.(?:json|csv|tsv)$/u.test(name))
    .map((name) => setOf(path.join(file, name)))
    .filter(({ language, name }) => language !== "" && (only.length === 0 || only.includes(name)))
  if (sets.length === 0)
    return yield* DatasetInvalid.of(
      file,
      "the directory must hold a set that is named NAME-LANGUAGE.json, .csv or .tsv"
    )
  return sets.toSorted((a, b) => a.language.localeCompare(b.language) || a.name.localeCompare(b.name))
})

/** A data set, and the id that distinguishes its data from others in an instance. */
export type ReadDataset = Effect.Success<ReturnType<typeof readDataset>>

/** `.csv` holds utterances, `.json` conversations. */
export const readDataset = Effect.fn("Sets.readDataset")(function* (file: string) {
  const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
  const { language, name } = setOf(file)
  // The same text is loaded once into an instance.
  const run = createHash("sha256").update(text).digest("hex").slice(0, 12)
  switch (path.extname(file).toLowerCase()) {
    case ".csv":
      return { name, language, run, dataset: yield* utterancesOf(file, text) }
    case ".json":
      return { name, language, run, dataset: yield* conversationsOf(file, text) }
    default:
      return yield* DatasetInvalid.of(file, "the file must be named .json or .csv")
  }
})
