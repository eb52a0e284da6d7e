// Checks an upgrade of the index format: the older index answers until its successor has caught up (docs/operations.md).
import { assert } from "@effect/vitest"
import type { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { EVIDENCE_FORMAT } from "@rapport/core/search/EvidenceFormat.ts"
import { Effect, Fiber, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import { indexStatuses } from "../postgres/outbox/IndexOperations.ts"
import { projectionKinds } from "../postgres/outbox/ProjectionKinds.ts"
import { EvidenceProjector } from "../projection/ProjectorLayers.ts"
import { openTransaction } from "./LockWaits.ts"
import { addAppeal, caughtUp, eventually, newWorld, search, type World } from "./ProjectionFixtures.ts"

/** Appeals of an index in an older format, which has the word "xparcel" instead of "parcel". */
export interface OlderAppeals {
  readonly world: World
  readonly invoice: number
  readonly parcel: number
}

const invoiceText = "рахунок за інтернет"
interface OlderIndex<E, R, I> {
  readonly following: Layer.Layer<AppealIndex | EvidenceProjector, E, R>
  readonly format: number
  /** Rewrites the index to the older format while no projector runs. */
  readonly downgrade: (appeals: OlderAppeals) => Effect.Effect<unknown, unknown, I>
  /** Formats of the existing indexes, ascending. */
  readonly formats: Effect.Effect<ReadonlyArray<number>, unknown, I>
  /** Formats that exist after the switch to the new index. */
  readonly formatsAfter: ReadonlyArray<number>
}

/** Asserts that no search fails: the older index answers, through a restart of the rebuild, until the new one does. */
export const checkIndexUpgrade = Effect.fnUntraced(function* <E, R, I>(index: OlderIndex<E, R, I>) {
  const following = <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) =>
    Effect.provide(effect, index.following, { local: true })
  const world = yield* newWorld
  const invoice = yield* addAppeal(world, [invoiceText])
  const parcel = yield* addAppeal(world, ["a parcel"])
  yield* following(caughtUp)
  yield* index.downgrade({ world, invoice, parcel })
  const endTransaction = yield* blockIndexing
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
    const searching = yield* Effect.forkChild(
      Effect.forever(
        Effect.tap(search(world, null), (found) => Effect.sync(() => assert.include(found, parcel)))
      )
    )
    yield* endTransaction
    yield* eventually(search(world, "parcel"), (found) => found.includes(parcel), 30)
    yield* caughtUp
    assert.deepStrictEqual(yield* search(world, "xparcel"), [])
    assert.deepStrictEqual(yield* search(world, "refund"), [refund])
    yield* eventually(index.formats, (found) => String(found) === String(index.formatsAfter), 10)
    const exit = searching.pollUnsafe()
    assert.isUndefined(exit, exit === undefined ? "" : String(exit))
    yield* Fiber.interrupt(searching)
  })
  yield* following(rebuilt)
})

/** An open write: the projector indexes nothing that is committed after it. */
const blockIndexing = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  openTransaction(
    Effect.andThen(
      sql`set local idle_in_transaction_session_timeout = 0`,
      sql`insert into instances (name) values ('open')`
    )
  )
)
