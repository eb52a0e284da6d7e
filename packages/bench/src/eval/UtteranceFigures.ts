// Searches appeals of the same intent as each utterance, in the scope of their common subject.
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Console, Effect } from "effect"
import { ask } from "./Asking.ts"
import { sizeFigures } from "./ConversationFigures.ts"
import type { Utterances } from "./UtteranceFile.ts"
import type { LoadedUtterances } from "./Loading.ts"
import { mean, reciprocalRankAt } from "./Metrics.ts"

const RANKED = 8

export const askUtterances = Effect.fn("UtteranceFigures.askUtterances")(function* (
  questions: Utterances["questions"],
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
        // By rank: whether the appeal has the intent of the utterance.
        const relevant = answer.appeals.map(({ appealId }) => intentOfAppeal.get(appealId) === intent)
        return { relevant, answer }
      }),
    { concurrency }
  )
})

type AnsweredUtterance = Effect.Success<ReturnType<typeof askUtterances>>[number]

export const utteranceFigures = (answered: ReadonlyArray<AnsweredUtterance>) => ({
  _tag: "Utterances" as const,
  questions: answered.length,
  "P@1": mean(answered.map(({ relevant }) => (relevant[0] === true ? 1 : 0))),
  "MRR@8": mean(answered.map(({ relevant }) => reciprocalRankAt(RANKED, relevant))),
  partial: answered.filter(({ answer }) => answer.reasons.length > 0).length,
  ...sizeFigures(answered.map(({ answer }) => answer))
})
export type UtteranceFigures = ReturnType<typeof utteranceFigures>
