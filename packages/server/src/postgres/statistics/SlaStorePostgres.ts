// Calendars and targets in PostgreSQL (contract §9.3).
import { Calendar, calendars, SlaTarget } from "@rapport/contract/statistics/Calendar.ts"
import { SlaStore } from "@rapport/core/statistics/SlaStore.ts"
import { Schema } from "effect"
import type { Sql } from "../sql/Fragment.ts"
import { audit } from "../sql/Records.ts"
import { callerOf } from "../sql/Visibility.ts"
import { query, rowsOf, storeLayer, valuesOf } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { ownRecords } from "../sql/OwnRecords.ts"

const calendarRecords = ownRecords(Calendar, { collection: calendars, table: "calendars", name: "calendar" })
const targetRows = rowsOf(SlaTarget)
const subjectTargetRows = rowsOf(Schema.Struct({ subjectId: Schema.Int, ...SlaTarget.fields }))
const knownRows = valuesOf(Schema.Boolean)

type Store = SlaStore["Service"]

export const layer = storeLayer(SlaStore)((sql) => ({
  ...targetOperations(sql),
  calendars: calendarRecords.methods(sql, {
    span: "SlaStore.calendars",
    entity: "calendar",
    onSqlError: unavailableOrDie
  })
}))

const targetOperations = (sql: Sql) =>
  ({
    findTarget: query("SlaStore.findTarget", (session, subjectId) =>
      targetRows.find(sql`with ${callerOf(session)} select target.tfr_sec as "tfrSec", target.ttc_sec as "ttcSec",
          target.calendar_id::float8 as "calendarId", coalesce(target.overrides, '[]') as overrides
        from caller u join subjects subject on subject.instance_id = u.instance_id
          left join sla_targets target on target.instance_id = subject.instance_id and target.subject_id = subject.id
        where subject.id = ${subjectId}`)
    ),

    setTarget: query("SlaStore.setTarget", function* (session, subjectId, target) {
      const { calendarId, overrides, tfrSec, ttcSec } = target
      const { instanceId } = session
      const isKnown = yield* knownRows.find(sql`select exists (select 1 from calendars calendar
          where calendar.instance_id = ${instanceId} and calendar.id = ${calendarId}::int8) as known
        from subjects subject where subject.instance_id = ${instanceId} and subject.id = ${subjectId}`)

      if (isKnown === undefined) return undefined
      if (calendarId !== null && !isKnown) return "unknown"
      yield* sql`insert into sla_targets (instance_id, subject_id, tfr_sec, ttc_sec, calendar_id, overrides)
        values (${instanceId}, ${subjectId}, ${tfrSec}::int4, ${ttcSec}::int4, ${calendarId}::int8,
          ${JSON.stringify(overrides)}::text::json)
        on conflict (instance_id, subject_id) do update
          set tfr_sec = excluded.tfr_sec, ttc_sec = excluded.ttc_sec, calendar_id = excluded.calendar_id,
            overrides = excluded.overrides`
      yield* audit(sql, session, { action: "sla_target.set", id: subjectId, details: { calendarId } })
      return "set"
    }),

    loadTargets: query("SlaStore.loadTargets", function* ({ instanceId }) {
      const targets =
        yield* subjectTargetRows.all(sql`select target.subject_id::float8 as "subjectId", target.tfr_sec as "tfrSec",
          target.ttc_sec as "ttcSec", target.calendar_id::float8 as "calendarId", target.overrides
        from sla_targets target where target.instance_id = ${instanceId}`)
      const used = sql`calendar.id in (select target.calendar_id from sla_targets target
          where target.instance_id = ${instanceId})`
      const calendars = yield* calendarRecords.rows.all(calendarRecords.where(sql, { instanceId }, used))
      return { calendars, targets }
    })
  }) satisfies Partial<Store>
