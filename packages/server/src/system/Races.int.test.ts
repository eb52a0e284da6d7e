// Races over HTTP between two server processes on one database: contract §1.3, §4, §5.
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { selectedCount } from "../postgres/sql/Query.ts"
import { faultsIn, type RecordedOperation } from "../testing/Linearizable.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"
import type { HttpAnswer, HttpRequest } from "../testing/WriterFixtures.ts"

/** On a slow machine a storm can wait for the database too long. A caller then repeats the request (docs/retrying.md). */
const isAnswered = ({ code }: HttpAnswer): boolean => code !== "SEARCH_UNAVAILABLE"

/** Two processes, which get requests alternately. */
class Two extends Context.Service<
  Two,
  {
    readonly call: (sent: HttpRequest) => Effect.Effect<HttpAnswer>
    /** To the one or the other, by whether `n` is even. */
    readonly to: (n: number, sent: HttpRequest) => Effect.Effect<HttpAnswer>
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
      Effect.orDie(
        eventually(services[n % 2 === 0 ? 0 : 1].send({ ...sent, login: "integrator" }), isAnswered)
      )
    return Two.of({
      call: (sent) => to(1, sent),
      to,
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
const statePath = (namespace: string) => `/kw/clients/501/context/state/${namespace}`
const sessions = "/kw/context/sessions"

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

    it.effect("concurrent reads and writes of one state in two processes are linearizable", () =>
      Effect.gen(function* () {
        const { to } = yield* Two
        const path = statePath(`line.${randomUUID().slice(0, 8)}`)
        const history: Array<RecordedOperation> = []
        const client = Effect.fnUntraced(function* (client: number) {
          let expected = 0
          for (let turn = 0; turn < 25; turn++) {
            const value = `${client}.${turn}`
            // Every third one reads; writers use the version that they saw last, even if others have written since.
            const reads = turn % 3 === 2
            const sent = reads
              ? { path }
              : {
                  path,
                  method: "PUT",
                  key: randomUUID(),
                  body: { expectedVersion: expected, state: { value } }
                }
            const called = performance.now()
            const { body, status } = yield* to(client + turn, sent)
            const answered = performance.now()
            const [kind, version, read] = reads
              ? (["read", status === 404 ? 0 : body.version, body.state?.value ?? null] as const)
              : status === 200
                ? (["won", body.state.version, value] as const)
                : (["lost", body.currentVersion, value] as const)
            history.push({ kind, version, expected, value: read, called, answered })
            expected = version
          }
        })
        yield* Effect.forEach(
          Array.from({ length: 12 }, (_, n) => n),
          client,
          { concurrency: "unbounded" }
        )
        assert.strictEqual(history.length, 300)
        for (const kind of ["won", "lost"])
          assert.isAbove(history.filter((one) => one.kind === kind).length, 20)
        assert.deepStrictEqual(faultsIn(history), [])
        // The same history without one acknowledged write, or with a stale read at its end, is not linearizable.
        const dropped = history.find(({ kind }) => kind === "won")
        assert.isNotEmpty(faultsIn(history.filter((one) => one !== dropped)))
        const stale = { kind: "read", version: 0, expected: 0, value: null, called: Infinity } as const
        assert.isNotEmpty(faultsIn([...history, { ...stale, answered: Infinity }]))
      })
    )

    it.effect("an action whose stateUpdate loses leaves no action, receipt or version", () =>
      Effect.gen(function* () {
        const { storm } = yield* Two
        const [namespace, summary, prefix] = [`with.${randomUUID().slice(0, 8)}`, randomUUID(), randomUUID()]
        const got = yield* storm(32, (n) => ({
          path: actions,
          key: `${prefix}-${n}`,
          body: { ...action, summary, stateUpdate: { namespace, expectedVersion: 0, state: { n } } }
        }))
        assert.deepStrictEqual(tally(got), { 201: 1, "409 VERSION_CONFLICT": 31 })
        assert.strictEqual(yield* countOf("client_actions", "summary", summary), 1)
        assert.strictEqual(yield* countOf("receipts", "key", `${prefix}%`), 1)
        assert.strictEqual(yield* countOf("client_state_history", "namespace", namespace), 1)
      })
    )

    it.effect("messages of many concurrent writers have one gapless order", () =>
      Effect.gen(function* () {
        const { call, storm } = yield* Two
        const session = (yield* call({ path: sessions, body: { clientId: 501 } })).body.session.id as string
        const path = `${sessions}/${session}/messages`
        const got = yield* storm(120, (n) => ({
          path,
          // Every fourth one comes twice.
          ...(n % 4 < 2 ? { key: `${session}-${n >> 2}` } : {}),
          body: { role: "client", content: n % 4 < 2 ? `двічі ${n >> 2}` : `раз ${n}` }
        }))
        assert.deepStrictEqual(tally(got), { 200: 30, 201: 90 })
        const sequences = new Map(
          got.map(({ body }) => [body.message.id as string, body.message.sequence as number])
        )
        assert.deepStrictEqual(
          [...sequences.values()].toSorted((a, b) => a - b),
          Array.from({ length: 90 }, (_, n) => n + 1)
        )
        const read = yield* call({ path: `${path}?limit=100` })
        assert.deepStrictEqual(
          read.body.data.map((m: { id: string; sequence: number }) => [m.id, m.sequence]),
          [...sequences].toSorted(([, a], [, b]) => a - b)
        )
        assert.strictEqual((yield* call({ path: `${sessions}/${session}` })).body.messageCount, 90)
      })
    )

    it.effect("a session is opened once per external id and accepts nothing once it is closed", () =>
      Effect.gen(function* () {
        const { call, storm } = yield* Two
        const externalSessionId = randomUUID()
        const opened = yield* storm(40, () => ({
          path: sessions,
          body: { clientId: 501, externalSessionId }
        }))
        assert.deepStrictEqual(tally(opened), { 200: 39, 201: 1 })
        assert.strictEqual(different(opened.map(({ body }) => body.session.id)), 1)
        const id = opened[0]?.body.session.id as string
        const got = yield* storm(60, (n) =>
          n % 20 === 19
            ? { path: `${sessions}/${id}/close`, method: "POST", body: { reason: "досить" } }
            : { path: `${sessions}/${id}/messages`, body: { role: "tool", content: `${n}` } }
        )
        const added = got.filter(({ status }) => status === 201)
        const counts = tally(got)
        assert.strictEqual((counts["201"] ?? 0) + (counts["409 SESSION_CLOSED"] ?? 0), 57)
        assert.strictEqual(counts["200"], 3)
        const closings = got.filter(({ status }) => status === 200)
        assert.strictEqual(closings.filter(({ body }) => !body.replayed).length, 1)
        assert.strictEqual(different(closings.map(({ body }) => body.session.closedAt)), 1)
        // What was acknowledged before the end is there, and the closed session counted it.
        const after = (yield* call({ path: `${sessions}/${id}` })).body
        assert.strictEqual(after.messageCount, added.length)
        for (const { body } of closings) assert.strictEqual(body.session.messageCount, added.length)
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
