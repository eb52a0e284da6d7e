// Subjects and skill groups in PostgreSQL. Triggers derive the visibility of users from their rows (contract §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { SkillGroup, skillGroups, Subject, subjects } from "@rapport/contract/directory/DirectoryApi.ts"
import { DirectoryStore } from "@rapport/core/directory/DirectoryStore.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { lockRights } from "../users/RightsLock.ts"
import { idArray } from "../sql/IdArray.ts"
import { insertedId, query, queryOr, rowsOf, storeLayer } from "../sql/Query.ts"
import { audit, uniqueTaken } from "../sql/Records.ts"
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
  }
})

const Ids = Schema.Array(Schema.Int)
const unknownRows = rowsOf(Schema.Struct({ subjectIds: Ids, memberIds: Ids }))
const parentageRows = rowsOf(
  Schema.Struct({
    parent: Schema.NullOr(Schema.Struct({ id: Schema.Int, hasParent: Schema.Boolean })),
    hasChildren: Schema.Boolean
  })
)

const taken = uniqueTaken({ subjects_instance_id_alias_key: "alias is in use" })

type Sql = SqlClient.SqlClient
type Store = DirectoryStore["Service"]

export const layer = storeLayer(DirectoryStore)((sql) => ({
  ...subjectOperations(sql),
  ...skillGroupOperations(sql)
}))

const subjectOperations = (sql: Sql) =>
  ({
    createSubject: queryOr("DirectoryStore.createSubject", taken, function* (session, request) {
      const id =
        yield* insertedId(sql`insert into subjects (instance_id, name, alias, parent_id, active, reopen_hours)
        values (${session.instanceId}, ${request.name}, ${request.alias}, ${request.parentId ?? null},
          ${request.active ?? true}, ${request.reopenHours ?? 0}) returning id::float8 as id`)
      yield* audit(sql, session, { action: "subject.create", id })
      return yield* subjectRecords.get(sql, session, id)
    }),

    findSubject: subjectRecords.finding("DirectoryStore.findSubject", sql),
    listSubjects: subjectRecords.listing("DirectoryStore.listSubjects", sql),

    updateSubject: subjectRecords.updating("DirectoryStore.updateSubject", taken, {
      sql,
      action: "subject.update",
      write: (next, { id, instanceId }) => sql`update subjects set name = ${next.name}, alias = ${next.alias},
            parent_id = ${next.parentId}, active = ${next.active}, reopen_hours = ${next.reopenHours}, version = version + 1
          where instance_id = ${instanceId} and id = ${id}`
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
    })
  }) satisfies Partial<Store>

const skillGroupOperations = (sql: Sql) =>
  ({
    createSkillGroup: query("DirectoryStore.createSkillGroup", function* (session, request) {
      const id = yield* insertedId(sql`insert into skill_groups (instance_id, name, active)
        values (${session.instanceId}, ${request.name}, ${request.active ?? true}) returning id::float8 as id`)
      // Subjects first, so that the rights of the members are computed once.
      yield* setSubjects(sql, session, id, request.subjectIds ?? [])
      yield* setMembers(sql, session, id, request.memberIds ?? [])
      yield* audit(sql, session, { action: "skill_group.create", id })
      return yield* groupRecords.get(sql, session, id)
    }),

    findSkillGroup: groupRecords.finding("DirectoryStore.findSkillGroup", sql),
    listSkillGroups: groupRecords.listing("DirectoryStore.listSkillGroups", sql),

    updateSkillGroup: groupRecords.updating("DirectoryStore.updateSkillGroup", unavailableOrDie, {
      sql,
      action: "skill_group.update",
      write: Effect.fnUntraced(function* (next, { changed, id, instanceId }) {
        yield* sql`update skill_groups set name = ${next.name}, active = ${next.active}, version = version + 1
          where instance_id = ${instanceId} and id = ${id}`
        if (changed.includes("subjectIds")) yield* setSubjects(sql, { instanceId }, id, next.subjectIds)
        if (changed.includes("memberIds")) yield* setMembers(sql, { instanceId }, id, next.memberIds)
      })
    }),

    unknownOf: query("DirectoryStore.unknownOf", ({ instanceId }, ids) =>
      unknownRows.get(sql`select
      array(select wanted::float8 from unnest(${idArray(sql, ids.subjectIds)}) wanted where not exists
        (select 1 from subjects subject where subject.instance_id = ${instanceId}
          and subject.id = wanted)) as "subjectIds",
      array(select wanted::float8 from unnest(${idArray(sql, ids.memberIds)}) wanted where not exists
        (select 1 from users account where account.instance_id = ${instanceId} and account.id = wanted)) as "memberIds"`)
    )
  }) satisfies Partial<Store>

/** Replaces the links of a skill group in a table of pairs. */
const setLinks = (pairs: string, other: string) =>
  Effect.fnUntraced(function* (
    sql: Sql,
    { instanceId }: Pick<AuthorizedSession, "instanceId">,
    id: number,
    otherIds: ReadonlyArray<number>
  ) {
    const ids = idArray(sql, otherIds)
    const [table, column] = [sql.literal(pairs), sql.literal(other)]
    yield* lockRights(sql, instanceId)
    yield* sql`delete from ${table} where instance_id = ${instanceId} and skill_group_id = ${id}
      and not (${column} = any(${ids}))`
    yield* sql`insert into ${table} (instance_id, skill_group_id, ${column})
      select ${instanceId}, ${id}, other_id from unnest(${ids}) other_id order by other_id on conflict do nothing`
  })
const setMembers = setLinks("skill_group_members", "user_id")
const setSubjects = setLinks("skill_group_subjects", "subject_id")
