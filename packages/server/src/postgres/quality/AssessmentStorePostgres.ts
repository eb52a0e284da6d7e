// Assessments in PostgreSQL: found by who may see them, changed under a row lock, every step kept with its comment
// (docs/contract.md §9.4).
import { rolesSeeingAssessments } from "@rapport/contract/access/Permission.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AssessedCriterion, Assessment, assessments } from "@rapport/contract/quality/Assessment.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { AssessmentStore, type Happening } from "@rapport/core/quality/AssessmentStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { audit, recordJson } from "../sql/Records.ts"
import { insertedId, query, recordsOf, rowsOf, updateLocked } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { appealVisible, callerOf, holds } from "../sql/Visibility.ts"

/** Of `quality_assessment_criteria e`; its names are those of the record in another form. */
const criterionJson = `json_build_object('criterionId', e.criterion_id, 'criterionVersion', e.criterion_version,
  'name', e.name, 'weight', e.weight, 'critical', e.critical, 'penalty', e.penalty, 'automatic', e.automatic,
  'human', e.human, 'comment', e.comment)`

/** Of `quality_assessments x`. */
const columns: Readonly<Record<string, Column>> = {
  id: { sql: "x.id", required: true },
  appealId: { sql: "x.appeal_id" },
  operatorId: { sql: "x.operator_id" },
  assessorId: { sql: "x.assessor_id" },
  checklistId: { sql: "x.checklist_id" },
  checklistVersion: { sql: "x.checklist_version" },
  status: { sql: "x.status" },
  score: { sql: "x.score" },
  criteria: {
    sql: `(select coalesce(json_agg(${criterionJson} order by e.place), '[]') from quality_assessment_criteria e
      where e.instance_id = x.instance_id and e.assessment_id = x.id)`
  },
  createdAt: { sql: "x.created_at", time: true, required: true },
  approvedAt: { sql: "x.approved_at", time: true },
  version: { sql: "x.version" }
}
const from = `quality_assessments x
  join appeals a on a.instance_id = x.instance_id and a.id = x.appeal_id, caller u`
const json = recordJson(columns, assessments.members)

const assessmentRows = recordsOf(Assessment)
const lookedRows = rowsOf(
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

/** What the audit log keeps of it: ids and statuses, no comment. */
const detailsOf = (happening: Happening, before: Assessment, after: Assessment) =>
  happening.kind === "result"
    ? { criterionId: happening.criterionId }
    : { from: before.status, to: after.status }

type Sql = SqlClient.SqlClient
type Store = AssessmentStore["Service"]

export const layer: Layer.Layer<AssessmentStore, never, SqlClient.SqlClient> = Layer.effect(
  AssessmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AssessmentStore.of({
      ...creation(sql),
      list: query("AssessmentStore.list", (session, request) =>
        listRows(
          sql,
          {
            collection: assessments,
            common: callerOf(sql, session),
            from: sql.literal(from),
            listed: { name: "x", joined: ", caller u" },
            where: visible(sql, session),
            columns
          },
          request
        )
      ),
      find: query("AssessmentStore.find", (session, id) => find(sql, session, id)),
      update: (session, id, happening, decide) =>
        updateLocked("AssessmentStore.update", unavailableOrDie, {
          find: find(sql, session, id, "for update of x"),
          decide,
          write: (next, found) => write(sql, session, found, next, happening)
        })
    })
  })
)

/** What an assessment is made of, and making it. */
const creation = (sql: Sql) =>
  ({
    look: query("AssessmentStore.look", (session, appealId, checklistId) =>
      Effect.gen(function* () {
        const { instanceId } = session
        yield* sql`select 1 from quality_checklists k
        where k.instance_id = ${instanceId} and k.id = ${checklistId} for share`
        yield* sql`select 1 from quality_criteria c where c.instance_id = ${instanceId}
        and c.id in (select l.criterion_id from quality_checklist_criteria l
          where l.instance_id = ${instanceId} and l.checklist_id = ${checklistId}) order by c.id for share`
        const copied = sql.literal(
          criterionJson.replaceAll("e.criterion_id", "e.id").replaceAll("e.criterion_version", "e.version")
        )
        const { appeal, checklist } = yield* lookedRows.get(sql`with ${callerOf(sql, session)} select
        (select json_build_object('operatorId', a.operator_id, 'closed', a.status_group = 'done')
          from appeals a, caller u where a.instance_id = ${instanceId} and a.id = ${appealId}
            and ${appealVisible(sql)}) as appeal,
        (select json_build_object('version', k.version, 'active', k.active, 'criteria',
            (select coalesce(json_agg(${copied} order by l.place), '[]') from quality_checklist_criteria l
              join (select c.*, null::text as automatic, null::text as human, null::text as comment
                from quality_criteria c) e on e.instance_id = l.instance_id and e.id = l.criterion_id
              where l.instance_id = k.instance_id and l.checklist_id = k.id))
          from quality_checklists k where k.instance_id = ${instanceId} and k.id = ${checklistId}) as checklist`)

        return { appeal: appeal ?? undefined, checklist: checklist ?? undefined }
      })
    ),

    create: query("AssessmentStore.create", (session, draft) =>
      Effect.gen(function* () {
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
    )
  }) satisfies Partial<Store>

/** Operators see their own once they are approved, supervisors those of appeals that they see, some roles all. */
const visible = (sql: Sql, { instanceId }: AuthorizedSession): Statement.Fragment => {
  const roles = sql.literal(`'{${rolesSeeingAssessments.join(",")}}'::text[]`)
  return sql`x.instance_id = ${instanceId} and ${holds(sql, "quality.read")} and (u.everything
    or (u.token is null and u.roles && ${roles})
    or (u.supervises and ${appealVisible(sql)})
    or (u.answers and x.operator_id = u.user_id and x.status in ('approved', 'disputed', 'resolved')))`
}

const find = (sql: Sql, session: AuthorizedSession, id: number, lock = "") =>
  assessmentRows.find(sql`with ${callerOf(sql, session)} select ${sql.literal(json)} as record from ${sql.literal(from)}
      where ${visible(sql, session)} and x.id = ${id} ${sql.literal(lock)}`)

const insertCriteria = (
  sql: Sql,
  instanceId: number,
  id: number,
  criteria: ReadonlyArray<AssessedCriterion>
) =>
  sql`insert into quality_assessment_criteria (instance_id, assessment_id, criterion_id, place, criterion_version,
      name, weight, critical, penalty, automatic, human, comment)
    select ${instanceId}, ${id}, (t.e->>'criterionId')::int8, t.place, (t.e->>'criterionVersion')::int8, t.e->>'name',
      (t.e->>'weight')::int4, (t.e->>'critical')::bool, (t.e->>'penalty')::int4, t.e->>'automatic', t.e->>'human',
      t.e->>'comment'
    from json_array_elements(${JSON.stringify(criteria)}::text::json) with ordinality as t(e, place)`

const assessmentOf = (sql: Sql, { instanceId }: AuthorizedSession, id: number) =>
  assessmentRows.get(sql`select ${sql.literal(json)} as record from quality_assessments x
    where x.instance_id = ${instanceId} and x.id = ${id}`)

/** The assessment as it became, and what happened to it. */
const write = Effect.fnUntraced(function* (
  sql: Sql,
  session: AuthorizedSession,
  before: Assessment,
  after: Assessment,
  happening: Happening
) {
  const { instanceId, userId } = session
  const { id } = before
  const approvedAt = after.approvedAt === null ? null : isoOf(after.approvedAt)
  const version =
    yield* insertedId(sql`update quality_assessments x set status = ${after.status}, score = ${after.score}::float8,
      approved_at = ${approvedAt}::timestamptz, version = version + 1
    where instance_id = ${instanceId} and id = ${id} returning version::float8 as id`)

  if (happening.kind === "result") {
    const judged = after.criteria.find(({ criterionId }) => criterionId === happening.criterionId)
    yield* sql`update quality_assessment_criteria set human = ${judged?.human ?? null}::text,
        comment = ${judged?.comment ?? null}::text
      where instance_id = ${instanceId} and assessment_id = ${id} and criterion_id = ${happening.criterionId}`
  } else {
    yield* sql`insert into quality_assessment_steps (instance_id, assessment_id, version, step, user_id, comment)
      values (${instanceId}, ${id}, ${version}, ${happening.kind}, ${userId}, ${happening.comment}::text)`
  }
  const verb = happening.kind === "result" ? "judge" : happening.kind
  const details = detailsOf(happening, before, after)
  yield* audit(sql, session, { action: `assessment.${verb}`, id, details })
  // An operator whose assessment is a draft again would not see it; the change is theirs to read all the same.
  return yield* assessmentOf(sql, session, id)
})
