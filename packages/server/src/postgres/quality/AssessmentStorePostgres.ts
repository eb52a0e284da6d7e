// Assessments in PostgreSQL: changed under a row lock, with a history of steps and comments (contract §9.4).
import { type AuthorizedSession, rolesSeeingAssessments } from "@rapport/contract/Authorization.ts"
import { AssessedCriterion, Assessment, assessments } from "@rapport/contract/quality/Assessment.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { AssessmentStore, type AssessmentEvent } from "@rapport/core/quality/AssessmentStore.ts"
import { Effect, Schema } from "effect"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { listRows } from "../sql/ListQuery.ts"
import { columnsOf, recordJson } from "../sql/Columns.ts"
import { audit } from "../sql/Records.ts"
import { insertedId, query, rowsOf, storeLayer, updateLocked, valuesOf } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf, holds } from "../sql/Visibility.ts"

const criterionMembers = Object.keys(AssessedCriterion.fields)
const criterionJson = recordJson(columnsOf("assessed", AssessedCriterion.fields), criterionMembers)
/** A criterion of a new assessment, from `quality_criteria criterion`. */
const copiedJson = recordJson(
  columnsOf("criterion", AssessedCriterion.fields, {
    criterionId: { sql: "criterion.id" },
    criterionVersion: { sql: "criterion.version" },
    automatic: { sql: "null" },
    human: { sql: "null" },
    comment: { sql: "null" }
  }),
  criterionMembers
)

const columns = columnsOf("assessment", Assessment.fields, {
  id: { required: true },
  criteria: {
    sql: `(select coalesce(json_agg(${criterionJson} order by assessed.place), '[]')
      from quality_assessment_criteria assessed
      where assessed.instance_id = assessment.instance_id and assessed.assessment_id = assessment.id)`
  },
  createdAt: { required: true }
})
const from = `quality_assessments assessment
  join appeals a on a.instance_id = assessment.instance_id and a.id = assessment.appeal_id, caller u`
const json = recordJson(columns, assessments.members)

const assessmentRows = valuesOf(Assessment)
const assessableRows = rowsOf(
  Schema.Struct({
    appeal: Schema.NullOr(Schema.Struct({ operatorId: Schema.NullOr(Schema.Int), closed: Schema.Boolean })),
    checklist: Schema.NullOr(
      Schema.Struct({
        version: Schema.Int,
        active: Schema.Boolean,
        criteria: Schema.Array(AssessedCriterion)
      })
    )
  })
)

/** The audit log contains ids and statuses, but no comments. */
const detailsOf = (event: AssessmentEvent, before: Assessment, after: Assessment) =>
  event.kind === "result" ? { criterionId: event.criterionId } : { from: before.status, to: after.status }

type Store = AssessmentStore["Service"]

export const layer = storeLayer(AssessmentStore)((sql) => ({
  ...creation(sql),
  list: query("AssessmentStore.list", (session, request) =>
    listRows(
      sql,
      {
        collection: assessments,
        common: callerOf(session),
        from: sql.literal(from),
        listed: { name: "assessment", joined: ", caller u" },
        where: visible(session),
        columns
      },
      request
    )
  ),
  find: query("AssessmentStore.find", (session, id) => find(sql, session, id)),
  update: (session, id, event, decide) =>
    updateLocked("AssessmentStore.update", unavailableOrDie, {
      find: find(sql, session, id, "for no key update of assessment"),
      decide,
      write: (next, found) => write(sql, session, found, next, event)
    })
}))

const creation = (sql: Sql) =>
  ({
    readAssessable: query("AssessmentStore.readAssessable", function* (session, appealId, checklistId) {
      const { instanceId } = session
      yield* sql`select 1 from quality_checklists checklist
        where checklist.instance_id = ${instanceId} and checklist.id = ${checklistId} for share`
      yield* sql`select 1 from quality_criteria criterion where criterion.instance_id = ${instanceId}
        and criterion.id in (select listed.criterion_id from quality_checklist_criteria listed
          where listed.instance_id = ${instanceId} and listed.checklist_id = ${checklistId})
            order by criterion.id for share`
      const { appeal, checklist } = yield* assessableRows.get(sql`with ${callerOf(session)} select
        (select json_build_object('operatorId', a.operator_id, 'closed', a.status_group = 'done')
          from appeals a, caller u where a.instance_id = ${instanceId} and a.id = ${appealId}
            and ${appealVisible}) as appeal,
        (select json_build_object('version', checklist.version, 'active', checklist.active, 'criteria',
            (select coalesce(json_agg(${sql.literal(copiedJson)} order by listed.place), '[]')
              from quality_checklist_criteria listed join quality_criteria criterion
                on criterion.instance_id = listed.instance_id and criterion.id = listed.criterion_id
              where listed.instance_id = checklist.instance_id and listed.checklist_id = checklist.id))
          from quality_checklists checklist where checklist.instance_id = ${instanceId}
            and checklist.id = ${checklistId}) as checklist`)

      return { appeal: appeal ?? undefined, checklist: checklist ?? undefined }
    }),

    create: query("AssessmentStore.create", function* (session, draft) {
      const { instanceId, userId } = session
      const id =
        yield* insertedId(sql`insert into quality_assessments (instance_id, appeal_id, operator_id, assessor_id,
          checklist_id, checklist_version, score)
        values (${instanceId}, ${draft.appealId}, ${draft.operatorId}::int8, ${userId}, ${draft.checklistId},
          ${draft.checklistVersion}, ${draft.score}::float8) returning id::float8 as id`)

      yield* insertCriteria(sql, instanceId, id, draft.criteria)
      const details = { appealId: draft.appealId, checklistId: draft.checklistId }
      yield* audit(sql, session, { action: "assessment.create", id, details })
      return yield* assessmentOf(sql, session, id)
    })
  }) satisfies Partial<Store>

/** Operators see their approved assessments, supervisors those of visible appeals, some roles all. */
const visible = ({ instanceId }: AuthorizedSession): Fragment => {
  const roles = sql.literal(`'{${rolesSeeingAssessments.join(",")}}'::text[]`)
  return sql`assessment.instance_id = ${instanceId} and ${holds("quality.read")} and (u.everything
    or (u.sees_as_user and u.roles && ${roles})
    or (u.supervises and ${appealVisible})
    or (u.sees_as_user and assessment.operator_id = u.user_id and assessment.status in ('approved', 'disputed', 'resolved')))`
}

const find = (sql: Sql, session: AuthorizedSession, id: number, lock = "") =>
  assessmentRows.find(sql`with ${callerOf(session)} select ${sql.literal(json)} as record from ${sql.literal(from)}
      where ${visible(session)} and assessment.id = ${id} ${sql.literal(lock)}`)

const insertCriteria = (
  sql: Sql,
  instanceId: number,
  id: number,
  criteria: ReadonlyArray<AssessedCriterion>
) =>
  sql`insert into quality_assessment_criteria (instance_id, assessment_id, criterion_id, place, criterion_version,
      name, weight, critical, penalty, automatic, human, comment)
    select ${instanceId}, ${id}, (given.e->>'criterionId')::int8, given.place, (given.e->>'criterionVersion')::int8, given.e->>'name',
      (given.e->>'weight')::int4, (given.e->>'critical')::bool, (given.e->>'penalty')::int4, given.e->>'automatic', given.e->>'human',
      given.e->>'comment'
    from json_array_elements(${JSON.stringify(criteria)}::text::json) with ordinality as given(e, place)`

const assessmentOf = (sql: Sql, { instanceId }: AuthorizedSession, id: number) =>
  assessmentRows.get(sql`select ${sql.literal(json)} as record from quality_assessments assessment
    where assessment.instance_id = ${instanceId} and assessment.id = ${id}`)

const write = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  before: Assessment,
  after: Assessment,
  event: AssessmentEvent
) {
  const { instanceId, userId } = session
  const { id } = before
  const approvedAt = after.approvedAt === null ? null : isoOf(after.approvedAt)
  const version =
    yield* insertedId(sql`update quality_assessments assessment set status = ${after.status}, score = ${after.score}::float8,
      approved_at = ${approvedAt}::timestamptz, version = version + 1
    where instance_id = ${instanceId} and id = ${id} returning version::float8 as id`)

  if (event.kind === "result") {
    const assessed = after.criteria.find(({ criterionId }) => criterionId === event.criterionId)
    yield* sql`update quality_assessment_criteria set human = ${assessed?.human ?? null}::text,
        comment = ${assessed?.comment ?? null}::text
      where instance_id = ${instanceId} and assessment_id = ${id} and criterion_id = ${event.criterionId}`
  } else {
    yield* sql`insert into quality_assessment_steps (instance_id, assessment_id, version, step, user_id, comment)
      values (${instanceId}, ${id}, ${version}, ${event.kind}, ${userId}, ${event.comment}::text)`
  }
  const verb = event.kind === "result" ? "judge" : event.kind
  const details = detailsOf(event, before, after)
  yield* audit(sql, session, { action: `assessment.${verb}`, id, details })
  // Without the visibility condition: an operator may return their assessment to a draft, which they cannot see.
  return yield* assessmentOf(sql, session, id)
})
