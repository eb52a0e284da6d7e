// The context read with slow, unavailable or changing sources (contract §3). Its ports answer from memory.
import type { UnavailableReason } from "@rapport/contract/Errors.ts"
import { AppealIndex } from "../../appeals/AppealIndex.ts"
import { assert, it } from "@effect/vitest"
import { permissions } from "@rapport/contract/Authorization.ts"
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { ANSWER_GRACE_MILLIS } from "@rapport/contract/Limits.ts"
import { Clock, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { hash } from "node:crypto"
import { AuditLog } from "../../audit/AuditLog.ts"
import { appealRow } from "../../testing/AppealRows.ts"
import { memoryNotReady } from "../../testing/MemoryFixtures.ts"
import { SourceUnavailable } from "../../failures/SourceUnavailable.ts"
import type { DocumentIndex } from "../../search/DocumentIndex.ts"
import { uuidOf } from "../../testing/PackFixtures.ts"
import { WaitedMillis } from "./ContextPlan.ts"
import { ContextReader } from "./ContextReader.ts"
import { ContextStore, type OpenedContext, type OpenedParts, type OpenNeeds } from "./ContextStore.ts"
import { Sha256 } from "../../json/Sha256.ts"
import { anySession } from "../../testing/SessionFixtures.ts"

const session = anySession({
  userId: 31,
  sessionId: uuidOf(1),
  roles: ["administrator"],
  permissions: new Set(permissions)
})
const at = "2026-10-05T10:00:00.000Z"

const nothing: OpenedParts = {
  state: null,
  actions: null,
  properties: null,
  conversations: null,
  interactions: null,
  quarantinedMemories: null,
  group: null
}
const openedOf = (parts: OpenedParts): OpenedContext => ({
  databaseAt: at,
  snapshot: "10:10:",
  capabilityEnabled: true,
  contextStoreReady: true,
  entityId: 501,
  parts
})
const opened = openedOf(nothing)
/** The answer of a store with a little of everything. */
const open = (needs: OpenNeeds): OpenedContext =>
  openedOf({
    ...nothing,
    state: needs.state
      ? {
          _tag: "Client",
          namespaces: [
            { id: uuidOf(2), namespace: "crm", version: 1, state: {}, leftBytes: null, updatedAt: at }
          ]
        }
      : null,
    properties: needs.properties ? [] : null,
    actions: needs.actions === null ? null : { rows: [], more: false },
    conversations: needs.conversations === null ? null : [],
    interactions: needs.interactions === null ? null : [],
    group: needs.group ? { subjectIds: [12], memberIds: [31] } : null
  })
type Store = ContextStore["Service"]
type Index = DocumentIndex

const recheckAll: Store["recheck"] = ({ candidateIds, wanted }) =>
  Effect.succeed({
    visibleIds: new Set(candidateIds),
    appeals: wanted.map(({ appealId }) => appealRow(appealId)),
    long: [],
    quarantined: []
  })
const searchFinds =
  (...appealIds: ReadonlyArray<number>): Index["search"] =>
  ({ limit, query }) =>
    Effect.succeed({
      candidates: appealIds.slice(0, limit).map((appealId, i) => ({
        documentId: appealId,
        score: query === null ? null : 1 - i / 100,
        passages: query === null ? [] : [{ messageId: appealId * 10, score: 0.5 }]
      })),
      more: appealIds.length > limit,
      readings: []
    })
const indexReady = { ready: true, lagMillis: 0, indexedAt: Date.parse(at) }
const unavailable = (reason: UnavailableReason) =>
  Effect.fail(new SourceUnavailable({ source: "search", reason }))

interface Parts {
  readonly store?: Partial<Store>
  readonly index?: Partial<Index>
}
const readerOf = ({ index, store }: Parts) =>
  ContextReader.layer.pipe(
    Layer.provide([
      Layer.succeed(ContextStore, {
        find: () => Effect.succeed([]),
        conversation: () => Effect.succeed(null),
        open: (_, __, needs) => Effect.succeed(open(needs)),
        recheck: recheckAll,
        confirm: () => Effect.succeed(true),
        ...store
      }),
      Layer.succeed(AppealIndex, {
        search: searchFinds(3, 2, 1),
        status: () => Effect.succeed(indexReady),
        ...index
      }),
      memoryNotReady,
      Layer.succeed(Sha256, { hex: (text) => hash("sha256", text, "hex") }),
      Layer.succeed(AuditLog, { append: () => Effect.void })
    ])
  )

const read = (
  request: Omit<ContextRequest, "scope"> & Partial<Pick<ContextRequest, "scope">>,
  parts: Parts = {}
) =>
  Effect.gen(function* () {
    const reader = yield* ContextReader
    const { text } = yield* reader.retrieve(
      session,
      { scope: { entity: "client", id: 501 }, ...request },
      "json"
    )
    return JSON.parse(text) as ContextPackJson
  }).pipe(Effect.provide(readerOf(parts)))
/** The read fails with an error that has these members. */
const expectRefusal = (expected: object, ...given: Parameters<typeof read>) =>
  Effect.map(Effect.flip(read(...given)), (error) => assert.deepInclude({ ...error }, expected))
const evidence = { targets: ["previous_client_appeals"] } as const satisfies Omit<ContextRequest, "scope">

/** Runs the effect while the test clock advances, and returns how long it took. */
const measure = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const ended = yield* Ref.make<number | undefined>(undefined)
    const fiber = yield* Effect.forkChild(
      Effect.onExit(effect, () =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.set(ended, now - start))
      )
    )
    for (let i = 0; i < 700 && (yield* Ref.get(ended)) === undefined; i++) yield* TestClock.adjust(10)
    const millis = yield* Ref.get(ended)
    return { value: yield* Fiber.join(fiber), millis: millis ?? Infinity }
  })

/** Never answers; records when it was interrupted. */
const hang = (interrupted: Ref.Ref<number>) =>
  Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (n) => n + 1))

const laggingIndex = (lagMillis: number): Partial<Index> => ({
  status: () => Effect.succeed({ ...indexReady, lagMillis })
})

it.effect("a source that is not ready is 503, also when the caller has no access", () =>
  Effect.gen(function* () {
    const denied: Partial<Store> = {
      open: () => Effect.succeed({ ...opened, entityId: null, capabilityEnabled: false })
    }
    yield* expectRefusal({ code: "SEARCH_UNAVAILABLE", reason: "capability_disabled" }, {}, { store: denied })
    const closed: Partial<Store> = { open: () => Effect.succeed({ ...opened, entityId: null }) }
    const index: Partial<Index> = { status: () => Effect.succeed({ ...indexReady, ready: false }) }
    yield* expectRefusal({ reason: "search_index_not_ready" }, evidence, { store: closed, index })
  })
)

it.effect("a search is interrupted when its result is not needed", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    yield* expectRefusal({ code: "ACCESS_DENIED" }, evidence, {
      store: { open: () => Effect.succeed({ ...opened, entityId: null }) },
      index: { search: () => hang(interrupted) }
    })
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Ref.get(interrupted), 1)
  })
)

it.effect.each([
  ["search_index_unavailable", { search: () => unavailable("search_index_unavailable") }],
  ["search_index_not_ready", { status: () => Effect.succeed({ ...indexReady, ready: false }) }],
  ["search_index_unavailable", { status: () => unavailable("search_index_unavailable") }]
] as ReadonlyArray<[UnavailableReason, Partial<Index>]>)(
  "an unavailable index is 503, and with allowPartial it makes the evidence unavailable: %s",
  ([reason, index]) =>
    Effect.gen(function* () {
      yield* expectRefusal({ code: "SEARCH_UNAVAILABLE", status: 503, reason }, evidence, { index })
      const pack = yield* read({ ...evidence, allowPartial: true }, { index })
      assert.deepInclude(pack.sections.evidence, { status: "unavailable", reason, appeals: [] })
      assert.deepInclude(pack.sections.evidence?.targets.previous_client_appeals, {
        status: "unavailable",
        reason,
        returned: 0
      })
      assert.deepInclude(pack.sections.state, { status: "available" })
      assert.deepStrictEqual(pack.coverage.reasons, ["source_unavailable"])
      assert.isTrue(pack.coverage.partial)
    })
)

it.effect("state, actions, properties, conversations and interactions do not need the search index", () =>
  Effect.gen(function* () {
    const index: Partial<Index> = {
      search: () => unavailable("search_index_unavailable"),
      status: () => unavailable("search_index_unavailable")
    }
    const pack = yield* read(
      { targets: ["previous_client_conversations", "recent_client_interactions"], actions: {} },
      { index }
    )
    assert.strictEqual(pack.sections.evidence?.status, "available")
    assert.isFalse(pack.coverage.partial)
    assert.deepStrictEqual([pack.coverage.asOf.index, pack.coverage.asOf.indexLagMs], [null, null])
  })
)

it.effect("an unavailable database is 503, also with allowPartial", () =>
  Effect.gen(function* () {
    const store: Partial<Store> = { open: () => unavailable("database_unavailable") }
    for (const allowPartial of [false, true])
      yield* expectRefusal({ reason: "database_unavailable" }, { allowPartial }, { store })
    const late: Partial<Store> = { confirm: () => unavailable("database_unavailable") }
    yield* expectRefusal({ reason: "database_unavailable" }, { allowPartial: true }, { store: late })
  })
)

it.effect("a context store that is not ready is 503 context_store_not_ready", () =>
  Effect.gen(function* () {
    const store: Partial<Store> = {
      open: (_, __, needs) => Effect.succeed({ ...open(needs), contextStoreReady: false })
    }
    yield* expectRefusal({ reason: "context_store_not_ready" }, {}, { store })
    const { actions, properties, state } = (yield* read({ actions: {}, allowPartial: true }, { store }))
      .sections
    const notReady = { status: "unavailable", reason: "context_store_not_ready" } as const
    assert.deepStrictEqual([state, actions], [notReady, notReady])
    assert.deepInclude(properties, { status: "available" })
  })
)

it.effect("relevant_client_memory is unavailable until its index is ready, other targets are not", () =>
  Effect.gen(function* () {
    const targets = ["relevant_client_memory", "previous_client_appeals"] as const
    yield* expectRefusal({ reason: "client_memory_not_ready" }, { targets })
    const pack = yield* read({ targets, allowPartial: true })
    assert.deepInclude(pack.sections.evidence, { status: "partial", reason: "client_memory_not_ready" })
    assert.deepStrictEqual(pack.sections.evidence?.targets.relevant_client_memory, {
      status: "unavailable",
      reason: "client_memory_not_ready",
      returned: 0,
      candidates: 0
    })
    assert.strictEqual(pack.sections.evidence?.appeals.length, 3)
    assert.deepStrictEqual(pack.coverage.reasons, ["client_memory_not_ready"])
  })
)

const slow = { ...evidence, timeoutMs: 1_000 }

it.effect("a deadline is 503 reason timeout within timeoutMs + 50 and cancels the search", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const { millis } = yield* measure(
      expectRefusal({ code: "SEARCH_UNAVAILABLE", reason: "timeout" }, slow, {
        index: { search: () => hang(interrupted) }
      })
    )
    assert.isAtMost(millis, 1_000 + ANSWER_GRACE_MILLIS)
    assert.strictEqual(yield* Ref.get(interrupted), 1)
  })
)

it.effect.each<readonly [string, (hanging: Effect.Effect<never>) => Parts]>([
  ["search", (hanging) => ({ index: { search: () => hanging } })],
  ["re-check in PostgreSQL", (hanging) => ({ store: { recheck: () => hanging } })]
])(
  "with allowPartial a deadline makes the evidence unavailable with reason timeout and cancels its %s",
  ([, parts]) =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(0)
      const { value, millis } = yield* measure(
        read({ ...slow, allowPartial: true }, parts(hang(interrupted)))
      )
      assert.deepInclude(value.sections.evidence, { status: "unavailable", reason: "timeout" })
      assert.deepStrictEqual(value.coverage.reasons, ["timeout"])
      assert.strictEqual(value.sections.state?.status, "available")
      assert.isBelow(millis, 1_000)
      assert.strictEqual(yield* Ref.get(interrupted), 1)
    })
)

it.effect("a section that hangs is unavailable while the others are available", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const store: Partial<Store> = {
      open: (_, __, needs) => (needs.actions === null ? Effect.succeed(open(needs)) : hang(interrupted))
    }
    const { value, millis } = yield* measure(
      read({ actions: {}, allowPartial: true, timeoutMs: 1_000 }, { store })
    )
    assert.deepStrictEqual(value.sections.actions, { status: "unavailable", reason: "timeout" })
    assert.deepInclude(value.sections.state, { status: "available" })
    assert.deepInclude(value.sections.properties, { status: "available" })
    assert.isBelow(millis, 1_000)
    // The statement of all sections, and then the statement of the actions.
    assert.strictEqual(yield* Ref.get(interrupted), 2)
  })
)

it.effect("a search without time left delays no other section of a pack", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    // The appeals of a group are searched after its sections, and these take all the time of the search.
    const store: Partial<Store> = {
      open: (_, __, needs) => (needs.properties ? hang(interrupted) : Effect.succeed(open(needs)))
    }
    const { value, millis } = yield* measure(
      read(
        {
          scope: { entity: "skill_group", id: 3 },
          sections: ["state", "properties", "evidence"],
          ...slow,
          allowPartial: true
        },
        { store, index: { search: () => hang(interrupted) } }
      )
    )
    assert.deepInclude(value.sections.evidence, { status: "unavailable", reason: "timeout" })
    assert.deepInclude(value.sections.properties, { status: "unavailable", reason: "timeout" })
    assert.deepInclude(value.sections.state, { status: "available" })
    assert.isAtMost(millis, 710)
  })
)

it.effect("time that the request waited before counts against its deadline", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const store: Partial<Store> = { open: () => hang(interrupted) }
    const { millis } = yield* measure(
      expectRefusal({ reason: "timeout" }, { timeoutMs: 1_000 }, { store }).pipe(
        Effect.provideService(WaitedMillis, 900)
      )
    )
    assert.isAtMost(millis, 100 + ANSWER_GRACE_MILLIS)
  })
)

it.effect("access that cannot be confirmed in time is 503 with reason timeout", () =>
  Effect.gen(function* () {
    const interrupted = yield* Ref.make(0)
    const store: Partial<Store> = { confirm: () => hang(interrupted) }
    const { millis } = yield* measure(
      expectRefusal({ reason: "timeout" }, { allowPartial: true, timeoutMs: 50 }, { store })
    )
    assert.isAtMost(millis, 50 + ANSWER_GRACE_MILLIS)
  })
)

it.effect("a source that ignores its cancellation does not delay the response", () =>
  Effect.gen(function* () {
    const stuck = Effect.uninterruptible(Effect.sleep("10 seconds")).pipe(
      Effect.andThen(unavailable("timeout"))
    )
    const { millis } = yield* measure(
      expectRefusal({ reason: "timeout" }, { timeoutMs: 1_000 }, { store: { open: () => stuck } })
    )
    assert.isAtMost(millis, 1_000 + ANSWER_GRACE_MILLIS)
  })
)

it.effect("explain names no hidden appeal, and the final access check covers everything it names", () =>
  Effect.gen(function* () {
    const confirmed: Array<ReadonlyArray<number>> = []
    const store: Partial<Store> = {
      recheck: (request) =>
        Effect.map(recheckAll(request), (seen) => ({
          ...seen,
          visibleIds: new Set(request.candidateIds.filter((id) => id !== 27 && id !== 25))
        })),
      confirm: ({ appealIds }) =>
        Effect.sync(() => {
          confirmed.push(appealIds)
          return true
        })
    }
    const pack = yield* read(
      {
        ...evidence,
        targets: ["relevant_appeals"],
        query: "возврат",
        topK: 1,
        minScore: 0.97,
        explain: true
      },
      { index: { search: searchFinds(30, 29, 27, 28, 26, 25) }, store }
    )
    assert.deepStrictEqual(
      pack.explain?.dropped.map(({ id, reason }) => [id, reason]),
      [
        ["29", "top_k"],
        ["28", "top_k"],
        ["26", "min_score"]
      ]
    )
    assert.deepStrictEqual(confirmed, [[30, 29, 28, 26]])
  })
)

it.effect("candidate_limit is reported for the target that has fewer appeals than topK", () =>
  Effect.gen(function* () {
    const tight = yield* read({ ...evidence, topK: 3, candidateLimit: 2 })
    assert.deepStrictEqual(tight.coverage.details, [
      { reason: "candidate_limit", section: "evidence", target: "previous_client_appeals" }
    ])
  })
)

it.effect("index_lag is reported when the oldest outbox entry is older than 5 s", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* read(evidence, { index: laggingIndex(5_000) })).coverage.reasons, [])
    const { coverage } = yield* read(evidence, { index: laggingIndex(5_001) })
    assert.deepStrictEqual(coverage.reasons, ["index_lag"])
    assert.deepStrictEqual(coverage.asOf, { database: at, index: at, indexLagMs: 5_001 })
  })
)
