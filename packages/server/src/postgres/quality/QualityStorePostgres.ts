// Criteria and checklists in PostgreSQL. A referenced one is not deleted (contract §9.4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Checklist, checklists, criteria, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { QualityStore } from "@rapport/core/quality/QualityStore.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { audit } from "../sql/Records.ts"
import { insertedId, query, selectedIds, storeLayer } from "../sql/Query.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { ownRecords } from "../sql/OwnRecords.ts"

const criterionRecords = ownRecords(Criterion, {
  collection: criteria,
  table: "quality_criteria",
  name: "criterion"
})
const checklistRecords = ownRecords(Checklist, {
  collection: checklists,
  table: "quality_checklists",
  name: "checklist",
  columns: {
    criterionIds: {
      sql: `array(select named.criterion_id from quality_checklist_criteria named
        where named.instance_id = checklist.instance_id and named.checklist_id = checklist.id order by named.place)`
    }
  }
})

type Sql = SqlClient.SqlClient
type Store = QualityStore["Service"]

export const layer = storeLayer(QualityStore)((sql) => ({
  ...criterionOperations(sql),
  ...checklistOperations(sql)
}))

const criterionOperations = (sql: Sql) =>
  ({
    listCriteria: criterionRecords.listing("QualityStore.listCriteria", sql),
    findCriterion: criterionRecords.finding("QualityStore.findCriterion", sql),

    createCriterion: query(
      "QualityStore.createCriterion",
      function* (session, { critical, description, name, penalty, weight }) {
        const insert = sql`insert into quality_criteria as criterion (instance_id, name, description, weight, critical, penalty)
          values (${session.instanceId}, ${name}, ${description}, ${weight}, ${critical}, ${penalty})`
        return yield* criterionRecords.inserted(sql, session, "criterion.create", insert)
      }
    ),

    updateCriterion: criterionRecords.updating("QualityStore.updateCriterion", unavailableOrDie, {
      sql,
      action: "criterion.update",
      write: (next, { id, instanceId }) => sql`update quality_criteria set name = ${next.name},
            description = ${next.description}, weight = ${next.weight}, critical = ${next.critical}, penalty = ${next.penalty}, version = version + 1
          where instance_id = ${instanceId} and id = ${id}`
    }),

    removeCriterion: criterionRecords.removing("QualityStore.removeCriterion", sql, {
      action: "criterion.delete",
      used: ({ id, instanceId }) => sql`exists (select 1 from quality_checklist_criteria named
          where named.instance_id = ${instanceId} and named.criterion_id = ${id})
        or exists (select 1 from quality_assessment_criteria named
          where named.instance_id = ${instanceId} and named.criterion_id = ${id})`
    }),

    unknownCriteria: query("QualityStore.unknownCriteria", function* ({ instanceId }, ids) {
      const known = yield* selectedIds(sql`select criterion.id::float8 as id from quality_criteria criterion
        where criterion.instance_id = ${instanceId} and criterion.id = any(${idArray(sql, ids)})
          order by criterion.id for key share`)
      return ids.filter((id) => !known.includes(id))
    })
  }) satisfies Partial<Store>

const checklistOperations = (sql: Sql) =>
  ({
    listChecklists: checklistRecords.listing("QualityStore.listChecklists", sql),
    findChecklist: checklistRecords.finding("QualityStore.findChecklist", sql),

    createChecklist: query(
      "QualityStore.createChecklist",
      function* (session, { active, criterionIds, name }) {
        const id = yield* insertedId(sql`insert into quality_checklists (instance_id, name, active)
        values (${session.instanceId}, ${name}, ${active}) returning id::float8 as id`)

        yield* setCriteria(sql, session, id, criterionIds)
        yield* audit(sql, session, { action: "checklist.create", id })
        return yield* checklistRecords.get(sql, session, id)
      }
    ),

    updateChecklist: checklistRecords.updating("QualityStore.updateChecklist", unavailableOrDie, {
      sql,
      action: "checklist.update",
      write: Effect.fnUntraced(function* (next, { changed, id, instanceId }) {
        yield* sql`update quality_checklists set name = ${next.name}, active = ${next.active}, version = version + 1
          where instance_id = ${instanceId} and id = ${id}`
        if (changed.includes("criterionIds")) yield* setCriteria(sql, { instanceId }, id, next.criterionIds)
      })
    }),

    removeChecklist: checklistRecords.removing("QualityStore.removeChecklist", sql, {
      action: "checklist.delete",
      used: ({ id, instanceId }) => sql`exists (select 1 from quality_assessments named
        where named.instance_id = ${instanceId} and named.checklist_id = ${id})`
    })
  }) satisfies Partial<Store>

const setCriteria = Effect.fnUntraced(function* (
  sql: Sql,
  { instanceId }: Pick<AuthorizedSession, "instanceId">,
  id: number,
  criterionIds: ReadonlyArray<number>
) {
  yield* sql`delete from quality_checklist_criteria where instance_id = ${instanceId} and checklist_id = ${id}`
  yield* sql`insert into quality_checklist_criteria (instance_id, checklist_id, criterion_id, place)
    select ${instanceId}, ${id}, given.id, given.place
    from unnest(${idArray(sql, criterionIds)}) with ordinality as given(id, place)`
})
