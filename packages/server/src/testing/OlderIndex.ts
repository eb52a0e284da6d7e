// What an upgrade to another format has to keep (docs/operations.md): the older index answers until its successor has caught up.
import { assert } from "@effect/vitest"
import type { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import { indexStatuses } from "../postgres/outbox/IndexOperations.ts"
import { projectionKinds } from "../postgres/outbox/ProjectionKinds.ts"
import { EvidenceProjector } from "../projection/ProjectorLayers.ts"
import { addAppeal, caughtUp, eventually, newWorld, search, type World } from "./ProjectionFixtures.ts"

/** Appeals in an index of an older format: what the primary data call a parcel is an xparcel there. */
export interface Aged {
  readonly world: World
  readonly invoice: number
  readonly parcel: number
}

const invoiceText = "рахунок за інтернет"
interface OlderIndex<E, R, I> {
  readonly following: Layer.Layer<AppealIndex | EvidenceProjector, E, R>
  readonly format: number
  /** Makes an index of the older format of the one that was built; nothing follows it meanwhile. */
  readonly age: (aged: Aged) => Effect.Effect<unknown, unknown, I>
  /** Of the indexes that are there, in ascending order. */
  readonly formats: Effect.Effect<ReadonlyArray<number>, unknown, I>
  /** Of the indexes that are there when the new one has taken the place of the older. */
  readonly left: ReadonlyArray<number>
}

/** The older index answers from the start, through a stop of the rebuild, until the new one does; no search fails. */
export const servesOlderIndex = Effect.fnUntraced(function* <E, R, I>(index: OlderIndex<E, R, I>) {
  const following = <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) =>
    Effect.provide(effect, index.following, { local: true })
  const world = yield* newWorld
  const invoice = yield* addAppeal(world, [invoiceText])
  const parcel = yield* addAppeal(world, ["a parcel"])
  yield* following(caughtUp)
  yield* index.age({ world, invoice, parcel })
  const release = yield* heldBack
  const refund = yield* addAppeal(world, ["a refund"])

  const all = Effect.all([search(world, "xparcel"), search(world, "рахунки"), search(world, "parcel")])
  const isOld = eventually(all, (found) => String(found) === String([[parcel], [invoice], []]), 30)
  const isBuilding = Effect.gen(function* () {
    yield* isOld
    yield* eventually(index.formats, (found) => String(found) === String([index.format, EVIDENCE_FORMAT]), 30)
    const reported = Effect.map(indexStatuses, (found) =>
      found
        .filter((one) => one.kind === projectionKinds.evidence && one.instanceId === world.instanceId)
        .map((one) => one.state)
    )
    yield* eventually(reported, (states) => String(states) === "building", 30)
    yield* isOld
    const readiness = yield* (yield* EvidenceProjector).readiness(world.instanceId)
    assert.isTrue(readiness.ready)
  })
  yield* following(isBuilding)
  const rebuilt = Effect.gen(function* () {
    yield* isBuilding
    const asking = yield* Effect.forkChild(
      Effect.forever(
        Effect.tap(search(world, null), (found) => Effect.sync(() => assert.include(found, parcel)))
      )
    )
    yield* release
    yield* eventually(search(world, "parcel"), (found) => found.includes(parcel), 30)
    yield* caughtUp
    assert.deepStrictEqual(yield* search(world, "xparcel"), [])
    assert.deepStrictEqual(yield* search(world, "refund"), [refund])
    yield* eventually(index.formats, (found) => String(found) === String(index.left), 10)
    const exit = asking.pollUnsafe()
    assert.isUndefined(exit, exit === undefined ? "" : String(exit))
    yield* Fiber.interrupt(asking)
  })
  yield* following(rebuilt)
})

/** A write that stays open until the effect is run: what is committed after it is in no index before that. */
const heldBack = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const begun = yield* Deferred.make<void>()
  const end = yield* Deferred.make<void>()
  const held = yield* Effect.forkChild(
    sql.withTransaction(
      sql`set local idle_in_transaction_session_timeout = 0`.pipe(
        Effect.andThen(sql`insert into instances (name) values ('open')`),
        Effect.andThen(Deferred.succeed(begun, undefined)),
        Effect.andThen(Deferred.await(end))
      )
    )
  )
  yield* Deferred.await(begun)
  return Effect.andThen(Deferred.succeed(end, undefined), Fiber.join(held))
})
