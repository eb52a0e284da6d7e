// Subjects and skill groups in PostgreSQL. Triggers derive the visibility of users from their rows (contract §2, §9).
import { SkillGroup, skillGroups, Subject, subjects } from "@rapport/contract/directory/DirectoryApi.ts"
import { DirectoryStore } from "@rapport/core/directory/DirectoryStore.ts"
import { Effect, Schema } from "effect"
import { idArray, type Sql } from "../sql/Fragment.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { lockRights } from "../users/RightsLock.ts"
import { query, rowsOf, storeLayer, unknownIds } from "../sql/Query.ts"
import { uniqueTaken } from "../sql/Records.ts"
import { ownRecords } from "../sql/OwnRecords.ts"

const subjectRecords = ownRecords(Subject, {
  collection: subjects,
  table: "subjects",
  name: "subject",
  searched: "array[subject.name, subject.alias]"
})
const groupRecords = ownRecords(SkillGroup, {
  collection: skillGroups,
  table: "skill_groups",
  name: "skill_group",
  searched: "array[skill_group.name]",
  columns: {
    subjectIds: {
      sql: `array(select group_subject.subject_id from skill_group_subjects group_subject
        where group_subject.instance_id = skill_group.instance_id and group_subject.skill_group_id = skill_group.id
          order by 1)`
    },
    memberIds: {
      sql: `array(select member.user_id from skill_group_members member
        where member.instance_id = skill_group.instance_id and member.skill_group_id = skill_group.id order by 1)`
    }
  },
  // Subjects first, so that the rights of the members are computed once.
  links: {
    subjectIds: (sql, group, { subjectIds }) =>
      setLinks(sql, "skill_group_subjects", "subject_id", group, subjectIds),
    memberIds: (sql, group, { memberIds }) =>
      setLinks(sql, "skill_group_members", "user_id", group, memberIds)
  }
})

const parentageRows = rowsOf(
  Schema.Struct({
    parent: Schema.NullOr(Schema.Struct({ id: Schema.Int, hasParent: Schema.Boolean })),
    hasChildren: Schema.Boolean
  })
)

const taken = uniqueTaken({ subjects_instance_id_alias_key: "alias is in use" })

export const layer = storeLayer(DirectoryStore)((sql) => ({
  subjects: subjectRecords.methods(sql, {
    span: "DirectoryStore.subjects",
    entity: "subject",
    onSqlError: taken
  }),
  skillGroups: groupRecords.methods(sql, {
    span: "DirectoryStore.skillGroups",
    entity: "skill_group",
    onSqlError: unavailableOrDie
  }),
  parentage: query("DirectoryStore.parentage", function* ({ instanceId }, id, parentId) {
    // Two parallel changes could each be valid and together make three levels.
    yield* sql`select pg_advisory_xact_lock(7202, (${instanceId}::int8 % 2147483647)::int4)`
    const { hasChildren, parent } = yield* parentageRows.get(sql`select
      (select json_build_object('id', parent.id, 'hasParent', parent.parent_id is not null) from subjects parent
        where parent.instance_id = ${instanceId} and parent.id = ${parentId}) as parent,
      exists (select 1 from subjects child where child.instance_id = ${instanceId}
        and child.parent_id = ${id}) as "hasChildren"`)
    return { hasChildren, parent: parent ?? undefined }
  }),
  unknownOf: query("DirectoryStore.unknownOf", ({ instanceId }, ids) =>
    Effect.all({
      subjectIds: unknownIds(sql, "subjects", instanceId, ids.subjectIds),
      memberIds: unknownIds(sql, "users", instanceId, ids.memberIds)
    })
  )
}))

/** Replaces the links of a skill group in a table of pairs. */
const setLinks = Effect.fnUntraced(function* (
  sql: Sql,
  pairs: string,
  other: string,
  { id, instanceId }: { readonly instanceId: number; readonly id: number },
  otherIds: ReadonlyArray<number>
) {
  const ids = idArray(otherIds)
  const [table, column] = [sql.literal(pairs), sql.literal(other)]
  yield* lockRights(sql, instanceId)
  yield* sql`delete from ${table} where instance_id = ${instanceId} and skill_group_id = ${id}
    and not (${column} = any(${ids}))`
  yield* sql`insert into ${table} (instance_id, skill_group_id, ${column})
    select ${instanceId}, ${id}, other_id from unnest(${ids}) other_id order by other_id on conflict do nothing`
})
