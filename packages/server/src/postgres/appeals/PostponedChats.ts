// Continues postponed chats whose time has come (contract §7, postponedUntil).
import { systemSession } from "@rapport/core/access/SystemSession.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable, rowsOf } from "../sql/Query.ts"
import { audit } from "../sql/Records.ts"

const chatRows = rowsOf(Schema.Struct({ id: Schema.Int, instanceId: Schema.Int }))

/** SQL of the new status of a postponed chat `a` and of its group. */
const continuedStatus = "case when a.operator_id is null then 'waiting' else 'active' end"
const continuedGroup = "case when a.operator_id is null then 'new' else 'open' end"

/** At most `limit` chats, by the clock of the database. Returns their number. */
export const continuePostponed = (limit: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const chats = yield* chatRows.all(sql`with due as materialized (
            select a.instance_id, a.id from appeals a
            where a.status = 'postponed' and a.postponed_until is not null and a.postponed_until <= now()
            order by a.postponed_until limit ${limit} for no key update skip locked)
          update appeals a set status = ${sql.literal(continuedStatus)}, status_group = ${sql.literal(continuedGroup)},
            postponed_until = null, version = a.version + 1, updated_at = now()
          from due where a.instance_id = due.instance_id and a.id = due.id
          returning a.id::float8 as id, a.instance_id::float8 as "instanceId"`)
        for (const { id, instanceId } of chats)
          yield* audit(sql, systemSession(instanceId), {
            action: "chat.update",
            id,
            details: { changed: ["status", "postponedUntil"] }
          })
        return chats.length
      })
    )
  }).pipe(orUnavailable)
