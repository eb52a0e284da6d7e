// Instances in PostgreSQL. One transaction creates the instance, its ticket statuses and its administrator.
import { InstanceStore, type NewInstance } from "@rapport/core/access/InstanceStore.ts"
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { setCountry } from "../clients/ClientContacts.ts"
import { audit, brokeUnique } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { hasRow, insertedId, query, queryOr, rowsOf } from "../sql/Query.ts"

const instanceRows = rowsOf(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    capabilityEnabled: Schema.Boolean,
    contextStoreReady: Schema.Boolean,
    created_at: Schema.Date
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

export const layer: Layer.Layer<InstanceStore, never, SqlClient.SqlClient> = Layer.effect(
  InstanceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
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
      yield* sql`insert into ticket_statuses (instance_id, name, position, status_group)
        select ${instanceId}::int8, ticket_status.name, ticket_status.position, ticket_status."group"
        from json_to_recordset(${JSON.stringify(defaultTicketStatuses)}::text::json)
          as ticket_status(name text, position int4, "group" text)`
      yield* sql`insert into ticket_status_versions (instance_id) values (${instanceId})`
      const administratorId =
        yield* insertedId(sql`insert into users (instance_id, login, first_name, last_name, roles, status, password_hash)
          values (${instanceId}, ${instance.adminLogin}, 'Administrator', '', '{administrator}', 'active',
            ${instance.adminPasswordHash}) returning id::float8 as id`)
      yield* audit(sql, systemSession(instanceId), { action: "instance.create", id: instanceId })
      yield* sql`update instances set context_store_ready = true where id = ${instanceId}`
      return { instanceId, administratorId }
    })

    return InstanceStore.of({
      create: queryOr("InstanceStore.create", loginTaken, (instance) =>
        sql.withTransaction(create(instance))
      ),
      list: query("InstanceStore.list", () =>
        Effect.map(
          instanceRows.all(sql`select id::float8 as id, name, capability_enabled as "capabilityEnabled",
            context_store_ready as "contextStoreReady", created_at from instances order by id`),
          (instances) =>
            instances.map(({ created_at, ...instance }) => ({ ...instance, createdAt: created_at.getTime() }))
        )
      )(),
      setCapability: query("InstanceStore.setCapability", (instanceId, enabled) =>
        hasRow(sql`with changed as (update instances set capability_enabled = ${enabled}
          where id = ${instanceId} returning id),
          entry as (insert into audit_log (instance_id, action, actor_type, entity, entity_id, decision)
            select changed.id, ${enabled ? "instance.enable" : "instance.disable"}::text, 'system', 'instance', changed.id::text,
              'allowed' from changed)
          select 1 from changed`)
      ),
      setPhoneCountry: query("InstanceStore.setPhoneCountry", (instanceId, country) =>
        sql.withTransaction(
          Effect.gen(function* () {
            if (!(yield* setCountry(sql, instanceId, country))) return false
            yield* audit(sql, systemSession(instanceId), { action: "instance.phoneCountry", id: instanceId })
            return true
          })
        )
      )
    })
  })
)

const loginTaken = (error: SqlError.SqlError): Effect.Effect<"login_taken", SourceUnavailable> =>
  brokeUnique(error, "users_login") ? Effect.succeed("login_taken") : unavailableOrDie(error)
