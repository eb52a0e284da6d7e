// Evaluates one data set against one service.
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type Account, clientLayer } from "./Account.ts"
import { conversationsOf } from "./ConversationFile.ts"
import { askConversations, type ConversationFigures, conversationFigures } from "./ConversationFigures.ts"
import { type Dataset, DatasetInvalid } from "./Dataset.ts"
import { loadConversations, loadUtterances, runOf } from "./Loading.ts"
import { utterancesOf } from "./UtteranceFile.ts"
import { askUtterances, type UtteranceFigures, utteranceFigures } from "./UtteranceFigures.ts"

export type Figures = ConversationFigures | UtteranceFigures

/** A data set, and the id that distinguishes its data from others in an instance. */
export interface ReadDataset {
  readonly name: string
  readonly run: string
  readonly dataset: Dataset
}

/** `.csv` holds utterances, `.json` conversations. */
export const readDataset = Effect.fn("Evaluation.read")(function* (
  file: string
): Effect.fn.Return<ReadDataset, DatasetInvalid> {
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) =>
      new DatasetInvalid({ file, violations: [{ place: "", message: `cannot be read: ${String(error)}` }] })
  })
  const name = path.basename(file)
  const run = runOf(text)
  switch (path.extname(file).toLowerCase()) {
    case ".csv":
      return { name, run, dataset: yield* utterancesOf(file, text) }
    case ".json":
      return { name, run, dataset: yield* conversationsOf(file, text) }
    default:
      return yield* new DatasetInvalid({
        file,
        violations: [{ place: "", message: "must be named .json or .csv" }]
      })
  }
})

export interface EvaluationPlan {
  readonly origin: string
  readonly account: Account
  /** Questions in parallel. */
  readonly concurrency: number
}

/** Loads the data and sends the questions. Other data of the instance is neither changed nor searched. */
export const evaluate = Effect.fn("Evaluation.evaluate")(
  function* ({ dataset, run }: ReadDataset, { concurrency }: EvaluationPlan) {
    if (dataset._tag === "Conversations") {
      const loaded = yield* loadConversations(dataset, run)
      return conversationFigures(yield* askConversations(loaded, concurrency), dataset.skipped)
    }
    const loaded = yield* loadUtterances(dataset, run)
    return utteranceFigures(yield* askUtterances(dataset.questions, loaded, concurrency))
  },
  (figures, _, { account, origin }) => Effect.provide(figures, clientLayer(origin, account))
)
