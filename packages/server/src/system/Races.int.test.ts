// Races of equal commands over HTTP between two server processes on one database: contract §1.3, §4, §5. Crash.int.test.ts checks
// different commands.
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { selectedCount } from "../postgres/sql/Query.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"
import type { HttpAnswer, HttpRequest } from "../testing/WriterFixtures.ts"

/** Two processes, which get requests alternately. */
class Two extends Context.Service<
  Two,
  {
    readonly call: (sent: HttpRequest) => Effect.Effect<HttpAnswer>
    /** Sends all concurrently, alternately to both. */
    readonly storm: (
      count: number,
      make: (n: number) => HttpRequest
    ) => Effect.Effect<ReadonlyArray<HttpAnswer>>
  }
>()("server/races/Two") {}

const twoLayer = Layer.effect(
  Two,
  Effect.gen(function* () {
    const services = yield* Effect.all([startOnShared(), startOnShared()], { concurrency: 2 })
    const to = (n: number, sent: HttpRequest) =>
      services[n % 2 === 0 ? 0 : 1].send({ ...sent, login: "integrator" })
    return Two.of({
      call: (sent) => to(1, sent),
      storm: (count, make) =>
        Effect.forEach(
          Array.from({ length: count }, (_, n) => n),
          (n) => to(n, make(n)),
          { concurrency: "unbounded" }
        )
    })
  })
)

const actions = "/kw/clients/501/context/actions"
const action = { type: "order.created", occurredAt: "2026-03-01T08:00:00Z", actorType: "client" }

const tally = (all: ReadonlyArray<HttpAnswer>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { code, status } of all) {
    const name = code === undefined ? String(status) : `${status} ${code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
const different = (values: ReadonlyArray<unknown>): number => new Set(values.map(String)).size
/** The number of rows of a table whose column is like the pattern. */
const countOf = Effect.fnUntraced(function* (table: string, column: string, pattern: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* selectedCount(
    sql`select count(*)::float8 as count from ${sql(table)} where ${sql(column)} like ${pattern}`
  )
})

layer(twoLayer.pipe(Layer.provideMerge(SharedDatabaseFixtures.layer)), { excludeTestServices: true })(
  "two server processes on one database",
  (it) => {
    it.effect("50 equal concurrent posts to two processes have one effect and the same answer", () =>
      Effect.gen(function* () {
        const { storm } = yield* Two
        const [key, summary] = [randomUUID(), randomUUID()]
        const got = yield* storm(50, () => ({ path: actions, key, body: { ...action, summary } }))
        assert.deepStrictEqual(tally(got), { 200: 49, 201: 1 })
        assert.strictEqual(different(got.map(({ body }) => body.receipt.id)), 1)
        assert.strictEqual(different(got.map(({ text }) => text.replace(/"replayed":(true|false)/u, ""))), 1)
        for (const { body, replayed, status } of got) {
          assert.strictEqual(body.replayed, status === 200)
          assert.strictEqual(replayed, status === 200)
        }
        assert.strictEqual(yield* countOf("client_actions", "summary", summary), 1)
        assert.strictEqual(yield* countOf("receipts", "key", key), 1)
      })
    )

    it.effect("200 keys with one externalEventId write one row, and every key is bound to it", () =>
      Effect.gen(function* () {
        const { storm } = yield* Two
        const [externalEventId, prefix] = [randomUUID(), randomUUID()]
        const actionWrite = (n: number) => ({
          path: actions,
          key: `${prefix}-${n}`,
          body: { ...action, externalEventId, source: "shop", actorType: "operator", actorId: 31 }
        })
        const got = yield* storm(200, actionWrite)
        assert.deepStrictEqual(tally(got), { 200: 199, 201: 1 })
        assert.strictEqual(different(got.map(({ body }) => body.action.id)), 1)
        assert.strictEqual(different(got.map(({ body }) => body.receipt.id)), 1)
        assert.strictEqual(
          got.filter(({ body }) => body.replayed && body.dedupedBy === "externalEventId").length,
          199
        )
        assert.strictEqual(yield* countOf("client_actions", "external_event_id", externalEventId), 1)
        const sql = yield* SqlClient.SqlClient
        const answered = sql`select count(*)::float8 as count from receipts
          where key like ${`${prefix}%`} and answer is not null`
        assert.strictEqual(yield* selectedCount(answered), 200)
        const again = yield* storm(20, actionWrite)
        assert.deepStrictEqual(tally(again), { 200: 20 })
      })
    )

    it.effect("equal concurrent import batches are one batch with each item once", () =>
      Effect.gen(function* () {
        const { call, storm } = yield* Two
        const [key, source] = [randomUUID(), randomUUID()]
        const items = Array.from({ length: 60 }, (_, n) => ({
          kind: "action",
          clientId: 501,
          externalId: `a-${n}`,
          data: action
        }))
        const got = yield* storm(20, () => ({
          path: "/kw/context/import-batches",
          key,
          body: { source, items }
        }))
        const counts = tally(got)
        assert.isAtMost(counts["201"] ?? 0, 1)
        assert.strictEqual(
          (counts["200"] ?? 0) + (counts["201"] ?? 0) + (counts["409 IDEMPOTENCY_IN_PROGRESS"] ?? 0),
          20,
          JSON.stringify(counts)
        )
        assert.strictEqual(different(got.map(({ body }) => body.batch?.id ?? body.batchId)), 1)
        const last = yield* call({ path: "/kw/context/import-batches", key, body: { source, items } })
        assert.deepInclude(last.body.batch, { status: "completed", total: 60, succeeded: 60, failed: 0 })
        assert.strictEqual(yield* countOf("client_actions", "source", source), 60)
      })
    )
  }
)
