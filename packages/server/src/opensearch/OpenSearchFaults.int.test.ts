// Answers over HTTP when OpenSearch fails, with the real server (contract §3.2, §3.4).
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type FaultyProxy, faultyProxy, type ProxyFault } from "../testing/FaultyProxy.ts"
import {
  askOpenSearch,
  OpenSearchAt,
  OpenSearchFixtures,
  OwnNode,
  startNodeOn,
  whyNoOwnNode
} from "../testing/OpenSearchFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { readinessOf, RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"
import type { HttpAnswer } from "../testing/WriterFixtures.ts"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"

if (whyNoOwnNode !== undefined) console.warn(`SKIPPED: faults of OpenSearch are not tested: ${whyNoOwnNode}`)

class Proxy extends Context.Service<Proxy, FaultyProxy>()("test/Proxy") {}

const TIMEOUT_MILLIS = 2_000

const readiness = Effect.flatMap(RunningServer, readinessOf)

const read = Effect.fnUntraced(function* (allowPartial: boolean) {
  const { send } = yield* RunningServer
  return yield* send({
    path: "/kw/chatrooms/context/retrieve",
    body: {
      scope: { entity: "client", id: 501 },
      sections: ["state", "evidence"],
      targets: ["relevant_appeals"],
      query: "рахунок за інтернет",
      timeoutMs: TIMEOUT_MILLIS,
      allowPartial
    }
  })
})

/** Ids of the found appeals; undefined without available evidence. */
const appealsOf = ({ body, status }: HttpAnswer): ReadonlyArray<number> | undefined =>
  status === 200 && body.sections.evidence.status === "available"
    ? body.sections.evidence.appeals.map(({ appealId }: { appealId: number }) => appealId)
    : undefined

const ready = eventually(readiness, (found) => found.searchIndex === "ready" && found.indexLagMs === 0)
/** The result without a fault. */
const found = eventually(Effect.map(read(false), appealsOf), (ids) => ids !== undefined)

/** Both reads answer while the engine is broken, and never show a part for the whole. */
const broken = Effect.fnUntraced(function* (reasons: ReadonlyArray<string>) {
  const strict = yield* read(false)
  assert.strictEqual(strict.status, 503)
  assert.include(reasons, strict.body.reason)
  const partial = yield* read(true)
  assert.strictEqual(partial.status, 200)
  const { coverage, sections } = partial.body
  assert.strictEqual(sections.evidence.status, "unavailable")
  assert.isDefined(sections.state)
  const expected = sections.evidence.reason === "timeout" ? "timeout" : "source_unavailable"
  assert.deepStrictEqual(coverage.reasons, [expected])
})

const UNAVAILABLE = ["search_index_unavailable", "timeout"]

const service = Layer.unwrap(
  Effect.map(Proxy, ({ url }) => ServerFixtures.running({ OPENSEARCH_URL: url }))
).pipe(
  Layer.provideMerge(
    Layer.effect(
      Proxy,
      Effect.flatMap(OpenSearchAt, ({ url }) => faultyProxy(url))
    )
  )
)

const live = { excludeTestServices: true, timeout: "180 seconds" } as const

const search = /_search/u
const faults: ReadonlyArray<readonly [string, ProxyFault, RegExp | undefined]> = [
  ["that is slow", { _tag: "Slow", millis: 60_000 }, undefined],
  ["that never answers", { _tag: "Silent" }, undefined],
  [
    "that answers 429",
    { _tag: "Status", status: 429, body: '{"error":{"type":"rejected"},"status":429}' },
    undefined
  ],
  ["that answers 503", { _tag: "Status", status: 503, body: "<html>no server</html>" }, undefined],
  ["whose answer is no JSON", { _tag: "Body", change: (body) => body.slice(0, -9) }, search],
  ["whose answer has another shape", { _tag: "Status", status: 200, body: '{"took":1,"hits":[]}' }, search],
  [
    "of which a shard failed",
    { _tag: "Body", change: (body) => body.replace(/"failed":0/u, '"failed":1') },
    search
  ],
  [
    "that ran out of time",
    { _tag: "Body", change: (body) => body.replace('"timed_out":false', '"timed_out":true') },
    search
  ],
  [
    "that names documents of another instance",
    { _tag: "Body", change: (body) => body.replaceAll('"instance":["1"]', '"instance":["2"]') },
    search
  ]
]

describe.skipIf(whyNoOwnNode !== undefined)("faults of OpenSearch", () => {
  layer(service.pipe(Layer.provideMerge(OpenSearchFixtures.own)), live)("seen by callers", (it) => {
    for (const [name, fault, only] of faults) {
      it.effect(
        `an engine ${name} gives 503 or a pack without evidence in time, and recovers`,
        () =>
          Effect.gen(function* () {
            yield* ready
            const before = yield* found
            const proxy = yield* Proxy
            proxy.set(fault, only)
            yield* broken(UNAVAILABLE)
            proxy.set(undefined)
            assert.deepStrictEqual(yield* found, before)
          }),
        120_000
      )
    }

    it.effect(
      "an engine that is stopped (SIGSTOP) delays no request, and is used again when it continues",
      () =>
        Effect.gen(function* () {
          yield* ready
          const before = yield* found
          const { process } = yield* OwnNode
          process.kill("SIGSTOP")
          yield* broken(UNAVAILABLE)
          yield* eventually(readiness, ({ searchIndex }) => searchIndex === "not_ready")
          process.kill("SIGCONT")
          assert.deepStrictEqual(yield* found, before)
        }),
      120_000
    )

    it.effect(
      "a deleted index is rebuilt and reported as not ready until then",
      () =>
        Effect.gen(function* () {
          yield* ready
          const before = yield* found
          yield* askOpenSearch("DELETE", `rapport-evidence-${EVIDENCE_FORMAT}-0*`)
          const answer = yield* read(false)
          // It may be whole again already, or its new shards may not be there yet.
          if (appealsOf(answer) === undefined) {
            assert.strictEqual(answer.status, 503)
            assert.include(["search_index_not_ready", ...UNAVAILABLE], answer.body.reason)
          }
          yield* ready
          assert.deepStrictEqual(yield* found, before)
        }),
      120_000
    )

    it.effect(
      "a foreign index under our name is left unchanged, and the service recovers when it is gone",
      () =>
        Effect.gen(function* () {
          yield* ready
          const before = yield* found
          const index = `rapport-evidence-${EVIDENCE_FORMAT}`
          const foreign = { mappings: { properties: { appeal: { type: "boolean" } } } }
          // The first one recreates the index: repeated until the other has taken the name.
          yield* eventually(
            Effect.andThen(askOpenSearch("DELETE", `${index}-0*`), askOpenSearch("PUT", index, foreign)),
            (text) => text.includes('"acknowledged":true')
          )
          yield* broken([...UNAVAILABLE, "search_index_not_ready"])
          yield* eventually(readiness, ({ searchIndex }) => searchIndex === "not_ready")
          yield* askOpenSearch("DELETE", index)
          yield* ready
          assert.deepStrictEqual(yield* found, before)
        }),
      120_000
    )

    it.effect(
      "an engine that is killed keeps its index and is used again within 5 s of its return",
      () =>
        Effect.gen(function* () {
          yield* ready
          const before = yield* found
          const { end, folder, port, process } = yield* OwnNode
          process.kill("SIGKILL")
          yield* Effect.promise(() => end)
          yield* broken(UNAVAILABLE)
          yield* startNodeOn(folder, port)
          assert.deepStrictEqual(yield* found, before)
        }),
      150_000
    )
  })
})
