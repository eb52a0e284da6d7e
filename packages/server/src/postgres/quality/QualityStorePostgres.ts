// Criteria and checklists in PostgreSQL. A referenced one is not deleted (contract §9.4).
import { Checklist, checklists, criteria, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { QualityStore } from "@rapport/core/quality/QualityStore.ts"
import { Effect } from "effect"
import { idArray } from "../sql/Fragment.ts"
import { query, storeLayer, unknownIds } from "../sql/Query.ts"
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
  },
  links: {
    criterionIds: (sql, { id, instanceId }, { criterionIds }) =>
      Effect.andThen(
        sql`delete from quality_checklist_criteria where instance_id = ${instanceId} and checklist_id = ${id}`,
        sql`insert into quality_checklist_criteria (instance_id, checklist_id, criterion_id, place)
          select ${instanceId}, ${id}, given.id, given.place
          from unnest(${idArray(criterionIds)}) with ordinality as given(id, place)`
      )
  }
})

export const layer = storeLayer(QualityStore)((sql) => ({
  criteria: criterionRecords.removableMethods(sql, {
    span: "QualityStore.criteria",
    entity: "criterion",
    used: ({ id, instanceId }) => sql`exists (select 1 from quality_checklist_criteria named
        where named.instance_id = ${instanceId} and named.criterion_id = ${id})
      or exists (select 1 from quality_assessment_criteria named
        where named.instance_id = ${instanceId} and named.criterion_id = ${id})`
  }),
  checklists: checklistRecords.removableMethods(sql, {
    span: "QualityStore.checklists",
    entity: "checklist",
    used: ({ id, instanceId }) => sql`exists (select 1 from quality_assessments named
      where named.instance_id = ${instanceId} and named.checklist_id = ${id})`
  }),
  unknownCriteria: query("QualityStore.unknownCriteria", ({ instanceId }, ids) =>
    unknownIds(sql, "quality_criteria", instanceId, ids, "order by id for key share")
  )
}))
