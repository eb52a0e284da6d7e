// How well the forms of words meet in one stem: forms of treebanks with their lemmas, weighted by their frequency.
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import { program } from "../Repository.ts"
import { DatasetInvalid } from "./Dataset.ts"

/** A form as a line of the file has it. */
interface Form {
  readonly form: string
  readonly lemma: string
  /** Universal part of speech, such as VERB. */
  readonly part: string
  /** Per million words. */
  readonly frequency: number
}

/** Lines of form, lemma, part of speech and frequency, separated by tabs; other lines are ignored. */
export const formsOf = (text: string): ReadonlyArray<Form> =>
  text.split("\n").flatMap((line) => {
    const [form, lemma, part, frequency] = line.trim().split("\t")
    return form === undefined || lemma === undefined || part === undefined || !(Number(frequency) > 0)
      ? []
      : [{ form, lemma, part, frequency: Number(frequency) }]
  })

interface FormsOfWords {
  readonly forms: ReadonlyArray<Form>
  readonly stemOf: (form: string) => string
}

const STEMS_BYTES_MAX = 1 << 26

/** Reads the forms of a file, and finds their stems: no route returns them. */
export const readForms = Effect.fn("Forms.readForms")(function* (file: string) {
  const forms = formsOf(yield* Effect.promise(() => fs.readFile(file, "utf8")))
  const words = [...new Set(forms.map(({ form }) => form))]
  const { status, stderr, stdout } = spawnSync(process.execPath, [program("scripts/stems.ts")], {
    input: words.join("\n"),
    encoding: "utf8",
    maxBuffer: STEMS_BYTES_MAX
  })
  if (status !== 0) return yield* DatasetInvalid.of(file, stderr)
  const stems = stdout.split("\n")
  const stemOf = new Map(words.map((word, at) => [word, stems[at] ?? ""]))
  return { forms, stemOf: (form: string) => stemOf.get(form) ?? form }
})

/** A spelling with the lemmas that it may be a form of; the first is that which is meant most often. */
interface Spelling {
  readonly form: string
  readonly frequency: number
  readonly lemmas: ReadonlyArray<string>
  readonly part: string
}

/** Means over the forms of a language, weighted by their frequency. */
export const formsFigures = ({ forms, stemOf }: FormsOfWords) => {
  const spellings = spellingsOf(forms)
  const byLemma = Map.groupBy(spellings, ({ lemmas }) => lemmas[0] ?? "")
  const byStem = Map.groupBy(spellings, ({ form }) => stemOf(form))
  const [recall, verbs, precision] = [makeWeightedMean(), makeWeightedMean(), makeWeightedMean()]
  for (const one of spellings) {
    const stem = stemOf(one.form)
    const others = (byLemma.get(one.lemmas[0] ?? "") ?? []).filter((other) => other !== one)
    const met = share(others, ({ form }) => stemOf(form) === stem)
    recall.add(met, one.frequency)
    if (one.part === "VERB") verbs.add(met, one.frequency)
    const alike = (byStem.get(stem) ?? []).filter((other) => other !== one)
    const kin = share(alike, ({ lemmas }) => lemmas.some((lemma) => one.lemmas.includes(lemma)))
    precision.add(kin, one.frequency)
  }
  return {
    forms: spellings.length,
    /** Of the other forms of a word: those with its stem. */
    recall: recall.mean(),
    /** Of the other forms with the stem of a word: those of its lemma. */
    precision: precision.mean(),
    "recall of verbs": verbs.mean()
  }
}

export type FormsFigures = ReturnType<typeof formsFigures>

/** Weighted by frequency; undefined if there are no spellings. */
const share = (spellings: ReadonlyArray<Spelling>, holds: (one: Spelling) => boolean): number | undefined => {
  const all = massOf(spellings)
  return all === 0 ? undefined : massOf(spellings.filter(holds)) / all
}
const massOf = (spellings: ReadonlyArray<Spelling>): number =>
  spellings.reduce((sum, { frequency }) => sum + frequency, 0)

const makeWeightedMean = () => {
  let [sum, weight] = [0, 0]
  return {
    add: (value: number | undefined, by: number): void => {
      if (value === undefined) return
      sum += value * by
      weight += by
    },
    mean: (): number => (weight === 0 ? 0 : sum / weight)
  }
}

/** A verb and its reflexive are one word, an adjective and its adverb too. */
const kinOf = (adjectives: ReadonlySet<string>, lemma: string, part: string): string => {
  if (part === "VERB") return lemma.replace(/(?:ся|сь)$/u, "")
  if (part !== "ADV" || !/[оеи]$/u.test(lemma)) return lemma
  const adjective = ["ий", "ій", "ый", "ой"].map((ending) => lemma.slice(0, -1) + ending)
  return adjective.find((one) => adjectives.has(one)) ?? lemma
}

const spellingsOf = (forms: ReadonlyArray<Form>): ReadonlyArray<Spelling> => {
  const adjectives = new Set(forms.flatMap(({ lemma, part }) => (part === "ADJ" ? [lemma] : [])))
  const kin = forms.map((one) => ({ ...one, lemma: kinOf(adjectives, one.lemma, one.part) }))
  const read = [...Map.groupBy(kin, ({ form }) => form)].map(([form, lines]) => ({
    form,
    frequency: lines[0]?.frequency ?? 0,
    parts: new Map(lines.map(({ lemma, part }) => [lemma, part]))
  }))
  // The most frequent lemma of the form whose forms belong to no other lemma.
  const masses = new Map<string, number>()
  for (const { frequency, parts } of read) {
    const [lemma = "", ...more] = parts.keys()
    if (more.length === 0) masses.set(lemma, (masses.get(lemma) ?? 0) + frequency)
  }
  return read.map(({ form, frequency, parts }) => {
    const mass = (lemma: string) => (masses.get(lemma) ?? 0) + (lemma === form ? frequency / 2 : 0)
    const lemmas = [...parts.keys()].toSorted((a, b) => mass(b) - mass(a))
    return { form, frequency, lemmas, part: parts.get(lemmas[0] ?? "") ?? "" }
  })
}
