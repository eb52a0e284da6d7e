// Searches appeals of the same intent as each utterance, in the scope of their common subject.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Console, Effect } from "effect"
import { type Answered, ask } from "./Asking.ts"
import { sizeFigures, type SizeFigures } from "./ConversationFigures.ts"
import type { Utterance } from "./Dataset.ts"
import type { LoadedUtterances } from "./Loading.ts"
import { mean, reciprocalRankAt } from "./Metrics.ts"

export interface AnsweredUtterance {
  /** By rank: whether the appeal has the intent of the utterance. */
  readonly relevant: ReadonlyArray<boolean>
  readonly answer: Answered
}

const RANKED = 8

export const askUtterances = Effect.fn("UtteranceFigures.ask")(function* (
  questions: ReadonlyArray<Utterance>,
  { intentOfAppeal, subjectId }: LoadedUtterances,
  concurrency: number
) {
  yield* Console.error(`sending ${questions.length} questions …`)
  return yield* Effect.forEach(
    questions,
    ({ intent, text }) =>
      Effect.gen(function* () {
        const answer = yield* ask({
          scope: { entity: "subject", id: subjectId },
          targets: ["relevant_subject_appeals"],
          query: text,
          topK: RANKED,
          timeoutMs: ContextLimits.timeoutMs.maximum
        })
        const relevant = answer.appeals.map(({ appealId }) => intentOfAppeal.get(appealId) === intent)
        return { relevant, answer }
      }),
    { concurrency }
  )
})

export interface UtteranceFigures extends SizeFigures {
  readonly _tag: "Utterances"
  readonly questions: number
  readonly "P@1": number
  readonly "MRR@8": number
  readonly partial: number
}

export const utteranceFigures = (answered: ReadonlyArray<AnsweredUtterance>): UtteranceFigures => ({
  _tag: "Utterances",
  questions: answered.length,
  "P@1": mean(answered.map(({ relevant }) => (relevant[0] === true ? 1 : 0))),
  "MRR@8": mean(answered.map(({ relevant }) => reciprocalRankAt(RANKED, relevant))),
  partial: answered.filter(({ answer }) => answer.reasons.length > 0).length,
  ...sizeFigures(answered.map(({ answer }) => answer))
})
