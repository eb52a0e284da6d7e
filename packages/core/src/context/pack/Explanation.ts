// Explains a pack (contract §3.2, "Explain") from the results of ranking and trimming, outside its budget and hash.
import type { ExplanationJson } from "@rapport/contract/context/ContextPack.ts"
import { ContextLimits, EXPLAINED_DROPS_MAX } from "@rapport/contract/Limits.ts"
import type { FoundMemories } from "../../memory/ClientMemory.ts"
import { type MatchedWord, matchedWordsOf } from "../../search/text/MatchedWords.ts"
import type { Reading } from "../../search/text/Readings.ts"
import { type TextQuery, correctedQuery } from "../../search/text/TextQuery.ts"
import type { AppealEvidence } from "../read/AppealSearch.ts"
import { sum } from "./Coverage.ts"
import type { FittedPack } from "./PackBudget.ts"
import type { Cited, PackDraft } from "./PackDraft.ts"
import { type Budget, countTokens, type MeasuredAnswer, type PackForm } from "./PackForm.ts"
import type { CountedJson } from "./Tokens.ts"

type Item = ExplanationJson["items"][number]
type Drop = ExplanationJson["dropped"][number]

/** The parts of a read that explain a pack; null without a query or a read. */
interface Found {
  readonly textQuery: TextQuery | null
  readonly appeals: AppealEvidence | null
  readonly memories: FoundMemories | null
}

/** The answer with its explanation. Nothing else changes. */
export const withExplanation = (answer: MeasuredAnswer, explanation: ExplanationJson): MeasuredAnswer => ({
  ...answer,
  text: `${answer.text.slice(0, -1)},"explain":${JSON.stringify(explanation)}}`
})

/** Yields while it counts tokens. */
export function* explanationOf(
  form: PackForm,
  budget: Budget,
  fitted: FittedPack,
  found: Found
): Generator<void, ExplanationJson> {
  const dropped = [...(yield* budgetDrops(form, budget, fitted)), ...searchDrops(found)]
  return {
    items: itemsOf(fitted.cut, found),
    dropped: dropped.slice(0, EXPLAINED_DROPS_MAX),
    droppedMore: dropped.length > EXPLAINED_DROPS_MAX
  }
}

/** The shown evidence. */
const itemsOf = ({ evidence }: PackDraft, { appeals, memories, textQuery }: Found): Array<Item> => {
  if (evidence === null) return []
  const wordsByAppeals = makeWordMatcher(textQuery, appeals?.readings)
  const wordsByMemories = makeWordMatcher(textQuery, memories?.readings)
  const item = (
    list: string,
    place: number,
    json: CountedJson,
    texts: ReadonlyArray<Cited<{ readonly text: string }>>,
    header: ReadonlyArray<Cited<unknown>> = [],
    words = wordsByAppeals,
    score: Item["score"] = null
  ): Item => ({
    path: `sections.evidence.${list}[${place}]`,
    tokens: json.tokens + sum([...header, ...texts].map(({ citationJson }) => citationJson.tokens)),
    words: words(texts.map(({ value }) => value.text).join("\n")),
    score
  })
  return [
    ...evidence.appeals.map(({ header, json, snippets }, place) => {
      const parts = appeals?.matches.get(header.value.appealId)?.parts
      return item("appeals", place, json, snippets, [header], wordsByAppeals, parts)
    }),
    ...evidence.conversations.map(({ json, messages }, place) =>
      item("conversations", place, json, messages)
    ),
    ...evidence.interactions.map((one, place) => item("interactions", place, one.json, [one])),
    ...evidence.memories.map((one, place) =>
      item("memories", place, one.json, [one], [], wordsByMemories, memories?.parts.get(one.value.id))
    )
  ]
}

const makeWordMatcher = (textQuery: TextQuery | null, readings: ReadonlyArray<Reading> = []) =>
  textQuery === null
    ? (): ReadonlyArray<MatchedWord> => []
    : matchedWordsOf(correctedQuery(textQuery, readings), readings)

/** A limit with more digits takes more bytes and tokens of the pack. */
const LIMIT_BYTES = 6
const LIMIT_TOKENS = 2

/** The items that trimming dropped, the last dropped first. */
function* budgetDrops(
  form: PackForm,
  budget: Budget,
  { after, dropped }: FittedPack
): Generator<void, Array<Drop>> {
  const drops: Array<Drop> = []
  const { maxResponseBytes, tokenBudget } = ContextLimits
  let isPossible = true
  for (let step = dropped.length; step > 0 && drops.length <= EXPLAINED_DROPS_MAX; step--) {
    const gone = dropped[step - 1] ?? []
    let keptBy: Drop["keptBy"]
    if (isPossible && gone.length > 0) {
      const kept = after(step - 1)
      // Every earlier step needs a larger budget than this one.
      isPossible = form.bytes(kept, 0) + LIMIT_BYTES <= maxResponseBytes.maximum
      if (isPossible) {
        const tokens = (yield* countTokens(form, kept)) + LIMIT_TOKENS
        const bytes = form.bytes(kept, tokens) + LIMIT_BYTES
        isPossible = tokens <= tokenBudget.maximum && bytes <= maxResponseBytes.maximum
        if (isPossible)
          keptBy = {
            ...(tokens > budget.tokenBudget ? { tokenBudget: tokens } : {}),
            ...(bytes > budget.maxResponseBytes ? { maxResponseBytes: bytes } : {})
          }
      }
    }
    for (const one of gone)
      drops.push({ ...one, reason: "pack_budget", ...(keptBy === undefined ? {} : { keptBy }) })
  }
  return drops
}

/** Visible candidates beyond topK, then those below minScore. */
const searchDrops = ({ appeals, memories }: Found): ReadonlyArray<Drop> => {
  const ofAppeals = (appeals?.dropped ?? []).map(({ appealId, keptBy, score }): Drop => {
    const drop = { kind: "appeal" as const, id: String(appealId), score }
    if ("minScore" in keptBy) return { ...drop, reason: "min_score", keptBy }
    const isAllowed = keptBy.topK <= ContextLimits.topK.maximum
    return { ...drop, reason: "top_k", ...(isAllowed ? { keptBy } : {}) }
  })
  const ofMemories = (memories?.dropped ?? []).map(({ id, score }): Drop => ({
    kind: "memory",
    id,
    score,
    reason: "min_score",
    keptBy: { minScore: score ?? 0 }
  }))
  return [...ofAppeals, ...ofMemories]
}
