// Every store on PostgreSQL with the keys of tests, and rows that most tests begin with: an instance, a user, a session.
import type { Role } from "@rapport/contract/Authorization.ts"
import type { TrafficLimits } from "@rapport/contract/Limits.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { randomUUID, randomUUIDv7 } from "node:crypto"
import * as OpaqueTokens from "../access/OpaqueTokens.ts"
import * as PasswordsArgon from "../access/Password.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import * as CursorSeal from "../lists/CursorSeal.ts"
import * as AccessStorePostgres from "../postgres/access/AccessStorePostgres.ts"
import { insertedId } from "../postgres/sql/Query.ts"
import { storesLayer } from "../wiring/Stores.ts"

const key = Buffer.alloc(32, 7)
export const testTokenKeys = TokenKeys.layer(Redacted.make(key.toString("base64url")))

/** Every store, and the services below the use cases. Nothing is notified of a write. */
export const makeStores = (limits?: TrafficLimits) =>
  storesLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.mock(OutboxSignal, { notify: Effect.void }),
        Layer.mock(BroadcastSignal, { notify: Effect.void }),
        Layer.mock(DeliverySignal, { notify: Effect.void }),
        OpaqueTokens.layer,
        PasswordsArgon.layer,
        CursorSeal.layer([Redacted.make(key)])
      )
    ),
    Layer.provideMerge(Layer.mergeAll(Admission.memoryLayer(limits), SecureRandom.layerWebCrypto))
  )

/** Inserts an instance with a context store. Returns its id. */
export const insertInstance = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  insertedId(
    sql`insert into instances (name, context_store_ready) values ('test', true) returning id::float8 as id`
  )
)

/** Inserts an active user. Returns its id. */
export const insertUser = Effect.fnUntraced(function* (
  instanceId: number,
  roles: ReadonlyArray<Role>,
  members: { login?: string; status?: string; passwordHash?: string } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const { login = randomUUID(), passwordHash = null, status = "active" } = members
  return yield* insertedId(
    sql`insert into users (instance_id, login, first_name, last_name, roles, status, password_hash)
      values (${instanceId}, ${login}, 'Олена', 'Їжакевич', ${roles}::text[], ${status}::text, ${passwordHash}::text)
      returning id::float8 as id`
  )
})

/** Inserts a session of a user that lasts a day. Returns its id. */
export const insertSession = Effect.fnUntraced(function* (instanceId: number, userId: number) {
  const sql = yield* SqlClient.SqlClient
  const id = randomUUIDv7()
  yield* sql`insert into refresh_families (instance_id, id, user_id, current_hash, expires_at)
    values (${instanceId}, ${id}::uuid, ${userId}, '\\x00', now() + interval '1 day')`
  return id
})

/** A new session of a user, as authentication finds it. */
export const newSessionOf = Effect.fnUntraced(
  function* (instanceId: number, userId: number) {
    const store = yield* AccessStore
    const sessionId = yield* insertSession(instanceId, userId)
    const session = yield* store.findSession({ instanceId, userId, sessionId })
    return session ?? (yield* Effect.die(`no session of user ${userId}`))
  },
  Effect.provide(AccessStorePostgres.layer),
  Effect.orDie
)
