// Calendars and targets in PostgreSQL (docs/contract.md §9.3).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Calendar, calendars, SlaTarget } from "@rapport/contract/statistics/Calendar.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { type CalendarContent, SlaStore } from "@rapport/core/statistics/SlaStore.ts"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { audit, recordJson } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Of `calendars k`. */
const columns: Readonly<Record<string, Column>> = {
  id: { sql: "k.id" },
  name: { sql: "k.name" },
  timezone: { sql: "k.timezone" },
  weekly: { sql: "k.weekly" },
  holidays: { sql: "k.holidays" },
  version: { sql: "k.version" }
}
const json = recordJson(columns, calendars.members)

const decodeCalendars = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ record: Calendar })))
const decodeTargets = Schema.decodeUnknownEffect(Schema.Array(SlaTarget))
const decodeJudged = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ subjectId: Schema.Int, ...SlaTarget.fields }))
)

const calendarsOf = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Calendar>> =>
  Effect.map(Effect.orDie(decodeCalendars(rows)), (found) => found.map(({ record }) => record))

export const layer: Layer.Layer<SlaStore, never, SqlClient.SqlClient> = Layer.effect(
  SlaStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const none = sql.literal("")

    const calendarOf = (session: AuthorizedSession, id: number, lock: Statement.Fragment = none) =>
      sql`select ${sql.literal(json)} as record from calendars k
        where k.instance_id = ${session.instanceId} and k.id = ${id} ${lock}`.pipe(
        Effect.flatMap(calendarsOf),
        Effect.map(([calendar]) => calendar)
      )
    const content = ({ holidays, name, timezone, weekly }: CalendarContent) =>
      sql`${name}::text, ${timezone}::text, ${JSON.stringify(weekly)}::text::json, ${holidays}::text[]`

    return SlaStore.of({
      listCalendars: (session, request) =>
        listRows(
          sql,
          {
            collection: calendars,
            common: callerOf(sql, session),
            from: sql.literal("calendars k, caller u"),
            where: sql.literal("k.instance_id = u.instance_id"),
            columns,
            includes: {},
            searched: []
          },
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

      findCalendar: Effect.fn("SlaStore.findCalendar")(
        (session, id) => calendarOf(session, id),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      createCalendar: Effect.fn("SlaStore.createCalendar")(
        function* (session, made) {
          const rows = yield* sql`insert into calendars as k (instance_id, name, timezone, weekly, holidays)
            select ${session.instanceId}, ${content(made)} returning ${sql.literal(json)} as record`
          const [calendar] = yield* calendarsOf(rows)
          if (calendar === undefined) return yield* Effect.die("insert … returning returned nothing")
          yield* audit(sql, session, { action: "calendar.create", id: calendar.id })
          return calendar
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      updateCalendar: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* calendarOf(session, id, sql.literal("for update of k"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          yield* sql`update calendars set (name, timezone, weekly, holidays) = (select ${content(next)}),
              version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
          const details = { changed: changedMembers(found, next) }
          yield* audit(sql, session, { action: "calendar.update", id, details })
          return Result.succeed(yield* calendarOf(session, id))
        }).pipe(
          Effect.catchTag("SqlError", unavailableOrDie),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("SlaStore.updateCalendar")
        ),

      findTarget: Effect.fn("SlaStore.findTarget")(
        function* ({ instanceId }, subjectId) {
          const rows = yield* sql`select t.tfr_sec as "tfrSec", t.ttc_sec as "ttcSec",
              t.calendar_id::float8 as "calendarId"
            from subjects s left join sla_targets t on t.instance_id = s.instance_id and t.subject_id = s.id
            where s.instance_id = ${instanceId} and s.id = ${subjectId}`
          return (yield* Effect.orDie(decodeTargets(rows)))[0]
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      setTarget: Effect.fn("SlaStore.setTarget")(
        function* (session, subjectId, { calendarId, tfrSec, ttcSec }) {
          const { instanceId } = session
          const named = yield* sql`select exists (select 1 from calendars k
              where k.instance_id = ${instanceId} and k.id = ${calendarId}::int8) as known
            from subjects s where s.instance_id = ${instanceId} and s.id = ${subjectId}`
          const [subject] = yield* Effect.orDie(decodeKnown(named))
          if (subject === undefined) return undefined
          if (calendarId !== null && !subject.known) return "unknown"
          yield* sql`insert into sla_targets (instance_id, subject_id, tfr_sec, ttc_sec, calendar_id)
            values (${instanceId}, ${subjectId}, ${tfrSec}::int4, ${ttcSec}::int4, ${calendarId}::int8)
            on conflict (instance_id, subject_id) do update
              set tfr_sec = excluded.tfr_sec, ttc_sec = excluded.ttc_sec, calendar_id = excluded.calendar_id`
          yield* audit(sql, session, { action: "sla_target.set", id: subjectId, details: { calendarId } })
          return "set"
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      judgedBy: Effect.fn("SlaStore.judgedBy")(
        function* ({ instanceId }) {
          const targets = yield* sql`select t.subject_id::float8 as "subjectId", t.tfr_sec as "tfrSec",
              t.ttc_sec as "ttcSec", t.calendar_id::float8 as "calendarId"
            from sla_targets t where t.instance_id = ${instanceId} and coalesce(t.tfr_sec, t.ttc_sec) is not null`
          const named = yield* sql`select ${sql.literal(json)} as record from calendars k
            where k.instance_id = ${instanceId} and k.id in (select t.calendar_id from sla_targets t
              where t.instance_id = ${instanceId} and coalesce(t.tfr_sec, t.ttc_sec) is not null)`
          return {
            targets: yield* Effect.orDie(decodeJudged(targets)),
            calendars: yield* calendarsOf(named)
          }
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)

const decodeKnown = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ known: Schema.Boolean })))
