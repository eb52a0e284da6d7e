// A data set against one service: read, loaded, asked, summed up.
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

/** A file as a data set, and what tells its data apart from others in an instance. */
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
  /** Questions that are asked at once. */
  readonly atOnce: number
}

/** Loads and asks; what the instance holds besides stays untouched and takes no part. */
export const evaluate = Effect.fn("Evaluation.evaluate")(
  function* ({ dataset, run }: ReadDataset, { atOnce }: EvaluationPlan) {
    if (dataset._tag === "Conversations") {
      const loaded = yield* loadConversations(dataset, run)
      return conversationFigures(yield* askConversations(loaded, atOnce), dataset.skipped)
    }
    const loaded = yield* loadUtterances(dataset, run)
    return utteranceFigures(yield* askUtterances(dataset.asked, loaded, atOnce))
  },
  (figures, _, { account, origin }) => Effect.provide(figures, clientLayer(origin, account))
)
