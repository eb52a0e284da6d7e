// The writing stores on PostgreSQL, and test data for them: an instance with two users and two clients.
import { type AuthorizedSession, permissionsOf } from "@rapport/contract/Authorization.ts"
import type { Writer } from "@rapport/core/audit/Writer.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as ClientContextStorePostgres from "../postgres/clients/ClientContextStorePostgres.ts"
import * as ImportStorePostgres from "../postgres/imports/ImportStorePostgres.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import * as SessionStorePostgres from "../postgres/sessions/SessionStorePostgres.ts"
import { insertedId } from "../postgres/sql/Query.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"

/** An instance that no other test uses. */
export interface World {
  readonly session: AuthorizedSession
  /** A user of the same instance. */
  readonly other: AuthorizedSession
  readonly clientIds: readonly [number, number]
}

/** A session of a new administrator. */
const user = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, instanceId: number) {
  const sessionId = randomUUID()
  const userId =
    yield* insertedId(sql`insert into users (instance_id, login, first_name, last_name, roles, status)
      values (${instanceId}, ${randomUUID()}, 'F', 'L', '{administrator}', 'active') returning id::float8 as id`)
  yield* sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
    values (${instanceId}, ${sessionId}::uuid, ${userId}, '\\x00', now() + interval '1 day')`
  return anySession({
    instanceId,
    userId,
    sessionId,
    roles: ["administrator"],
    permissions: new Set(permissionsOf(["administrator"]))
  })
})

export const freshWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = yield* insertedId(
    sql`insert into instances (name, context_store_ready) values ('i', true) returning id::float8 as id`
  )
  const client = insertedId(
    sql`insert into clients (instance_id, name) values (${id}, 'c') returning id::float8 as id`
  )
  const world: World = {
    session: yield* user(sql, id),
    other: yield* user(sql, id),
    clientIds: [yield* client, yield* client]
  }
  return world
}).pipe(Effect.orDie)

export const writerIn = ({ session }: World): Writer => ({ session, operation: "law", receiptId: null })

/** Each use has its own database. */
export const writeStores = Layer.mergeAll(
  ReceiptsPostgres.layer,
  ClientContextStorePostgres.layer,
  SessionStorePostgres.layer,
  ImportStorePostgres.layer
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto), Layer.provideMerge(PostgresFixtures.migrated))
