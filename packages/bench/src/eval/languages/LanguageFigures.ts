// Figures of the sets of one language: every question as written, and with the typing errors of people.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Console, Effect } from "effect"
import { ask } from "../Asking.ts"
import { clientLayer } from "../Account.ts"
import type { Question } from "../Dataset.ts"
import type { EvaluationPlan, ReadDataset } from "../Evaluation.ts"
import { loadConversations, type LoadedConversation, loadUtterances } from "../Loading.ts"
import { anyAt, mean, recallAt } from "../Metrics.ts"
import { askUtterances, utteranceFigures } from "../UtteranceFigures.ts"
import type { FormsFigures } from "./Forms.ts"
import { type Typing, typingsOf } from "./Typed.ts"

export interface SetFigures {
  readonly name: string
  readonly engine: string
  readonly questions: number
  /** P@1 for utterances. */
  readonly "hit@1": number
  /** Null for utterances: more than ten appeals have the intent. */
  readonly "R@10": number | null
  /** hit@1 of questions as they are typed, by the way of typing. */
  readonly typed: Readonly<Record<string, number>>
}

export interface LanguageFigures {
  readonly language: string
  readonly forms: FormsFigures | null
  readonly sets: ReadonlyArray<SetFigures>
}

/** The document of `--json` for a directory. */
export interface LanguageResults {
  /** When it was measured, ISO 8601. */
  readonly at: string
  /** The commit of the checkout, null without one. */
  readonly commit: string | null
  readonly concurrency: number
  readonly languages: ReadonlyArray<LanguageFigures>
}

const RANKED = 10

/** The ids of the first ten appeals. */
const rankingOf = ({ clientId }: LoadedConversation, query: string) =>
  Effect.map(
    ask({
      scope: { entity: "client", id: clientId },
      targets: ["relevant_appeals"],
      query,
      topK: RANKED,
      tokenBudget: ContextLimits.tokenBudget.maximum,
      maxResponseBytes: ContextLimits.maxResponseBytes.maximum,
      timeoutMs: ContextLimits.timeoutMs.maximum
    }),
    ({ appeals }) => appeals.map(({ appealId }) => appealId)
  )

/** Only sets with unchanged words, in one language, are also measured with typing errors. */
const isPlain = (name: string): boolean => /-[a-z]{2}$/u.test(name)

export const setFigures = Effect.fn("LanguageFigures.ofSet")(
  function* (
    { dataset, run }: ReadDataset,
    { engine, language, name }: Pick<SetFigures, "engine" | "name"> & { readonly language: string },
    { concurrency }: EvaluationPlan
  ) {
    if (dataset._tag === "Utterances") {
      const loaded = yield* loadUtterances(dataset, run)
      const figures = utteranceFigures(yield* askUtterances(dataset.questions, loaded, concurrency))
      const { questions } = figures
      return { name, engine, questions, "hit@1": figures["P@1"], "R@10": null, typed: {} }
    }
    const loaded = yield* loadConversations(dataset, run)
    const questions = loaded.flatMap((one) =>
      one.conversation.questions.map((question) => ({ loaded: one, question }))
    )
    const typings = isPlain(name) ? typingsOf(language) : []
    const requests = 1 + typings.reduce((sum, { times }) => sum + times, 0)
    yield* Console.error(`sending ${questions.length * requests} questions of ${name} …`)
    const counting = { concurrency }
    const ranked = yield* Effect.forEach(
      questions,
      ({ loaded, question }) => findQuestion(loaded, question, question.text),
      counting
    )
    const typed = yield* Effect.forEach(typings, (typing) =>
      Effect.map(
        Effect.forEach(
          questions.flatMap((pair) => variants(typing, pair.question).map((text) => ({ ...pair, text }))),
          ({ loaded, question, text }) => findQuestion(loaded, question, text),
          counting
        ),
        (found) => [typing.name, hitRate(found)] as const
      )
    )
    return {
      name,
      engine,
      questions: questions.length,
      "hit@1": hitRate(ranked),
      "R@10": mean(ranked.map(({ gold, ids }) => recallAt(RANKED, ids, gold))),
      typed: Object.fromEntries(typed)
    } satisfies SetFigures
  },
  (figures, _, __, { account, origin }) => Effect.provide(figures, clientLayer(origin, account))
)

const variants = ({ times, typed }: Typing, { text }: Question): ReadonlyArray<string> =>
  Array.from({ length: times }, (_, time) => typed(text, time))

const findQuestion = (loaded: LoadedConversation, question: Question, text: string) =>
  Effect.map(rankingOf(loaded, text), (ids) => ({
    ids,
    gold: new Set(question.evidence.flatMap((turn) => loaded.appealOfTurn.get(turn) ?? []))
  }))

const hitRate = (
  found: ReadonlyArray<{ readonly ids: ReadonlyArray<number>; readonly gold: ReadonlySet<number> }>
): number => mean(found.map(({ gold, ids }) => anyAt(1, ids, gold)))
