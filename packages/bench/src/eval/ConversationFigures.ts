// Asks every question about the conversations and sums up how much of what is wanted stood in the packs.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { type Answered, ask, type PackForm, packForms } from "./Asking.ts"
import type { Question } from "./Dataset.ts"
import type { LoadedConversation } from "./Loading.ts"
import { anyAt, mean, ndcgAt, percentile, recallAt, snippetHit } from "./Metrics.ts"
import { Progress } from "./Progress.ts"

/** Budgets whose price is measured in both forms, the default first. */
export const tokenBudgets = [8_000, 2_000, 1_000] as const

/** A pack of ten appeals in one form, and whether it shows a turn of the evidence or its neighbour. */
export interface BudgetPack {
  readonly form: PackForm
  readonly tokenBudget: number
  readonly pack: Answered
  readonly hit: number
}

/** The answers to one question: ten appeals for the ranking, the default request, ten appeals at each budget in each form. */
export interface AnsweredQuestion {
  readonly category: string
  readonly gold: ReadonlySet<number>
  readonly ranking: Answered
  readonly usual: Answered
  /** Whether the default request shows a turn of the evidence or its neighbour. */
  readonly snippetHit: number
  readonly packs: ReadonlyArray<BudgetPack>
  /** The same few appeals in both forms, of which nothing had to give way. */
  readonly same: { readonly json: Answered; readonly markdown: Answered }
}

const RANKED = 10
/** Appeals of a pack that is whole in both forms. */
const FEW = 4
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
  const usual = yield* ask(asking)
  const ten = { ...asking, topK: RANKED }
  const ranking = yield* ask({ ...ten, tokenBudget: ContextLimits.tokenBudget.maximum })
  const transcripts = loaded.conversation.sessions.map(({ turns }) => turns.map(({ id }) => id))
  const evidence = new Set(question.evidence)
  const hitOf = ({ appeals }: Answered) => {
    const shown = appeals.flatMap(({ messageIds }) =>
      messageIds.flatMap((id) => loaded.turnOfMessage.get(id) ?? [])
    )
    return snippetHit(new Set(shown), evidence, transcripts)
  }
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
  const few = { ...asking, topK: FEW }
  const same = { json: yield* ask(few), markdown: yield* ask(few, "markdown") }
  const answered: AnsweredQuestion = {
    category: question.category,
    gold: new Set(question.evidence.flatMap((turn) => loaded.appealOfTurn.get(turn) ?? [])),
    ranking,
    usual,
    snippetHit: hitOf(usual),
    packs,
    same
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

/** What a budget lets stand of ten appeals. */
export interface BudgetFigures {
  readonly form: PackForm
  readonly tokenBudget: number
  /** Share of the wanted sessions that stand. */
  readonly "R@10": number
  /** Share of the questions whose pack shows a turn of the evidence or its neighbour. */
  readonly "snippet hit": number
  readonly meanTokens: number
  readonly medianAppeals: number
  readonly medianSnippets: number
}

/** The two forms of packs of the same content. */
export interface FormFigures {
  readonly packs: number
  /** Mean of the tokens of Markdown by those of JSON. */
  readonly tokensShare: number
  /** Messages, texts and citations of JSON that Markdown has not. */
  readonly factsLost: number
}

export interface ConversationFigures {
  readonly _tag: "Conversations"
  readonly overall: RankingFigures & SizeFigures
  readonly categories: Readonly<Record<string, RankingFigures & SizeFigures>>
  readonly budgets: ReadonlyArray<BudgetFigures>
  readonly forms: FormFigures
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
    budgets: packForms.flatMap((form) =>
      tokenBudgets.map((tokenBudget) => budgetFigures(answered, form, tokenBudget))
    ),
    forms: formFigures(answered),
    skipped,
    partial: answered.filter(({ packs, ranking, usual }) =>
      [ranking, usual, ...packs.map(({ pack }) => pack)].some(({ reasons }) => reasons.length > 0)
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
    ...sizeFigures(answered.map(({ usual }) => usual))
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

const budgetFigures = (
  answered: ReadonlyArray<AnsweredQuestion>,
  form: PackForm,
  tokenBudget: number
): BudgetFigures => {
  const standing = answered.flatMap(({ gold, packs }) =>
    packs.flatMap((one) => (one.form === form && one.tokenBudget === tokenBudget ? [{ gold, ...one }] : []))
  )
  const snippets = standing.map(({ pack }) =>
    pack.appeals.reduce((sum, { messageIds }) => sum + messageIds.length, 0)
  )
  return {
    form,
    tokenBudget,
    "R@10": mean(
      standing.map(({ gold, pack: { appeals } }) =>
        recallAt(
          RANKED,
          appeals.map(({ appealId }) => appealId),
          gold
        )
      )
    ),
    "snippet hit": mean(standing.map(({ hit }) => hit)),
    meanTokens: Math.round(mean(standing.map(({ pack }) => pack.tokens))),
    medianAppeals: percentile(
      0.5,
      standing.map(({ pack }) => pack.appeals.length)
    ),
    medianSnippets: percentile(0.5, snippets)
  }
}

const formFigures = (answered: ReadonlyArray<AnsweredQuestion>): FormFigures => {
  const whole = answered.flatMap(({ same }) => (same.json.isWhole && same.markdown.isWhole ? [same] : []))
  return {
    packs: whole.length,
    tokensShare: mean(whole.map(({ json, markdown }) => markdown.tokens / json.tokens)),
    factsLost: whole.reduce((sum, { json, markdown }) => sum + lostOf(json, markdown), 0)
  }
}

const lostOf = (json: Answered, markdown: Answered): number => {
  const said = new Set(markdown.appeals.flatMap(saidBy))
  const lost = json.appeals.flatMap(saidBy).filter((one) => !said.has(one)).length
  return lost + Math.max(0, json.facts - markdown.facts)
}

const saidBy = ({ appealId, messageIds, texts }: Answered["appeals"][number]): ReadonlyArray<string> =>
  messageIds.map((messageId, at) => `${appealId} ${messageId} ${texts[at]}`)
