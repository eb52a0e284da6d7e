// The sets of a directory by the language that their names say; docs/retrieval-figures.md, "Data sets".
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DatasetInvalid } from "../Dataset.ts"

export interface LanguageSet {
  /** As tables show it: the file without its ending. */
  readonly name: string
  /** Of the questions: `uk` of intents-uk.csv, `ru` of help-ru2uk.json. */
  readonly language: string
  readonly file: string
}

export interface LanguageSets {
  /** Of forms of words, `.tsv`. */
  readonly forms: ReadonlyArray<LanguageSet>
  /** Of questions, `.json` and `.csv`. */
  readonly questions: ReadonlyArray<LanguageSet>
}

const NAME = /^(?<name>.*?-(?<language>[a-z]{2})(?:2[a-z]{2})?(?:-\w+)?)(?:\.\w+)?\.(?:json|csv|tsv)$/u

/** Parses the name of a set; undefined if the file is no set. */
const setOf = (directory: string, base: string): LanguageSet | undefined => {
  const { language, name } = NAME.exec(base)?.groups ?? {}
  return language === undefined || name === undefined
    ? undefined
    : { name, language, file: path.join(directory, base) }
}

const isOfForms = ({ file }: LanguageSet): boolean => path.extname(file) === ".tsv"

/** `only`: names of sets; none: every set. */
export const setsOf = (
  directory: string,
  names: ReadonlyArray<string>,
  only: ReadonlyArray<string>
): LanguageSets => {
  const all = names
    .toSorted()
    .flatMap((base) => setOf(directory, base) ?? [])
    .filter(({ name }) => only.length === 0 || only.includes(name))
  return { forms: all.filter(isOfForms), questions: all.filter((one) => !isOfForms(one)) }
}

export const readSets = Effect.fn("LanguageSets.read")(function* (
  directory: string,
  only: ReadonlyArray<string>
) {
  const invalid = (message: string) =>
    new DatasetInvalid({ file: directory, violations: [{ place: "", message }] })
  const names = yield* Effect.tryPromise({
    try: () => fs.readdir(directory),
    catch: (error) => invalid(`cannot be read: ${String(error)}`)
  })
  const sets = setsOf(directory, names, only)
  return sets.forms.length + sets.questions.length === 0
    ? yield* invalid("must hold a set that is named NAME-LANGUAGE.json, .csv or .tsv")
    : sets
})
