// The instances of the service and their first administrators: what the command line and the seed make and change.
import { PositiveInt } from "@rapport/contract/Ids.ts"
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** An instance as `rapport instance list` shows it. */
export const InstanceSummary = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  /** The capability of docs/contract.md §3.4. */
  enabled: Schema.Boolean,
  users: Schema.Finite,
  clients: Schema.Finite,
  appeals: Schema.Finite,
  createdAt: Schema.String
})
export type InstanceSummary = typeof InstanceSummary.Type

/** Login names are unique in the whole service without regard to case (docs/contract.md §2). */
export class LoginTaken extends Schema.TaggedError<LoginTaken>()("LoginTaken", { message: Schema.String }) {}

export class InstanceUnknown extends Schema.TaggedError<InstanceUnknown>()("InstanceUnknown", {
  message: Schema.String
}) {}

/** What a new instance needs besides its name. */
export interface NewInstance {
  readonly name: string
  readonly adminLogin: string
  readonly adminPasswordHash: string
}

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: PositiveInt })))
const decodeSummaries = Schema.decodeUnknownEffect(Schema.Array(InstanceSummary))

/** Makes an instance with the statuses of docs/contract.md §7, its context store ready, and its administrator. */
export const createInstance = Effect.fn("Instances.create")(
  function* ({ adminLogin, adminPasswordHash, name }: NewInstance) {
    const sql = yield* SqlClient.SqlClient
    const [instance] = yield* Effect.orDie(
      decodeIds(
        yield* sql`insert into instances (name, context_store_ready) values (${name}, true) returning id::int4`
      )
    )
    if (instance === undefined) return yield* Effect.die("insert … returning returned nothing")
    yield* addTicketStatuses
    yield* sql`insert into users (instance_id, login, first_name, last_name, roles, status, password_hash)
      values (${instance.id}, ${adminLogin}, ${adminLogin}, '', ${["administrator"]}, 'active', ${adminPasswordHash})`
    return instance.id
  },
  (effect) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect)),
  Effect.catchIf(
    (error): error is SqlError.SqlError =>
      error._tag === "SqlError" && error.reason._tag === "UniqueViolation",
    () => new LoginTaken({ message: "this login name is taken" })
  )
)

/** Gives every instance without ticket statuses the ones of docs/contract.md §7. */
export const addTicketStatuses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into ticket_statuses (instance_id, name, position, status_group)
    select i.id, s.name, s.position, s.status_group from instances i
    cross join (values ('new', 1, 'new'), ('open', 2, 'open'), ('waiting', 3, 'waiting'),
      ('resolved', 4, 'done'), ('closed', 5, 'done')) s(name, position, status_group)
    where not exists (select 1 from ticket_statuses t where t.instance_id = i.id)`
  yield* sql`insert into ticket_status_versions (instance_id) select id from instances on conflict do nothing`
})

const summaries = Effect.fnUntraced(function* (id: number | undefined) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select i.id::int4, i.name, i.capability_enabled as enabled,
      (select count(*) from users u where u.instance_id = i.id)::int4 as users,
      (select count(*) from clients c where c.instance_id = i.id)::int4 as clients,
      (select count(*) from appeals a where a.instance_id = i.id)::int4 as appeals,
      to_char(i.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
    from instances i where ${id ?? null}::int8 is null or i.id = ${id ?? null}::int8 order by i.id`
  return yield* Effect.orDie(decodeSummaries(rows))
})

export const listInstances = summaries(undefined)

/** Switches the capability of docs/contract.md §3.4; every process obeys at its next request. */
export const setCapability = Effect.fn("Instances.setCapability")(function* (id: number, enabled: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update instances set capability_enabled = ${enabled} where id = ${id}`
  const [summary] = yield* summaries(id)
  return summary ?? (yield* new InstanceUnknown({ message: `there is no instance ${id}` }))
})
