// The stores with receipts on PostgreSQL, and the test data of their laws.
import { sessionOf, WriteWorld } from "@rapport/core/testing/WriteWorld.ts"
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

const worldLayer = Layer.effect(
  WriteWorld,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const user = Effect.fnUntraced(function* (instanceId: number) {
      const sessionId = randomUUID()
      const id =
        yield* insertedId(sql`insert into users (instance_id, login, first_name, last_name, roles, status)
          values (${instanceId}, ${randomUUID()}, 'F', 'L', '{administrator}', 'active') returning id::float8 as id`)
      yield* sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
        values (${instanceId}, ${sessionId}::uuid, ${id}, '\\x00', now() + interval '1 day')`
      return sessionOf(instanceId, id, sessionId)
    })
    const client = (instanceId: number) =>
      insertedId(
        sql`insert into clients (instance_id, name) values (${instanceId}, 'c') returning id::float8 as id`
      )
    return WriteWorld.of({
      fresh: Effect.gen(function* () {
        const id = yield* insertedId(
          sql`insert into instances (name, context_store_ready) values ('i', true) returning id::float8 as id`
        )
        return {
          session: yield* user(id),
          other: yield* user(id),
          clientIds: [yield* client(id), yield* client(id)] as const
        }
      }).pipe(Effect.orDie),
      endLeases: sql`update import_batches set leased_until = clock_timestamp() - interval '1 second'`.pipe(
        Effect.orDie,
        Effect.asVoid
      )
    })
  })
)

/** Each use has its own database. */
export const writeStoresPostgres = Layer.mergeAll(
  ReceiptsPostgres.layer,
  ClientContextStorePostgres.layer,
  SessionStorePostgres.layer,
  ImportStorePostgres.layer,
  worldLayer
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto), Layer.provideMerge(PostgresFixtures.migrated))
