import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { program } from "../Repository.ts"
import { type Access, clientLayer } from "./Access.ts"
import { startEngine } from "./Engines.ts"
import { evaluate } from "./Evaluation.ts"
import { loadUtterances } from "./Loading.ts"
import { readDataset } from "./Sets.ts"

class Service extends Context.Service<Service, Access>()("@rapport/bench/Evaluation.int.test/Service") {}
const service = Layer.effect(Service, Effect.orDie(startEngine()))

/** Slightly below the measured figures of our own set. A worse ranking falls below them. */
const floors = { hit: 0.72, ndcg: 0.76, snippet: 0.54, precision: 0.88, reciprocal: 0.9 }

const evaluateFile = Effect.fnUntraced(function* (file: string) {
  const read = yield* readDataset(program(`packages/bench/data/${file}`))
  return yield* evaluate(read, yield* Service, 2)
})

// Ranking.int.test.ts compares the engines.
layer(service, { excludeTestServices: true, timeout: 120_000 })(
  "our own evaluation set (docs/retrieval-figures.md)",
  (it) => {
    it.effect("finds the sessions that answer questions in three languages", () =>
      Effect.gen(function* () {
        const figures = yield* evaluateFile("support.json")
        assert(figures._tag === "Conversations")
        const { budgets, forms, overall, partial, skipped } = figures
        assert.deepStrictEqual(
          { partial, skipped, questions: overall.questions },
          { partial: 0, skipped: 0, questions: 68 }
        )
        assert.isAtLeast(overall["R@1"], floors.hit)
        assert.isAtLeast(overall["NDCG@10"], floors.ndcg)
        assert.isAtLeast(overall["snippet hit"], floors.snippet)
        const at = (form: string, tokenBudget: number) =>
          budgets.find((one) => one.form === form && one.tokenBudget === tokenBudget)
        const whole = at("json", 8_000)?.["R@10"] ?? 1
        assert.isAtLeast(at("markdown", 2_000)?.["R@10"] ?? 0, whole)
        assert.isAtLeast(at("markdown", 1_000)?.["R@10"] ?? 0, 0.85 * whole)
        assert.isAbove(forms.packs, 10)
        assert.isAtMost(forms.tokensShare, 0.3)
        assert.strictEqual(forms.factsLost, 0)
      })
    )

    it.effect("finds utterances of the same intent among all of one subject", () =>
      Effect.gen(function* () {
        const figures = yield* evaluateFile("support.csv")
        assert(figures._tag === "Utterances")
        assert.strictEqual(figures.questions, 18)
        assert.isAtLeast(figures["P@1"], floors.precision)
        assert.isAtLeast(figures["MRR@8"], floors.reciprocal)
      })
    )

    it.effect("loads nothing twice when it is repeated", () =>
      Effect.gen(function* () {
        const access = yield* Service
        const { dataset, run } = yield* readDataset(program("packages/bench/data/support.csv"))
        assert(dataset._tag === "Utterances")
        const loading = Effect.provide(loadUtterances(dataset.stored, run), clientLayer(access))
        assert.deepStrictEqual(yield* loading, yield* loading)
      })
    )
  }
)
