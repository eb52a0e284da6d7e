// How well the forms of words meet in one stem: forms of treebanks with their lemmas, weighted by their frequency.

/** A form as a line of the file has it. */
export interface Form {
  readonly form: string
  readonly lemma: string
  /** Universal part of speech, such as VERB. */
  readonly part: string
  /** Per million words. */
  readonly frequency: number
}

/** Means over the forms of a language, weighted by their frequency. */
export interface FormsFigures {
  readonly forms: number
  /** Of the other forms of a word: those with its stem. */
  readonly recall: number
  /** Of the other forms with the stem of a word: those of its lemma. */
  readonly precision: number
  readonly "recall of verbs": number
}

/** Lines of form, lemma, part of speech and frequency, separated by tabs; other lines are ignored. */
export const formsOf = (text: string): ReadonlyArray<Form> =>
  text.split("\n").flatMap((line) => {
    const [form, lemma, part, frequency] = line.trim().split("\t")
    return form === undefined || lemma === undefined || part === undefined || !(Number(frequency) > 0)
      ? []
      : [{ form, lemma, part, frequency: Number(frequency) }]
  })

/** A spelling with the lemmas that it may be a form of; the first is that which is meant most often. */
interface Spelling {
  readonly form: string
  readonly frequency: number
  readonly lemmas: ReadonlyArray<string>
  readonly part: string
}

export const formsFigures = (forms: ReadonlyArray<Form>, stemOf: (form: string) => string): FormsFigures => {
  const spellings = spellingsOf(forms)
  const byLemma = Map.groupBy(spellings, ({ lemmas }) => lemmas[0] ?? "")
  const byStem = Map.groupBy(spellings, ({ form }) => stemOf(form))
  const [recall, verbs, precision] = [weighted(), weighted(), weighted()]
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
    recall: recall.mean(),
    precision: precision.mean(),
    "recall of verbs": verbs.mean()
  }
}

/** By frequency; undefined of nothing. */
const share = (spellings: ReadonlyArray<Spelling>, holds: (one: Spelling) => boolean): number | undefined => {
  const all = massOf(spellings)
  return all === 0 ? undefined : massOf(spellings.filter(holds)) / all
}
const massOf = (spellings: ReadonlyArray<Spelling>): number =>
  spellings.reduce((sum, { frequency }) => sum + frequency, 0)

const weighted = () => {
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
