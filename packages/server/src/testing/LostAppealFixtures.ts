// An index that knows an appeal which its database, set back or loaded from a dump, does not have.
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EvidenceProjector } from "../projection/ProjectorLayers.ts"
import { addAppeal, caughtUp, search, type World } from "./ProjectionFixtures.ts"

/** Writes an appeal that a backup or dump does not have, and waits until the index has it. */
export const addLost = Effect.fnUntraced(function* (world: World) {
  const lost = yield* addAppeal(world, ["a parcel that the backup does not have"])
  yield* caughtUp
  assert.deepStrictEqual(yield* search(world, "parcel"), [lost])
})

/** The index has the first appeal and a new one, which may have the id of the lost one, and nothing else. */
export const followsDatabase = Effect.fnUntraced(function* (world: World, first: number) {
  const next = yield* addAppeal(world, ["an invoice"])
  yield* caughtUp
  assert.deepStrictEqual(yield* search(world, "parcel"), [])
  assert.deepStrictEqual(yield* search(world, "invoice"), [next])
  assert.deepStrictEqual(yield* search(world, "refund"), [first])
  const readiness = yield* (yield* EvidenceProjector).readiness(world.instanceId)
  assert.deepStrictEqual(readiness, { ready: true, lagMillis: 0, quarantined: 0 })
})

/** Passes transaction ids, so that those of a database are ahead of another one's. */
export const passTransactions = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("do $$ begin for i in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$")
)
