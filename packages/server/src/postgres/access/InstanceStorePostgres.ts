// Instances in PostgreSQL. One transaction creates the instance, its ticket statuses and its administrator.
import { InstanceStore, type NewInstance } from "@rapport/core/access/InstanceStore.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { insertStatuses } from "../appeals/TicketStatuses.ts"
import { setCountry } from "../clients/ClientContacts.ts"
import { audit, brokeUnique } from "../sql/Records.ts"
import { epochMillis } from "../sql/SqlTime.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { hasRow, insertedId, query, queryOr, rowsOf, storeLayer } from "../sql/Query.ts"

const instanceRows = rowsOf(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    capabilityEnabled: Schema.Boolean,
    contextStoreReady: Schema.Boolean,
    createdAt: Schema.Finite
  })
)

/** Ticket statuses of a new instance, in order (contract §7). */
export const defaultTicketStatuses = [
  { name: "new", position: 1, group: "new" },
  { name: "open", position: 2, group: "open" },
  { name: "waiting", position: 3, group: "waiting" },
  { name: "resolved", position: 4, group: "done" },
  { name: "closed", position: 5, group: "done" }
] as const

export const layer = storeLayer(InstanceStore)((sql) => {
  const insertInstance = ({ id, name }: NewInstance) =>
    id === null
      ? insertedId(sql`insert into instances (name) values (${name}) returning id::float8 as id`)
      : sql`insert into instances (id, name) values (${id}, ${name})`.pipe(
          // The sequence continues after the given id.
          Effect.andThen(
            sql`select setval(pg_get_serial_sequence('instances', 'id'), (select max(id) from instances))`
          ),
          Effect.as(id)
        )

  const create = Effect.fnUntraced(function* (instance: NewInstance) {
    const instanceId = yield* insertInstance(instance)
    yield* insertStatuses(sql, instanceId, defaultTicketStatuses)
    yield* sql`insert into ticket_status_versions (instance_id) values (${instanceId})`
    const administratorId =
      yield* insertedId(sql`insert into users (instance_id, login, first_name, last_name, roles, status, password_hash)
          values (${instanceId}, ${instance.adminLogin}, 'Administrator', '', '{administrator}', 'active',
            ${instance.adminPasswordHash}) returning id::float8 as id`)
    yield* audit(sql, systemSession(instanceId), { action: "instance.create", id: instanceId })
    yield* sql`update instances set context_store_ready = true where id = ${instanceId}`
    return { instanceId, administratorId }
  })

  /** Writes the audit entry if `change` has found the instance. */
  const withAudit = (id: number, action: string, change: Effect.Effect<boolean, SqlError.SqlError>) =>
    sql.withTransaction(
      Effect.tap(change, (found) => (found ? audit(sql, systemSession(id), { action, id }) : Effect.void))
    )

  return {
    create: queryOr("InstanceStore.create", loginTaken, (instance) => sql.withTransaction(create(instance))),
    list: query("InstanceStore.list", () =>
      instanceRows.all(sql`select id::float8 as id, name, capability_enabled as "capabilityEnabled",
            context_store_ready as "contextStoreReady", ${sql.literal(epochMillis("created_at"))} as "createdAt"
          from instances order by id`)
    )(),
    setCapability: query("InstanceStore.setCapability", (instanceId, enabled) =>
      withAudit(
        instanceId,
        enabled ? "instance.enable" : "instance.disable",
        hasRow(sql`update instances set capability_enabled = ${enabled} where id = ${instanceId} returning 1`)
      )
    ),
    setPhoneCountry: query("InstanceStore.setPhoneCountry", (instanceId, country) =>
      withAudit(instanceId, "instance.phoneCountry", setCountry(sql, instanceId, country))
    )
  }
})

const loginTaken = (error: SqlError.SqlError): Effect.Effect<"login_taken", SourceUnavailable> =>
  brokeUnique(error, "users_login") ? Effect.succeed("login_taken") : unavailableOrDie(error)
