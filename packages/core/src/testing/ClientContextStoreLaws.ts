// What every store of actions and state keeps, whatever it is made of: docs/contract.md §4 as laws.
import type { ClientAction } from "@rapport/contract/clients/ClientContextApi.ts"
import { assert, layer } from "@effect/vitest"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import { Effect, type Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { ClientContextStore } from "../clients/ClientContextStore.ts"
import type { Receipt } from "../receipts/Receipts.ts"
import type { WriteStores } from "./WriteWorldMemory.ts"
import { inTransaction, type World, writerIn, WriteWorld } from "./WriteWorld.ts"

/** Registers an action of the world's first client, unless its members say otherwise. */
const register = Effect.fnUntraced(function* (
  world: World,
  members: Partial<ClientAction>,
  fingerprint = "f"
) {
  const random = yield* SecureRandom.SecureRandom
  const context = yield* ClientContextStore
  const action: ClientAction = {
    id: yield* random.uuidV7(),
    clientId: world.clientIds[0],
    type: "order.created",
    occurredAt: 1_790_000_000_000,
    actorType: "operator",
    actorId: 31,
    externalEventId: null,
    source: null,
    channel: "web",
    subjectId: null,
    appealId: null,
    summary: "Замовлення",
    payload: { sum: 7, nested: { none: null } },
    recordedAt: 1_790_000_000_500,
    ...members
  }
  const receipt: Receipt = {
    id: yield* random.uuidV7(),
    operation: "client.action.register",
    fingerprint,
    committedAt: 1_790_000_000_400
  }
  const before = yield* inTransaction(world, context.register(writerIn(world), action, receipt, fingerprint))
  if (before === "seeded") return yield* Effect.die("its fingerprint is known")
  return { action, receipt, before }
})

const write = Effect.fnUntraced(function* (
  world: World,
  expected: number | null,
  state: Readonly<Record<string, unknown>>,
  now = 1_000
) {
  const context = yield* ClientContextStore
  return yield* inTransaction(
    world,
    context.write(writerIn(world), targetOf(world), expected, now, () => Effect.succeed(state))
  )
})
const targetOf = ({ clientIds, session }: World, namespace = "crm") => ({
  instanceId: session.instanceId,
  clientId: clientIds[0],
  namespace
})

/** Registers the laws for one implementation. */
export const clientContextStoreLaws = <E>(name: string, stores: Layer.Layer<WriteStores, E>): void =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`ClientContextStore: ${name}`, (it) => {
    it.effect("an external event goes in once; its repeat gets the first action, receipt and state", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        const event = { externalEventId: "e-1", source: "shop" }
        const first = yield* register(world, event, "first")
        assert.isUndefined(first.before)
        const state = yield* write(world, 0, { tier: "gold" })
        yield* inTransaction(world, context.complete(world.session.instanceId, first.action.id, state))
        const again = yield* register(world, { ...event, type: "order.paid" }, "second")
        assert.deepStrictEqual(
          { ...again.before },
          { ...again.before, action: first.action, receipt: first.receipt, state, fingerprint: "first" }
        )
      })
    )

    it.effect("an absent source is one source, and an action without an event is always new", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        assert.isUndefined((yield* register(world, { externalEventId: "e-1" })).before)
        assert.isDefined((yield* register(world, { externalEventId: "e-1" })).before)
        assert.isUndefined((yield* register(world, {})).before)
        assert.isUndefined((yield* register(world, {})).before)
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
          assert.isUndefined((yield* register(where, members)).before)
      })
    )

    it.effect("a client has at most 64 namespaces, also of writers at once; those that are there go on", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        const put = (namespace: string, expected: number | null = null, client: 0 | 1 = 0) => {
          const target = { ...targetOf(world, namespace), clientId: world.clientIds[client] }
          const done = context.write(writerIn(world), target, expected, 1_000, () => Effect.succeed({}))
          return Effect.result(inTransaction(world, done))
        }
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

    it.effect("versions count from 1, one by one, and only upon the version that stands", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        assert.isUndefined(yield* context.findState(targetOf(world)))
        const first = yield* write(world, 0, { a: 1 }, 1_000)
        assert.deepStrictEqual(first, {
          clientId: world.clientIds[0],
          namespace: "crm",
          version: 1,
          state: { a: 1 },
          updatedAt: 1_000
        })
        for (const expected of [0, 2, 7]) {
          const refusal = yield* Effect.flip(write(world, expected, { b: 1 }))
          assert.deepInclude(refusal, { _tag: "VersionConflict", currentVersion: 1 })
        }
        const second = yield* write(world, 1, { ї: ["їжак", null] }, 2_000)
        assert.deepStrictEqual(yield* context.findState(targetOf(world)), second)
        assert.strictEqual(second.version, 2)
      })
    )

    it.effect("nothing is expected of a namespace that is not there, unless it is said to be there", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const refusal = yield* Effect.flip(write(world, 1, { a: 1 }))
        assert.deepInclude(refusal, { _tag: "VersionConflict", currentVersion: 0 })
        assert.strictEqual((yield* write(world, null, { a: 1 })).version, 1)
        assert.strictEqual((yield* write(world, null, { a: 2 })).version, 2)
      })
    )

    it.effect("the next state is decided upon the present one; a refusal writes nothing", () =>
      Effect.gen(function* () {
        const world = yield* (yield* WriteWorld).fresh
        const context = yield* ClientContextStore
        const seen: Array<unknown> = []
        const decided = (expected: number) =>
          inTransaction(
            world,
            context.write(writerIn(world), targetOf(world), expected, 1_000, (present) => {
              seen.push(present)
              return expected === 1 ? Effect.fail("too large") : Effect.succeed({ a: seen.length })
            })
          )
        yield* decided(0)
        assert.strictEqual(yield* Effect.flip(decided(1)), "too large")
        assert.deepStrictEqual(seen, [null, { a: 1 }])
        assert.strictEqual((yield* context.findState(targetOf(world)))?.version, 1)
      })
    )

    it.effect("namespaces, clients and instances do not meet", () =>
      Effect.gen(function* () {
        const { fresh } = yield* WriteWorld
        const [world, elsewhere] = [yield* fresh, yield* fresh]
        const context = yield* ClientContextStore
        yield* write(world, 0, { a: 1 })
        yield* write(elsewhere, 0, { a: 2 })
        assert.isUndefined(yield* context.findState(targetOf(world, "cart")))
        assert.isUndefined(yield* context.findState({ ...targetOf(world), clientId: world.clientIds[1] }))
        assert.deepStrictEqual((yield* context.findState(targetOf(world)))?.state, { a: 1 })
      })
    )
  })
