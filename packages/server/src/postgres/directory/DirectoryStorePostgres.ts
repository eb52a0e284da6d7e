// Subjects and skill groups in PostgreSQL; who sees what follows their rows by triggers (docs/contract.md §2, §9).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { SkillGroup, skillGroups, Subject, subjects } from "@rapport/contract/directory/DirectoryApi.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { DirectoryStore } from "@rapport/core/directory/DirectoryStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { away } from "../sql/SqlFailure.ts"
import { idArray } from "../sql/IdArray.ts"
import { type Column, listRows, type TableList } from "../sql/ListQuery.ts"
import { audit, brokeUnique, recordJson } from "../sql/Records.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Of `subjects s`. */
const subjectColumns: Readonly<Record<string, Column>> = {
  id: { sql: "s.id" },
  name: { sql: "s.name" },
  alias: { sql: "s.alias" },
  parentId: { sql: "s.parent_id" },
  active: { sql: "s.active" },
  version: { sql: "s.version" }
}
/** Of `skill_groups g`. */
const groupColumns: Readonly<Record<string, Column>> = {
  id: { sql: "g.id" },
  name: { sql: "g.name" },
  active: { sql: "g.active" },
  subjectIds: {
    sql: `array(select e.subject_id from skill_group_subjects e
      where e.instance_id = g.instance_id and e.skill_group_id = g.id order by 1)`
  },
  memberIds: {
    sql: `array(select e.user_id from skill_group_members e
      where e.instance_id = g.instance_id and e.skill_group_id = g.id order by 1)`
  },
  version: { sql: "g.version" }
}
const subjectJson = recordJson(subjectColumns, subjects.members)
const groupJson = recordJson(groupColumns, skillGroups.members)

const decodeSubjects = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ record: Subject })))
const decodeGroups = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ record: SkillGroup })))
const decodeId = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: Schema.Int })]))
const decodeParentage = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      parent: Schema.NullOr(Schema.Struct({ id: Schema.Int, hasParent: Schema.Boolean })),
      hasChildren: Schema.Boolean
    })
  ])
)
const Ids = Schema.Array(Schema.Int)
const decodeUnknown = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ subjectIds: Ids, memberIds: Ids })])
)

const taken = (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> =>
  brokeUnique(error, "subjects_instance_id_alias_key")
    ? Effect.fail(new UniqueConflict({ detail: "alias is taken" }))
    : away(error)

export const layer: Layer.Layer<DirectoryStore, never, SqlClient.SqlClient> = Layer.effect(
  DirectoryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const none = sql.literal("")

    const subjectOf = (session: AuthorizedSession, id: number, lock: Statement.Fragment = none) =>
      sql`select ${sql.literal(subjectJson)} as record from subjects s
        where s.instance_id = ${session.instanceId} and s.id = ${id} ${lock}`.pipe(
        Effect.flatMap((rows) => Effect.orDie(decodeSubjects(rows))),
        Effect.map(([row]) => row?.record)
      )
    const groupOf = (session: AuthorizedSession, id: number, lock: Statement.Fragment = none) =>
      sql`select ${sql.literal(groupJson)} as record from skill_groups g
        where g.instance_id = ${session.instanceId} and g.id = ${id} ${lock}`.pipe(
        Effect.flatMap((rows) => Effect.orDie(decodeGroups(rows))),
        Effect.map(([row]) => row?.record)
      )
    const listed = (session: AuthorizedSession, list: Omit<TableList, "common" | "includes">) => ({
      ...list,
      common: callerOf(sql, session),
      includes: {}
    })

    const setMembers = Effect.fnUntraced(function* (
      { instanceId }: AuthorizedSession,
      id: number,
      memberIds: ReadonlyArray<number>
    ) {
      const ids = idArray(sql, memberIds)
      yield* sql`delete from skill_group_members where instance_id = ${instanceId} and skill_group_id = ${id}
        and not (user_id = any(${ids}))`
      yield* sql`insert into skill_group_members (instance_id, skill_group_id, user_id)
        select ${instanceId}, ${id}, unnest(${ids}) on conflict do nothing`
    })
    const setSubjects = Effect.fnUntraced(function* (
      { instanceId }: AuthorizedSession,
      id: number,
      subjectIds: ReadonlyArray<number>
    ) {
      const ids = idArray(sql, subjectIds)
      yield* sql`delete from skill_group_subjects where instance_id = ${instanceId} and skill_group_id = ${id}
        and not (subject_id = any(${ids}))`
      yield* sql`insert into skill_group_subjects (instance_id, skill_group_id, subject_id)
        select ${instanceId}, ${id}, unnest(${ids}) on conflict do nothing`
    })

    return DirectoryStore.of({
      createSubject: Effect.fn("DirectoryStore.createSubject")(
        function* (session, request) {
          const rows = yield* sql`insert into subjects (instance_id, name, alias, parent_id, active)
          values (${session.instanceId}, ${request.name}, ${request.alias}, ${request.parentId ?? null},
            ${request.active ?? true}) returning id::float8 as id`
          const [{ id }] = yield* Effect.orDie(decodeId(rows))
          yield* audit(sql, session, { action: "subject.create", id })
          return (yield* subjectOf(session, id)) ?? (yield* Effect.die("insert … returning returned nothing"))
        },
        Effect.catchTag("SqlError", taken)
      ),

      findSubject: Effect.fn("DirectoryStore.findSubject")(
        (session, id) => subjectOf(session, id),
        Effect.catchTag("SqlError", away)
      ),

      listSubjects: (session, request) =>
        listRows(
          listed(session, {
            collection: subjects,
            from: sql.literal("subjects s, caller u"),
            where: sql.literal("s.instance_id = u.instance_id"),
            columns: subjectColumns,
            searched: ["s.name", "s.alias"]
          }),
          request
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.catchTag("SqlError", away)),

      updateSubject: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* subjectOf(session, id, sql.literal("for update of s"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          yield* sql`update subjects set name = ${next.name}, alias = ${next.alias}, parent_id = ${next.parentId},
              active = ${next.active}, version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
          const details = { changed: changedMembers(found, next) }
          yield* audit(sql, session, { action: "subject.update", id, details })
          return Result.succeed(yield* subjectOf(session, id))
        }).pipe(
          Effect.catchTag("SqlError", taken),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("DirectoryStore.updateSubject")
        ),

      parentage: Effect.fn("DirectoryStore.parentage")(
        function* ({ instanceId }, id, parentId) {
          // Two changes at once could each be right alone and make two levels together.
          yield* sql`select pg_advisory_xact_lock(7202, (${instanceId}::int8 % 2147483647)::int4)`
          const rows = yield* sql`select
          (select json_build_object('id', p.id, 'hasParent', p.parent_id is not null) from subjects p
            where p.instance_id = ${instanceId} and p.id = ${parentId}) as parent,
          exists (select 1 from subjects h where h.instance_id = ${instanceId} and h.parent_id = ${id}) as "hasChildren"`
          const [{ hasChildren, parent }] = yield* Effect.orDie(decodeParentage(rows))
          return { hasChildren, parent: parent ?? undefined }
        },
        Effect.catchTag("SqlError", away)
      ),

      unknownOf: Effect.fn("DirectoryStore.unknownOf")(
        function* ({ instanceId }, ids) {
          const rows = yield* sql`select
          array(select i::float8 from unnest(${idArray(sql, ids.subjectIds)}) i where not exists
            (select 1 from subjects s where s.instance_id = ${instanceId} and s.id = i)) as "subjectIds",
          array(select i::float8 from unnest(${idArray(sql, ids.memberIds)}) i where not exists
            (select 1 from users m where m.instance_id = ${instanceId} and m.id = i)) as "memberIds"`
          const [unknown] = yield* Effect.orDie(decodeUnknown(rows))
          return unknown
        },
        Effect.catchTag("SqlError", away)
      ),

      createSkillGroup: Effect.fn("DirectoryStore.createSkillGroup")(
        function* (session, request) {
          const rows = yield* sql`insert into skill_groups (instance_id, name, active)
          values (${session.instanceId}, ${request.name}, ${request.active ?? true}) returning id::float8 as id`
          const [{ id }] = yield* Effect.orDie(decodeId(rows))
          // Subjects first: the members' rights are then made once, with all of them.
          yield* setSubjects(session, id, request.subjectIds ?? [])
          yield* setMembers(session, id, request.memberIds ?? [])
          yield* audit(sql, session, { action: "skill_group.create", id })
          return (yield* groupOf(session, id)) ?? (yield* Effect.die("insert … returning returned nothing"))
        },
        Effect.catchTag("SqlError", away)
      ),

      findSkillGroup: Effect.fn("DirectoryStore.findSkillGroup")(
        (session, id) => groupOf(session, id),
        Effect.catchTag("SqlError", away)
      ),

      listSkillGroups: (session, request) =>
        listRows(
          listed(session, {
            collection: skillGroups,
            from: sql.literal("skill_groups g, caller u"),
            where: sql.literal("g.instance_id = u.instance_id"),
            columns: groupColumns,
            searched: ["g.name"]
          }),
          request
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.catchTag("SqlError", away)),

      updateSkillGroup: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* groupOf(session, id, sql.literal("for update of g"))
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          const changed = changedMembers(found, next)
          yield* sql`update skill_groups set name = ${next.name}, active = ${next.active}, version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
          if (changed.includes("subjectIds")) yield* setSubjects(session, id, next.subjectIds)
          if (changed.includes("memberIds")) yield* setMembers(session, id, next.memberIds)
          yield* audit(sql, session, { action: "skill_group.update", id, details: { changed } })
          return Result.succeed(yield* groupOf(session, id))
        }).pipe(
          Effect.catchTag("SqlError", away),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("DirectoryStore.updateSkillGroup")
        )
    })
  })
)
