// The stretch of a message that a reader is shown: verbatim, around the sentence that matches best, with its matches marked.
import { SNIPPET_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { Effect } from "effect"
import type { TextQuery } from "./TextQuery.ts"
import { familyIn } from "./Terms.ts"
import { placedForms, type WordForm } from "./Words.ts"

/** Code points that a snippet is aimed at; it is never longer than SNIPPET_POINTS_MAX. */
export const SNIPPET_POINTS_AIM = 300

export interface Snippet {
  /** A stretch of the message as it is written: about SNIPPET_POINTS_AIM code points, never above SNIPPET_POINTS_MAX. */
  readonly text: string
  /** The message goes on before or after the stretch with more than white space. */
  readonly cutBefore: boolean
  readonly cutAfter: boolean
  /** Half-open ranges of code points in `text`, in order, never touching. */
  readonly highlights: ReadonlyArray<readonly [from: number, to: number]>
}

/**
 * Snippets for one query (contract §3.2): a short text whole, of a longer one the matched sentence with as many
 * adjacent sentences as fit. Without a query, or in a text without a match, the beginning of the text and no highlights.
 */
export const snippetsFor = (textQuery: TextQuery | null): ((text: string) => Snippet) => {
  if (textQuery === null) return beginningOf
  const { families, stems } = textQuery
  const byStem: TermOf = ({ stem }) => (stems.has(stem) ? stem : undefined)
  const byFamily: TermOf = (word) => {
    const family = familyIn(word)
    return family !== undefined && families.has(family) ? family : undefined
  }
  return (text) => matchedPart(text, byStem) ?? matchedPart(text, byFamily) ?? beginningOf(text)
}

/** The part around the words of a term, if there are any. A text without a word of the query is found by the families of its words. */
const matchedPart = (text: string, term: TermOf): Snippet | undefined => {
  const marks = marksIn(text, term)
  if (marks.length === 0) return undefined
  const points = Array.from(text)
  const part = excerptOf(points, isShort(text) ? all(points) : stretch(points, marks))
  return { ...part, highlights: marksIn(part.text, term).map(({ from, to }) => [from, to] as const) }
}

/** Whether a text has a word of the query; none has without one. */
export const matcherOf = (textQuery: TextQuery | null): ((text: string) => boolean) => {
  const snippet = snippetsFor(textQuery)
  return (text) => textQuery !== null && snippet(text).highlights.length > 0
}

/** UTF-16 units of text cut into snippets between two turns of the event loop. */
const SLICE_UNITS = 8_192

/**
 * Each text with its snippet, in order: around the match, or the beginning of a text without one. Between slices of texts the event
 * loop runs other requests, and the work can be interrupted.
 */
export const withSnippets = Effect.fnUntraced(function* <A extends { readonly text: string }>(
  textQuery: TextQuery | null,
  texts: ReadonlyArray<A>,
  isMatched: (one: A) => boolean
): Effect.fn.Return<ReadonlyArray<readonly [A, Snippet]>> {
  const matched = snippetsFor(textQuery)
  const other = snippetsFor(null)
  const found: Array<readonly [A, Snippet]> = []
  let units = 0
  for (const one of texts) {
    if (units > 0 && units + one.text.length > SLICE_UNITS) {
      yield* Effect.yieldNow
      units = 0
    }
    units += one.text.length
    found.push([one, (isMatched(one) ? matched : other)(one.text)])
  }
  return found
})

/** The term of the query that a word of a text matches; undefined without one. */
type TermOf = (word: WordForm) => string | undefined

/** In order, without overlaps: if a code and its parts match, only the code is marked. */
const marksIn = (text: string, term: TermOf): ReadonlyArray<Mark> => {
  const found: Array<Mark> = []
  for (const word of placedForms(text)) {
    const stem = term(word)
    if (stem !== undefined && word.from >= (found.at(-1)?.to ?? 0))
      found.push({ stem, from: word.from, to: word.to })
  }
  return found
}

interface Mark {
  readonly stem: string
  readonly from: number
  readonly to: number
}

/** Ranges here count code points. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A text that is shown whole. */
const isShort = (text: string): boolean =>
  text.length <= 2 * SNIPPET_POINTS_AIM && pointsOf(text.trim()) <= SNIPPET_POINTS_AIM

const all = (points: ReadonlyArray<string>): Range => ({ from: 0, to: points.length })

const beginningOf = (text: string): Snippet => {
  const points = Array.from(text.trimStart())
  const range = isShort(text) ? all(points) : grow(points, sentencesOf(points), { from: 0, to: 0 })
  return { ...excerptOf(points, range), highlights: [] }
}

const stretch = (points: ReadonlyArray<string>, marks: ReadonlyArray<Mark>): Range => {
  const sentences = sentencesOf(points)
  const sentence = sentences[bestOf(sentences, marks)] ?? all(points)
  return sentence.to - sentence.from > SENTENCE_POINTS_MAX
    ? densest(points, sentence, marks)
    : grow(points, sentences, sentence)
}

/**
 * The range with the sentences around it, alternately after and before it, as long as they fit. Where these leave much of the
 * bound empty it is filled with words of the sentences that do not fit.
 */
const grow = (points: ReadonlyArray<string>, sentences: ReadonlyArray<Range>, range: Range): Range => {
  let { from, to } = range
  let after = sentences.findIndex((one) => one.from >= to)
  let before = sentences.findLastIndex((one) => one.to <= from)
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false
    const next = sentences[after]
    if (next !== undefined && next.to - from <= SNIPPET_POINTS_AIM) {
      to = next.to
      after++
      isGrowing = true
    }
    const previous = sentences[before]
    if (previous !== undefined && to - previous.from <= SNIPPET_POINTS_AIM) {
      from = previous.from
      before--
      isGrowing = true
    }
  }
  if (to - from < FILLED_POINTS_MIN && to < points.length) {
    const end = Math.min(points.length, from + SNIPPET_POINTS_AIM)
    to = end === points.length ? end : cutBefore(points, end, to)
  }
  if (to - from < FILLED_POINTS_MIN && from > 0) {
    const start = Math.max(0, to - SNIPPET_POINTS_AIM)
    from = start === 0 ? 0 : cutAfter(points, start, from)
  }
  return { from, to }
}

/** Whole sentences are enough where they are this long. */
const FILLED_POINTS_MIN = (SNIPPET_POINTS_AIM * 2) / 3
// A sentence up to this long is shown whole; of a longer one the part around its matches.
const SENTENCE_POINTS_MAX = 400
/** The end of a sentence includes the quotes and brackets that close after it. */
const ENDS = new Set([".", "!", "?", "…", "。", "！", "？"])
const CLOSES = new Set(['"', "'", "»", "”", "’", ")", "]"])
const isSpace = (point: string | undefined): boolean => point !== undefined && /\s/u.test(point)

/** The text in order, without gaps but for white space around sentences. */
const sentencesOf = (points: ReadonlyArray<string>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let from = 0
  const close = (to: number) => {
    if (points.slice(from, to).some((point) => !isSpace(point))) found.push({ from, to })
    from = to
  }
  for (let i = 0; i < points.length; i++) {
    if (points[i] === "\n") close(i + 1)
    else if (ENDS.has(points[i] ?? "")) {
      let to = i + 1
      while (ENDS.has(points[to] ?? "") || CLOSES.has(points[to] ?? "")) to++
      if (to >= points.length || isSpace(points[to])) close(to)
      // The run is read once, whether it ends a sentence or not: text stays linear.
      i = to - 1
    }
  }
  close(points.length)
  return found
}

// The sentence with the most different terms, then the most matches, then the first.
const bestOf = (sentences: ReadonlyArray<Range>, marks: ReadonlyArray<Mark>): number => {
  let best = 0
  let bestScore = 0
  let next = 0
  sentences.forEach((sentence, at) => {
    const inside: Array<Mark> = []
    for (; next < marks.length && (marks[next]?.from ?? 0) < sentence.to; next++) {
      const mark = marks[next]
      if (mark !== undefined && mark.from >= sentence.from) inside.push(mark)
    }
    const score = new Set(inside.map((mark) => mark.stem)).size + Math.min(inside.length, 99) / 100
    if (score > bestScore) {
      best = at
      bestScore = score
    }
  })
  return best
}

// The part of a long sentence with the most different terms, its matches in the middle, cut between words.
const densest = (points: ReadonlyArray<string>, sentence: Range, marks: ReadonlyArray<Mark>): Range => {
  const inside = marks.filter((mark) => mark.from >= sentence.from && mark.to <= sentence.to)
  let best: Range = inside[0] ?? sentence
  let bestScore = 0
  // Two places move through the matches, each forward only.
  const counts = new Map<string, number>()
  let first = 0
  for (const mark of inside) {
    counts.set(mark.stem, (counts.get(mark.stem) ?? 0) + 1)
    for (let start = inside[first]; start !== undefined; start = inside[++first]) {
      const times = counts.get(start.stem) ?? 0
      if (start === mark || (mark.to - start.from <= SNIPPET_POINTS_AIM && times < 2)) break
      if (times < 2) counts.delete(start.stem)
      else counts.set(start.stem, times - 1)
    }
    const start = inside[first]
    if (start !== undefined && counts.size > bestScore) {
      bestScore = counts.size
      best = { from: start.from, to: mark.to }
    }
  }
  const spare = Math.max(0, SNIPPET_POINTS_AIM - (best.to - best.from))
  const from = Math.max(
    sentence.from,
    Math.min(best.from - Math.ceil(spare / 2), sentence.to - SNIPPET_POINTS_AIM)
  )
  const to = Math.min(sentence.to, from + Math.max(SNIPPET_POINTS_AIM, best.to - best.from))
  return {
    from: from === sentence.from ? from : cutAfter(points, from, best.from),
    to: to === sentence.to ? to : cutBefore(points, to, best.to)
  }
}

// The last place at or before `to` where a word ends; inside a word without end where at least no character is torn.
const cutBefore = (points: ReadonlyArray<string>, to: number, least: number): number => {
  for (let i = to; i > least; i--) if (isSpace(points[i])) return i
  for (let i = to; i > least; i--) if (!isJoined(points, i)) return i
  return to
}

const cutAfter = (points: ReadonlyArray<string>, from: number, most: number): number => {
  for (let i = from; i < most; i++) if (isSpace(points[i - 1])) return i
  for (let i = from; i < most; i++) if (!isJoined(points, i)) return i
  return most
}

/** True when the points before and after `at` make one character: marks, joined emoji, flags, skin tones. */
const isJoined = (points: ReadonlyArray<string>, at: number): boolean => {
  const [before, after] = [points[at - 1] ?? "", points[at] ?? ""]
  return (
    /^[\p{M}\p{Emoji_Modifier}]$/u.test(after) ||
    after === "\u200d" ||
    before === "\u200d" ||
    (/^\p{Regional_Indicator}$/u.test(before) && /^\p{Regional_Indicator}$/u.test(after))
  )
}

const excerptOf = (points: ReadonlyArray<string>, { from, to }: Range): Omit<Snippet, "highlights"> => {
  const end = Math.min(to, from + SNIPPET_POINTS_MAX)
  return {
    text: points.slice(from, end).join("").trim(),
    cutBefore: !points.slice(0, from).every(isSpace),
    cutAfter: !points.slice(end).every(isSpace)
  }
}
