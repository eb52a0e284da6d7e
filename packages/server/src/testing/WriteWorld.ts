// The writing stores on PostgreSQL, and test data for them: an instance with two users and two clients.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import type { SessionWriter } from "@rapport/core/sessions/SessionStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { insertedId } from "../postgres/sql/Query.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"
import { insertInstance, insertUser, makeStores, newSessionOf } from "./StoreFixtures.ts"

/** An instance that no other test uses. */
export interface World {
  readonly session: AuthorizedSession
  /** A user of the same instance. */
  readonly other: AuthorizedSession
  readonly clientIds: readonly [number, number]
}

/** A session of a new administrator. */
const administrator = (instanceId: number) =>
  Effect.flatMap(insertUser(instanceId, ["administrator"]), (id) => newSessionOf(instanceId, id))

export const freshWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = yield* insertInstance
  const client = insertedId(
    sql`insert into clients (instance_id, name) values (${id}, 'c') returning id::float8 as id`
  )
  const world: World = {
    session: yield* administrator(id),
    other: yield* administrator(id),
    clientIds: [yield* client, yield* client]
  }
  return world
}).pipe(Effect.orDie)

export const writerIn = ({ session }: World): SessionWriter => ({
  session,
  operation: "law",
  receiptId: null
})

/** Each use has its own database. */
export const writeStores = makeStores().pipe(
  Layer.provide(Layer.mock(FileStorage, {})),
  Layer.provideMerge(PostgresFixtures.migrated)
)
