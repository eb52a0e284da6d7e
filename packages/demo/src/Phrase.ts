// A phrase with interchangeable parts: compiled once, it gives its n-th wording without storing the wordings.
//
//   [a|b|c]   one of several wordings, nestable; an empty one leaves the part out
//   {slot}    a value of the conversation (an amount, a date, the name of the one addressed)
//   <m|f>     by the gender of the one who speaks
//   @macro    a part shared by many phrases, replaced before compiling

export type Gender = "m" | "f"

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "slot"; readonly name: string }
  | { readonly kind: "gender"; readonly m: string; readonly f: string }
  | { readonly kind: "choice"; readonly wordings: ReadonlyArray<Sequence>; readonly count: number }

interface Sequence {
  readonly parts: ReadonlyArray<Part>
  readonly count: number
}

/** Returns the value of a slot; throws on an unknown name. */
export type SlotValue = (name: string) => string

export interface Phrase {
  readonly source: string
  /** How many wordings there are, slots and gender not counted. */
  readonly count: number
  /** The slots that occur in every wording. */
  readonly certainSlots: ReadonlyArray<string>
  readonly wording: (index: number, slot: SlotValue, gender: Gender) => string
}

const compile = (source: string): Sequence => {
  let at = 0
  const fail = (what: string): never => {
    throw new SyntaxError(`${what} at ${at} in phrase: ${source}`)
  }
  const until = (end: string): string => {
    const to = source.indexOf(end, at)
    if (to < 0) return fail(`missing ${end}`)
    const text = source.slice(at, to)
    at = to + end.length
    return text
  }
  const sequence = (inside: boolean): Sequence => {
    const parts: Array<Part> = []
    let text = ""
    const flush = () => {
      if (text !== "") parts.push({ kind: "text", text })
      text = ""
    }
    for (; at < source.length;) {
      const letter = source[at] ?? ""
      if (inside && (letter === "|" || letter === "]")) break
      at++
      if (letter === "[") {
        flush()
        parts.push(choice())
      } else if (letter === "{") {
        flush()
        parts.push({ kind: "slot", name: until("}") })
      } else if (letter === "<") {
        flush()
        const forms = until(">").split("|")
        const [m, f] = forms
        if (m === undefined || f === undefined || forms.length !== 2) return fail("two genders wanted")
        parts.push({ kind: "gender", m, f })
      } else if ("]|}>@".includes(letter)) return fail(`stray ${letter}`)
      else text += letter
    }
    flush()
    return { parts, count: parts.reduce((n, part) => n * (part.kind === "choice" ? part.count : 1), 1) }
  }
  const choice = (): Part => {
    const wordings = [sequence(true)]
    while (source[at] === "|") {
      at++
      wordings.push(sequence(true))
    }
    if (source[at] !== "]") return fail("missing ]")
    at++
    return { kind: "choice", wordings, count: wordings.reduce((n, one) => n + one.count, 0) }
  }
  return sequence(false)
}

const render = (sequence: Sequence, index: number, slot: SlotValue, gender: Gender): string => {
  let text = ""
  let left = index
  for (const part of sequence.parts) {
    if (part.kind === "text") text += part.text
    else if (part.kind === "slot") text += slot(part.name)
    else if (part.kind === "gender") text += part[gender]
    else {
      let own = left % part.count
      left = Math.floor(left / part.count)
      for (const wording of part.wordings) {
        if (own < wording.count) {
          text += render(wording, own, slot, gender)
          break
        }
        own -= wording.count
      }
    }
  }
  return text
}

const sentenceStart = /(^|[.!?…]\s+)(\p{Ll})(?!\p{Lu})/gu

/** Sentences begin with a capital letter whichever wording opens them; left-out parts leave no double blanks; "an" stands before names that want it. */
const tidy = (text: string): string =>
  text
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/\b([Aa]) (?=[AEIO]\p{Ll})/gu, "$1n ")
    .replace(sentenceStart, (_, before: string, letter: string) => before + letter.toUpperCase())

/** Compiles a phrase; malformed ones and unknown macros throw. */
export const makePhrase = (source: string, macros: Readonly<Record<string, string>> = {}): Phrase => {
  const whole = source.replace(/@([a-z]+)/gu, (_, name: string) => {
    const macro = macros[name]
    if (macro === undefined) throw new SyntaxError(`unknown macro @${name} in phrase: ${source}`)
    return macro
  })
  const sequence = compile(whole)
  return {
    source,
    count: sequence.count,
    certainSlots: sequence.parts.flatMap((part) => (part.kind === "slot" ? [part.name] : [])),
    wording: (index, slot, gender) => tidy(render(sequence, index, slot, gender))
  }
}

const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b))

/** Goes through the wordings of a phrase evenly and in a mixed order: each comes again only after all others. */
export class Wordings {
  readonly #used = new Map<Phrase, number>()

  next(phrase: Phrase): number {
    const used = this.#used.get(phrase) ?? 0
    this.#used.set(phrase, used + 1)
    let step = Math.max(1, Math.floor(phrase.count * 0.618))
    while (common(step, phrase.count) !== 1) step++
    return (phrase.source.length * 7 + used * step) % phrase.count
  }
}
