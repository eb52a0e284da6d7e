// Ticket statuses of an instance in PostgreSQL (contract §7).
import { TicketStatus, TicketStatuses } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Sql } from "../sql/Fragment.ts"
import { query, valuesOf } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"

type Read<A> = Effect.Effect<A, SqlError.SqlError>

const statusesRows = valuesOf(TicketStatuses)
const nameRows = valuesOf(TicketStatus.fields.name)

const statusesOf = (sql: Sql, { instanceId }: AuthorizedSession): Read<TicketStatuses> =>
  statusesRows.get(sql`select json_build_object(
      'statuses', (select coalesce(json_agg(json_build_object('name', ticket_status.name, 'position', ticket_status.position,
        'group', ticket_status.status_group) order by ticket_status.position), '[]')
          from ticket_statuses ticket_status where ticket_status.instance_id = ${instanceId}),
      'version', (select status_version.version from ticket_status_versions status_version
        where status_version.instance_id = ${instanceId})
    ) as record`)

/** `for use` is shared by writes of tickets. `for change` excludes them. */
export const lockStatuses = (
  sql: Sql,
  session: AuthorizedSession,
  purpose: "for use" | "for change"
): Read<TicketStatuses> =>
  Effect.gen(function* () {
    const { instanceId } = session
    yield* sql`select 1 from ticket_status_versions where instance_id = ${instanceId}
      for ${sql.literal(purpose === "for use" ? "share" : "update")}`
    return yield* statusesOf(sql, session)
  })

export const insertStatuses = (sql: Sql, instanceId: number, statuses: TicketStatuses["statuses"]) =>
  sql`insert into ticket_statuses (instance_id, name, position, status_group)
    select ${instanceId}, * from unnest(${statuses.map((s) => s.name)}::text[],
      ${statuses.map((s) => String(s.position))}::text[]::int8[], ${statuses.map((s) => s.group)}::text[])`

export const statusMethods = (sql: Sql) =>
  ({
    ticketStatuses: query("AppealStore.ticketStatuses", (session) => statusesOf(sql, session)),

    lockTicketStatuses: query("AppealStore.lockTicketStatuses", (session, purpose) =>
      lockStatuses(sql, session, purpose)
    ),

    usedStatuses: query("AppealStore.usedStatuses", ({ instanceId }, names) =>
      nameRows.all(sql`select name from unnest(${names}::text[]) name where exists (select 1 from appeals a
          where a.instance_id = ${instanceId} and a.kind = 'ticket' and a.status = name)`)
    ),

    /** Tickets whose status changes its group go with it, and are closed by it where the group is done. */
    setTicketStatuses: query("AppealStore.setTicketStatuses", function* (session, statuses) {
      const { instanceId } = session
      yield* sql`delete from ticket_statuses where instance_id = ${instanceId}`
      yield* insertStatuses(sql, instanceId, statuses)
      const now = isoOf(yield* Clock.currentTimeMillis)
      yield* sql`update appeals a set status_group = ticket_status.status_group,
          closed_at = case when ticket_status.status_group = 'done' then coalesce(a.closed_at, ${now}::timestamptz)
            else a.closed_at end
        from ticket_statuses ticket_status
        where a.instance_id = ${instanceId} and a.kind = 'ticket' and ticket_status.instance_id = a.instance_id
          and ticket_status.name = a.status and ticket_status.status_group <> a.status_group`
      yield* sql`update ticket_status_versions set version = version + 1 where instance_id = ${instanceId}`
      yield* audit(sql, session, {
        action: "ticket_statuses.update",
        id: instanceId,
        details: { names: statuses.map((s) => s.name) }
      })
      return yield* statusesOf(sql, session)
    })
  }) satisfies Partial<AppealStore["Service"]>
