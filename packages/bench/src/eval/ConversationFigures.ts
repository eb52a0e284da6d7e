// Sends every question about the conversations, and sums up how much of the wanted evidence is in the packs.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Console, Effect } from "effect"
import { type Answered, ask, packForms, type PackForm } from "./Asking.ts"
import type { Conversation } from "./ConversationFile.ts"
import type { LoadedConversation } from "./Loading.ts"
import { anyAt, mean, ndcgAt, percentile, recallAt, snippetHit } from "./Metrics.ts"
import { type Typing, typingsOf } from "./Typed.ts"

/** Budgets whose price is measured in both forms, the default first. The ranking is that of the first in JSON. */
const tokenBudgets = [8_000, 2_000, 1_000] as const

const RANKED = 10
/** Appeals of a pack that is whole in both forms. */
const FEW = 4

/** Sends every question, up to `concurrency` in parallel, also as it is mistyped in a language. */
export const askConversations = Effect.fn("ConversationFigures.askConversations")(function* (
  conversations: ReadonlyArray<LoadedConversation>,
  language: string,
  concurrency: number
) {
  const questions = conversations.flatMap((loaded) =>
    loaded.conversation.questions.map((question) => ({ loaded, question }))
  )
  yield* Console.error(`sending ${questions.length} questions …`)
  return yield* Effect.forEach(
    questions,
    ({ loaded, question }) => askQuestion(loaded, question, typingsOf(language)),
    { concurrency }
  )
})

/** The answers to one question: the default request, ten appeals at each budget in each form, and to the mistyped question. */
type AnsweredQuestion = Effect.Success<ReturnType<typeof askQuestion>>

const askQuestion = Effect.fnUntraced(function* (
  loaded: LoadedConversation,
  question: Conversation["questions"][number],
  typings: ReadonlyArray<Typing>
) {
  const request = {
    scope: { entity: "client", id: loaded.clientId },
    targets: ["relevant_appeals"],
    query: question.text,
    maxResponseBytes: ContextLimits.maxResponseBytes.maximum,
    timeoutMs: ContextLimits.timeoutMs.maximum
  } as const
  const ten = { ...request, topK: RANKED }
  const transcripts = loaded.conversation.sessions.map(({ turns }) => turns.map(({ id }) => id))
  const evidence = new Set(question.evidence)
  const gold = new Set(question.evidence.flatMap((turn) => loaded.appealOfTurn.get(turn) ?? []))
  /** Whether a pack shows a turn of the evidence or an adjacent turn. */
  const hitOf = ({ appeals }: Answered) => {
    const shown = appeals.flatMap(({ messageIds }) =>
      messageIds.flatMap((id) => loaded.turnOfMessage.get(id) ?? [])
    )
    return snippetHit(new Set(shown), evidence, transcripts)
  }
  const usual = yield* ask(request)
  const packs = yield* Effect.forEach(
    packForms.flatMap((form) => tokenBudgets.map((tokenBudget) => ({ form, tokenBudget }))),
    ({ form, tokenBudget }) =>
      Effect.map(ask({ ...ten, tokenBudget }, form), (pack) => ({
        form,
        tokenBudget,
        pack,
        hit: hitOf(pack)
      }))
  )
  const few = { ...request, topK: FEW }
  /** The same few appeals in both forms, small enough that nothing is left out for the budget. */
  const same = { json: yield* ask(few), markdown: yield* ask(few, "markdown") }
  const mistyped = typings.flatMap(({ name, times, typed }) =>
    Array.from({ length: times }, (_, time) => ({ name, query: typed(question.text, time) }))
  )
  const typed = yield* Effect.forEach(mistyped, ({ name, query }) =>
    Effect.map(ask({ ...ten, query }), (pack) => ({ name, hit: anyAt(1, rankedIds(pack), gold) }))
  )
  const ranking = packs.slice(0, 1).flatMap(({ pack }) => rankedIds(pack))
  return { category: question.category, gold, ranking, usual, snippetHit: hitOf(usual), packs, same, typed }
})

export type ConversationFigures = ReturnType<typeof conversationFigures>
type QuestionFigures = ReturnType<typeof figuresOf>
export type SizeFigures = ReturnType<typeof sizeFigures>

export const conversationFigures = (answered: ReadonlyArray<AnsweredQuestion>, skipped: number) => {
  const byCategory = Map.groupBy(answered, ({ category }) => category)
  const names = [...byCategory.keys()].toSorted((a, b) => a.localeCompare(b, "en"))
  const categories: Readonly<Record<string, QuestionFigures>> = Object.fromEntries(
    names.map((name) => [name, figuresOf(byCategory.get(name) ?? [])])
  )
  const typed = Map.groupBy(
    answered.flatMap((one) => one.typed),
    ({ name }) => name
  )
  return {
    _tag: "Conversations" as const,
    overall: figuresOf(answered),
    categories,
    budgets: packForms.flatMap((form) =>
      tokenBudgets.map((tokenBudget) => budgetFigures(answered, form, tokenBudget))
    ),
    forms: formFigures(answered),
    /** The hit rate at the first place of mistyped questions, by the way of typing. */
    typed: Object.fromEntries([...typed].map(([name, hits]) => [name, mean(hits.map(({ hit }) => hit))])),
    skipped,
    /** Questions with an answer that was partial for another reason than the budget. */
    partial: answered.filter(({ packs, usual }) =>
      [usual, ...packs.map(({ pack }) => pack)].some(({ reasons }) => reasons.length > 0)
    ).length
  }
}

const rankedIds = ({ appeals }: Answered): ReadonlyArray<number> => appeals.map(({ appealId }) => appealId)

/** Means over questions; the keys are the names that the tables show. */
const figuresOf = (answered: ReadonlyArray<AnsweredQuestion>) => {
  const over = (measure: (ranked: ReadonlyArray<number>, gold: ReadonlySet<number>) => number) =>
    mean(answered.map(({ gold, ranking }) => measure(ranking, gold)))
  return {
    questions: answered.length,
    "R@1": over((ranked, gold) => anyAt(1, ranked, gold)),
    "R@5": over((ranked, gold) => recallAt(5, ranked, gold)),
    "R@8": over((ranked, gold) => recallAt(8, ranked, gold)),
    "R@10": over((ranked, gold) => recallAt(10, ranked, gold)),
    "any@8": over((ranked, gold) => anyAt(8, ranked, gold)),
    "NDCG@10": over((ranked, gold) => ndcgAt(10, ranked, gold)),
    "snippet hit": mean(answered.map(({ snippetHit }) => snippetHit)),
    ...sizeFigures(answered.map(({ usual }) => usual))
  }
}

/** Medians and 95th percentiles of the default request. */
export const sizeFigures = (answers: ReadonlyArray<Answered>) => {
  const spread = (name: "millis" | "bytes" | "tokens") => {
    const values = answers.map((answer) => answer[name])
    return { p50: percentile(0.5, values), p95: percentile(0.95, values) }
  }
  return { latencyMillis: spread("millis"), bytes: spread("bytes"), tokens: spread("tokens") }
}

/** How much of ten appeals fits into a budget. */
const budgetFigures = (answered: ReadonlyArray<AnsweredQuestion>, form: PackForm, tokenBudget: number) => {
  const packs = answered.flatMap(({ gold, packs }) =>
    packs.flatMap((one) => (one.form === form && one.tokenBudget === tokenBudget ? [{ gold, ...one }] : []))
  )
  const median = (count: (pack: Answered) => number) =>
    percentile(
      0.5,
      packs.map(({ pack }) => count(pack))
    )
  return {
    form,
    tokenBudget,
    "R@10": mean(packs.map(({ gold, pack }) => recallAt(RANKED, rankedIds(pack), gold))),
    "snippet hit": mean(packs.map(({ hit }) => hit)),
    meanTokens: Math.round(mean(packs.map(({ pack }) => pack.tokens))),
    medianAppeals: median(({ appeals }) => appeals.length),
    medianSnippets: median(({ appeals }) => appeals.reduce((sum, one) => sum + one.messageIds.length, 0))
  }
}

/** The two forms of packs of the same content. */
const formFigures = (answered: ReadonlyArray<AnsweredQuestion>) => {
  const whole = answered.flatMap(({ same }) => (same.json.isWhole && same.markdown.isWhole ? [same] : []))
  return {
    packs: whole.length,
    /** Mean of the tokens of Markdown divided by those of JSON. */
    tokensShare: mean(whole.map(({ json, markdown }) => markdown.tokens / json.tokens)),
    /** Messages, texts and citations of JSON that Markdown lacks. */
    factsLost: whole.reduce((sum, { json, markdown }) => sum + countLostFacts(json, markdown), 0)
  }
}

const countLostFacts = (json: Answered, markdown: Answered): number => {
  const kept = new Set(markdown.appeals.flatMap(factsOf))
  const lost = json.appeals.flatMap(factsOf).filter((fact) => !kept.has(fact)).length
  return lost + Math.max(0, json.facts - markdown.facts)
}

const factsOf = ({ appealId, messageIds, texts }: Answered["appeals"][number]): ReadonlyArray<string> =>
  messageIds.map((messageId, at) => `${appealId} ${messageId} ${texts[at]}`)
