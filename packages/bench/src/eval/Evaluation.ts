// Evaluates one data set against one service.
import { Effect } from "effect"
import { type Access, clientLayer } from "./Access.ts"
import { askConversations, conversationFigures } from "./ConversationFigures.ts"
import { loadConversations, loadUtterances } from "./Loading.ts"
import type { ReadDataset } from "./Sets.ts"
import { askUtterances, utteranceFigures } from "./UtteranceFigures.ts"

/** Loads the data and sends the questions, some in parallel. Other data of the instance is neither changed nor searched. */
export const evaluate = Effect.fn("Evaluation.evaluate")(
  function* ({ dataset, language, name, run }: ReadDataset, _: Access, concurrency: number) {
    if (dataset._tag === "Utterances") {
      const loaded = yield* loadUtterances(dataset.stored, run)
      return utteranceFigures(yield* askUtterances(dataset.questions, loaded, concurrency))
    }
    const loaded = yield* loadConversations(dataset.conversations, run)
    // Only sets with unchanged words, in one language, are also measured with typing errors.
    const typedIn = name.endsWith(`-${language}`) ? language : ""
    return conversationFigures(yield* askConversations(loaded, typedIn, concurrency), dataset.skipped)
  },
  (figures, _, access) => Effect.provide(figures, clientLayer(access))
)
export type Figures = Effect.Success<ReturnType<typeof evaluate>>
