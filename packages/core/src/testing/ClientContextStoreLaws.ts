// The promises of contract §4 as laws for a store of actions and states.
import {
  ActionRegistered,
  type ClientAction,
  StateWritten
} from "@rapport/contract/clients/ClientContextApi.ts"
import { assert, layer } from "@effect/vitest"
import { CLIENT_NAMESPACES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Effect, type Layer, Result, Schema } from "effect"
import { ClientContextStore } from "../clients/ClientContextStore.ts"
import { actionWrite, putState, stateWrite, writeOne } from "./ClientWriteFixtures.ts"
import type { WriteStores } from "./WriteWorld.ts"
import { type World, WriteWorld } from "./WriteWorld.ts"

/** Registers an action of an external event. */
const register = Effect.fnUntraced(function* (
  world: World,
  members: Partial<ClientAction>,
  options: Parameters<typeof actionWrite>[2] = {}
) {
  const write = yield* actionWrite(world, members, options)
  return { write, outcome: yield* writeOne(world, write) }
})
const tagOf = (world: World, members: Partial<ClientAction>, options?: Parameters<typeof actionWrite>[2]) =>
  Effect.map(register(world, members, options), ({ outcome }) => outcome._tag)

const targetOf = ({ clientIds, session }: World, namespace = "crm") => ({
  instanceId: session.instanceId,
  clientId: clientIds[0],
  namespace
})
const change = (expected: number | null, state: Readonly<Record<string, unknown>>, now = 1_000) => ({
  expected,
  state,
  now
})

/** Registers the laws for one implementation. */
export const clientContextStoreLaws = <E>(name: string, stores: Layer.Layer<WriteStores, E>): void =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`ClientContextStore: ${name}`, (it) => {
    it.effect(
      "an external event is written once, and a repeat gets the first action, receipt and state",
      () =>
        Effect.gen(function* () {
          const world = yield* (yield* WriteWorld).fresh
          const event = { externalEventId: "e-1", source: "shop" }
          const state = {
            namespace: "crm",
            expectedVersion: 0,
            mode: "replace" as const,
            state: { tier: "gold" },
            updatedAt: 1_000
          }
          const first = yield* register(world, event, { state, key: "k-1" })
          const done = first.outcome
          if (done._tag !== "Done") return assert.fail(done._tag)
          assert.deepInclude(done.state, { version: 1, state: { tier: "gold" }, updatedAt: 1_000 })
          for (const key of ["k-2", "k-2", "k-3"]) {
            const { outcome } = yield* register(world, event, { key, command: "another" })
            if (outcome._tag !== "Replayed") return assert.fail(outcome._tag)
            const answer = yield* Schema.decodeUnknownEffect(Schema.toCodecJson(ActionRegistered))(
              outcome.answer
            )
            assert.deepStrictEqual(answer, {
              receipt: first.write.prepared.receipt,
              dedupedBy: "externalEventId",
              action: first.write.action?.members ?? assert.fail("an action"),
              state: done.state ?? assert.fail("a state")
            })
          }
          // The repeat left a receipt, so its key is in use.
          assert.strictEqual(yield* tagOf(world, {}, { key: "k-2", command: "third" }), "KeyReused")
          assert.strictEqual(yield* tagOf(world, event, { event: "other content" }), "EventConflict")
        })
    )

    it.effect("events without a source have the same source, and an action without event is always new", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        assert.strictEqual(yield* tagOf(world, { externalEventId: "e-1" }), "Done")
        assert.strictEqual(yield* tagOf(world, { externalEventId: "e-1" }), "Replayed")
        assert.strictEqual(yield* tagOf(world, {}), "Done")
        assert.strictEqual(yield* tagOf(world, {}), "Done")
      })
    )

    it.effect("an event belongs to its instance, client and source", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const world = yield* fresh
        const event = { externalEventId: "e-1", source: "shop" }
        for (const [where, members] of [
          [world, event],
          [world, { ...event, source: "desk" }],
          [world, { ...event, source: null }],
          [world, { ...event, externalEventId: "E-1" }],
          [world, { ...event, clientId: world.clientIds[1] }],
          [yield* fresh, event]
        ] as const)
          assert.strictEqual(yield* tagOf(where, members), "Done")
      })
    )

    it.effect("a repeat with the same key gets the stored answer and writes nothing", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* ClientContextStore
        const first = yield* putState(world, { ...change(0, { a: 1 }), key: "k" })
        const again = yield* writeOne(world, yield* stateWrite(world, { ...change(0, { a: 1 }), key: "k" }))
        if (again._tag !== "Replayed") return assert.fail(again._tag)
        const answer = yield* Schema.decodeUnknownEffect(Schema.toCodecJson(StateWritten))(again.answer)
        assert.deepStrictEqual(answer.state, first)
        const other = yield* stateWrite(world, { ...change(1, { a: 2 }), key: "k", command: "other" })
        assert.deepStrictEqual(yield* writeOne(world, other), { _tag: "KeyReused" })
        assert.deepStrictEqual(yield* store.findState(targetOf(world)), first)
      })
    )

    it.effect("rows of one call take effect in order, and each has its outcome", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const store = yield* ClientContextStore
        const event = { externalEventId: "e-1" }
        const rows = yield* Effect.all([
          actionWrite(world, event, { key: "k" }),
          stateWrite(world, change(0, { a: 1 })),
          stateWrite(world, change(1, { a: 2 })),
          stateWrite(world, change(1, { a: 3 })),
          stateWrite(world, { ...change(2, { b: 1 }), mode: "merge" }),
          actionWrite(world, event),
          actionWrite(world, {}, { key: "k", command: "other" }),
          stateWrite(world, { ...change(null, {}), namespace: "cart" })
        ])
        const outcomes = yield* store.write(world.session, "context.write", rows)
        assert.deepStrictEqual(
          outcomes.map(({ _tag }) => _tag),
          ["Done", "Done", "Done", "VersionConflict", "Done", "Replayed", "KeyReused", "Done"]
        )
        assert.deepInclude(yield* store.findState(targetOf(world)), { version: 3, state: { a: 2, b: 1 } })
      })
    )

    it.effect(
      "a client has at most 64 namespaces, also with concurrent writers, and they stay writable",
      () =>
        Effect.gen(function* () {
          const world = yield* (yield* WriteWorld).fresh
          const put = (namespace: string, expected: number | null = null, client: 0 | 1 = 0) =>
            Effect.result(putState(world, { ...change(expected, {}), namespace, client }))
          for (let n = 1; n < CLIENT_NAMESPACES_MAX; n++) assert.isTrue(Result.isSuccess(yield* put(`n${n}`)))
          const racing = yield* Effect.all(
            Array.from({ length: 8 }, (_, n) => put(`r${n}`)),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(racing.filter(Result.isSuccess).length, 1)
          for (const refused of racing.filter(Result.isFailure))
            assert.deepInclude(refused.failure, { _tag: "NamespacesFull" })
          assert.isTrue(Result.isSuccess(yield* put("n1", 1)))
          assert.isTrue(Result.isSuccess(yield* put("n1", 0, 1)))
        })
    )

    it.effect("versions begin at 1, and a write needs the current version", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        assert.isUndefined(yield* context.findState(targetOf(world)))
        const first = yield* putState(world, change(0, { a: 1 }))
        assert.deepStrictEqual(first, {
          clientId: world.clientIds[0],
          namespace: "crm",
          version: 1,
          state: { a: 1 },
          updatedAt: 1_000
        })
        for (const expected of [0, 2, 7]) {
          const refusal = yield* Effect.flip(putState(world, change(expected, { b: 1 })))
          assert.deepInclude(refusal, { _tag: "VersionConflict", currentVersion: 1 })
        }
        const second = yield* putState(world, change(1, { ї: ["їжак", null] }, 2_000))
        assert.deepStrictEqual(yield* context.findState(targetOf(world)), second)
        assert.strictEqual(second.version, 2)
      })
    )

    it.effect("one of several concurrent writers of a version wins, and the others get a conflict", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        yield* putState(world, change(0, {}))
        const tried = yield* Effect.forEach(
          Array.from({ length: 16 }).keys(),
          (at) => Effect.result(putState(world, { ...change(1, { at }), key: `k-${at}` })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(tried.filter(Result.isSuccess).length, 1)
        for (const lost of tried.filter(Result.isFailure))
          assert.deepInclude(lost.failure, { _tag: "VersionConflict", currentVersion: 2 })
      })
    )

    it.effect("concurrent merges are all kept", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        yield* Effect.forEach(
          Array.from({ length: 8 }).keys(),
          (at) => putState(world, { ...change(null, { [`m${at}`]: at }), mode: "merge" }),
          { concurrency: "unbounded" }
        )
        const found = yield* context.findState(targetOf(world))
        assert.strictEqual(found?.version, 8)
        assert.lengthOf(Object.keys(found?.state ?? {}), 8)
      })
    )

    it.effect(
      "a write without expectedVersion creates or changes a namespace, and version 1 of a missing one is a conflict",
      () =>
        Effect.gen(function* () {
          const world = yield* (yield* WriteWorld).fresh
          const refusal = yield* Effect.flip(putState(world, change(1, { a: 1 })))
          assert.deepInclude(refusal, { _tag: "VersionConflict", currentVersion: 0 })
          assert.strictEqual((yield* putState(world, change(null, { a: 1 }))).version, 1)
          assert.strictEqual((yield* putState(world, change(null, { a: 2 }))).version, 2)
        })
    )

    it.effect("a merge that makes a state too large is refused", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        const text = "х".repeat(STATE_BYTES_MAX / 4)
        yield* putState(world, change(0, { a: text }))
        const more = { ...change(1, { b: text, c: text }), mode: "merge" as const }
        assert.deepInclude(yield* Effect.flip(putState(world, more)), { _tag: "StateTooLarge" })
        assert.strictEqual((yield* context.findState(targetOf(world)))?.version, 1)
      })
    )

    it.effect("an imported state is recognized by client, source and external id", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const imported = { source: "s", externalId: "e", fingerprint: "first" }
        const put = (more: Partial<Parameters<typeof stateWrite>[1]>) =>
          Effect.flatMap(stateWrite(world, { ...change(null, {}), imported, ...more }), (write) =>
            Effect.map(writeOne(world, write), ({ _tag }) => _tag)
          )
        assert.strictEqual(yield* put({}), "Done")
        assert.strictEqual(yield* put({}), "Replayed")
        assert.strictEqual(yield* put({ imported: { ...imported, fingerprint: "second" } }), "EventConflict")
        for (const other of [{ source: "t" }, { externalId: "E" }])
          assert.strictEqual(yield* put({ imported: { ...imported, ...other } }), "Done")
        assert.strictEqual(yield* put({ client: 1 }), "Done")
      })
    )

    it.effect("states of different namespaces, clients and instances are separate", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const [world, elsewhere] = [yield* fresh, yield* fresh]
        const context = yield* ClientContextStore
        yield* putState(world, change(0, { a: 1 }))
        yield* putState(elsewhere, change(0, { a: 2 }))
        assert.isUndefined(yield* context.findState(targetOf(world, "cart")))
        assert.isUndefined(yield* context.findState({ ...targetOf(world), clientId: world.clientIds[1] }))
        assert.deepStrictEqual((yield* context.findState(targetOf(world)))?.state, { a: 1 })
      })
    )
  })
