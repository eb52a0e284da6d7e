// Asks every question about the conversations and sums up how much of what is wanted stood in the packs.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { type Answered, ask } from "./Asking.ts"
import type { Question } from "./Dataset.ts"
import type { LoadedConversation } from "./Loading.ts"
import { anyAt, mean, ndcgAt, percentile, recallAt, snippetHit } from "./Metrics.ts"
import { Progress } from "./Progress.ts"

/** Budgets whose price is measured, the default first. */
export const tokenBudgets = [8_000, 4_000, 2_000] as const

/** The answers to one question: ten appeals for the ranking, and the default request at each budget. */
export interface AnsweredQuestion {
  readonly category: string
  readonly gold: ReadonlySet<number>
  readonly ranking: Answered
  readonly packs: ReadonlyArray<Answered>
  /** Whether the first of the packs shows a turn of the evidence or its neighbour. */
  readonly snippetHit: number
}

const RANKED = 10
const most = {
  maxResponseBytes: ContextLimits.maxResponseBytes.maximum,
  timeoutMs: ContextLimits.timeoutMs.maximum
} as const

/** Every question, so many at once. */
export const askConversations = Effect.fn("ConversationFigures.ask")(function* (
  conversations: ReadonlyArray<LoadedConversation>,
  atOnce: number
) {
  const questions = conversations.flatMap((loaded) =>
    loaded.conversation.questions.map((question) => ({ loaded, question }))
  )
  const { one } = yield* (yield* Progress).stage("asking", questions.length)
  return yield* Effect.forEach(
    questions,
    ({ loaded, question }) => Effect.tap(askQuestion(loaded, question), one),
    { concurrency: atOnce }
  )
})

const askQuestion = Effect.fnUntraced(function* (loaded: LoadedConversation, question: Question) {
  const asking = {
    scope: { entity: "client", id: loaded.clientId },
    targets: ["relevant_appeals"],
    query: question.text,
    ...most
  } as const
  const packs = yield* Effect.forEach(tokenBudgets, (tokenBudget) => ask({ ...asking, tokenBudget }))
  const ranking = yield* ask({ ...asking, topK: RANKED, tokenBudget: ContextLimits.tokenBudget.maximum })
  const shown = new Set(
    packs[0]?.appeals.flatMap(({ messageIds }) =>
      messageIds.flatMap((id) => loaded.turnOfMessage.get(id) ?? [])
    )
  )
  const transcripts = loaded.conversation.sessions.map(({ turns }) => turns.map(({ id }) => id))
  const answered: AnsweredQuestion = {
    category: question.category,
    gold: new Set(question.evidence.flatMap((turn) => loaded.appealOfTurn.get(turn) ?? [])),
    ranking,
    packs,
    snippetHit: snippetHit(shown, new Set(question.evidence), transcripts)
  }
  return answered
})

/** Means over questions; the keys are the names that the tables and the chart show. */
export interface RankingFigures {
  readonly questions: number
  readonly "R@1": number
  readonly "R@5": number
  readonly "R@8": number
  readonly "R@10": number
  readonly "any@8": number
  readonly "NDCG@10": number
  readonly "snippet hit": number
}

/** Medians and 95th percentiles of the default request. */
export interface SizeFigures {
  readonly latencyMillis: Spread
  readonly bytes: Spread
  readonly tokens: Spread
}
export interface Spread {
  readonly p50: number
  readonly p95: number
}

/** What a budget lets stand of the default request. */
export interface BudgetFigures {
  readonly tokenBudget: number
  /** Share of the wanted sessions that stand. */
  readonly recall: number
  /** Over the questions that find at least four appeals at the first budget. */
  readonly leastAppeals: number
  readonly medianAppeals: number
  readonly medianSnippets: number
  /** Packs with fewer than four appeals, where the first budget has four or more. */
  readonly belowFour: number
}

export interface ConversationFigures {
  readonly _tag: "Conversations"
  readonly overall: RankingFigures & SizeFigures
  readonly categories: Readonly<Record<string, RankingFigures & SizeFigures>>
  readonly budgets: ReadonlyArray<BudgetFigures>
  readonly skipped: number
  /** Questions with an answer that was partial for another reason than the budget, or without one. */
  readonly partial: number
}

export const conversationFigures = (
  answered: ReadonlyArray<AnsweredQuestion>,
  skipped: number
): ConversationFigures => {
  const byCategory = Map.groupBy(answered, ({ category }) => category)
  const names = [...byCategory.keys()].toSorted((a, b) => a.localeCompare(b, "en"))
  return {
    _tag: "Conversations",
    overall: figuresOf(answered),
    categories: Object.fromEntries(names.map((name) => [name, figuresOf(byCategory.get(name) ?? [])])),
    budgets: tokenBudgets.map((tokenBudget, at) => budgetFigures(answered, tokenBudget, at)),
    skipped,
    partial: answered.filter(({ packs, ranking }) =>
      [ranking, ...packs].some(({ reasons }) => reasons.length > 0)
    ).length
  }
}

const figuresOf = (answered: ReadonlyArray<AnsweredQuestion>): RankingFigures & SizeFigures => {
  const over = (measure: (ranked: ReadonlyArray<number>, gold: ReadonlySet<number>) => number) =>
    mean(
      answered.map(({ gold, ranking }) =>
        measure(
          ranking.appeals.map(({ appealId }) => appealId),
          gold
        )
      )
    )
  return {
    questions: answered.length,
    "R@1": over((ranked, gold) => anyAt(1, ranked, gold)),
    "R@5": over((ranked, gold) => recallAt(5, ranked, gold)),
    "R@8": over((ranked, gold) => recallAt(8, ranked, gold)),
    "R@10": over((ranked, gold) => recallAt(10, ranked, gold)),
    "any@8": over((ranked, gold) => anyAt(8, ranked, gold)),
    "NDCG@10": over((ranked, gold) => ndcgAt(10, ranked, gold)),
    "snippet hit": mean(answered.map(({ snippetHit }) => snippetHit)),
    ...sizeFigures(answered.flatMap(({ packs }) => packs.slice(0, 1)))
  }
}

export const sizeFigures = (answers: ReadonlyArray<Answered>): SizeFigures => ({
  latencyMillis: spread(answers.map(({ millis }) => millis)),
  bytes: spread(answers.map(({ bytes }) => bytes)),
  tokens: spread(answers.map(({ tokens }) => tokens))
})

const spread = (values: ReadonlyArray<number>): Spread => ({
  p50: percentile(0.5, values),
  p95: percentile(0.95, values)
})

/** How many appeals have to stand at the smallest budget. */
const STANDING_MIN = 4

const budgetFigures = (
  answered: ReadonlyArray<AnsweredQuestion>,
  tokenBudget: number,
  at: number
): BudgetFigures => {
  const standing = answered.flatMap(({ gold, packs }) => {
    const [full, pack] = [packs[0], packs[at]]
    if (full === undefined || pack === undefined) return []
    return [{ gold, pack, couldHaveFour: full.appeals.length >= STANDING_MIN }]
  })
  const counted = standing.filter(({ couldHaveFour }) => couldHaveFour).map(({ pack }) => pack.appeals.length)
  return {
    tokenBudget,
    recall: mean(
      standing.map(({ gold, pack: { appeals } }) =>
        recallAt(
          appeals.length,
          appeals.map(({ appealId }) => appealId),
          gold
        )
      )
    ),
    leastAppeals: counted.length === 0 ? 0 : Math.min(...counted),
    medianAppeals: percentile(
      0.5,
      standing.map(({ pack }) => pack.appeals.length)
    ),
    medianSnippets: percentile(
      0.5,
      standing.map(({ pack }) => pack.appeals.reduce((sum, { messageIds }) => sum + messageIds.length, 0))
    ),
    belowFour: counted.filter((count) => count < STANDING_MIN).length
  }
}
