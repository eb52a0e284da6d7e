// Criteria and checklists in PostgreSQL; what something names is not deleted (docs/contract.md §9.4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Checklist, checklists, criteria, Criterion } from "@rapport/contract/quality/Criterion.ts"
import { QualityStore } from "@rapport/core/quality/QualityStore.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { idArray } from "../sql/IdArray.ts"
import { type Column, listRows, type TableList } from "../sql/ListQuery.ts"
import { audit, recordJson } from "../sql/Records.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { callerOf } from "../sql/Visibility.ts"

/** Of `quality_criteria c`. */
const criterionColumns: Readonly<Record<string, Column>> = {
  id: { sql: "c.id" },
  name: { sql: "c.name" },
  description: { sql: "c.description" },
  weight: { sql: "c.weight" },
  critical: { sql: "c.critical" },
  penalty: { sql: "c.penalty" },
  version: { sql: "c.version" }
}
/** Of `quality_checklists k`. */
const checklistColumns: Readonly<Record<string, Column>> = {
  id: { sql: "k.id" },
  name: { sql: "k.name" },
  criterionIds: {
    sql: `array(select e.criterion_id from quality_checklist_criteria e
      where e.instance_id = k.instance_id and e.checklist_id = k.id order by e.place)`
  },
  active: { sql: "k.active" },
  version: { sql: "k.version" }
}
const criterionJson = recordJson(criterionColumns, criteria.members)
const checklistJson = recordJson(checklistColumns, checklists.members)

const decodeCriteria = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ record: Criterion })))
const decodeChecklists = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ record: Checklist })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))
const decodeUsed = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ used: Schema.Boolean })))

const returned = <A>(record: A | undefined): Effect.Effect<A> =>
  record === undefined ? Effect.die("insert … returning returned nothing") : Effect.succeed(record)

export const layer: Layer.Layer<QualityStore, never, SqlClient.SqlClient> = Layer.effect(
  QualityStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const none = sql.literal("")
    const locked = sql.literal("for update")

    const criterionOf = ({ instanceId }: AuthorizedSession, id: number, lock: Statement.Fragment = none) =>
      sql`select ${sql.literal(criterionJson)} as record from quality_criteria c
        where c.instance_id = ${instanceId} and c.id = ${id} ${lock}`.pipe(
        Effect.flatMap((rows) => Effect.orDie(decodeCriteria(rows))),
        Effect.map(([row]) => row?.record)
      )
    const checklistOf = ({ instanceId }: AuthorizedSession, id: number, lock: Statement.Fragment = none) =>
      sql`select ${sql.literal(checklistJson)} as record from quality_checklists k
        where k.instance_id = ${instanceId} and k.id = ${id} ${lock}`.pipe(
        Effect.flatMap((rows) => Effect.orDie(decodeChecklists(rows))),
        Effect.map(([row]) => row?.record)
      )
    const listed = (
      session: AuthorizedSession,
      list: Omit<TableList, "common" | "includes" | "searched">
    ) => ({
      ...list,
      common: callerOf(sql, session),
      includes: {},
      searched: []
    })

    const setCriteria = Effect.fnUntraced(function* (
      { instanceId }: AuthorizedSession,
      id: number,
      criterionIds: ReadonlyArray<number>
    ) {
      yield* sql`delete from quality_checklist_criteria where instance_id = ${instanceId} and checklist_id = ${id}`
      yield* sql`insert into quality_checklist_criteria (instance_id, checklist_id, criterion_id, place)
        select ${instanceId}, ${id}, t.id, t.place
        from unnest(${idArray(sql, criterionIds)}) with ordinality as t(id, place)`
    })

    /** Who names the record waits for its lock, and then finds it gone. */
    const remove = Effect.fnUntraced(function* (
      session: AuthorizedSession,
      id: number,
      options: { readonly table: string; readonly used: Statement.Fragment; readonly action: string }
    ) {
      const table = sql.literal(options.table)
      const { instanceId } = session
      const rows =
        yield* sql`select 1 from ${table} r where r.instance_id = ${instanceId} and r.id = ${id} for update`
      if (rows.length === 0) return undefined
      const [{ used } = { used: true }] = yield* Effect.orDie(
        decodeUsed(yield* sql`select (${options.used}) as used`)
      )
      if (used) return "used" as const
      yield* sql`delete from ${table} r where r.instance_id = ${instanceId} and r.id = ${id}`
      yield* audit(sql, session, { action: options.action, id })
      return "removed" as const
    })

    return QualityStore.of({
      listCriteria: (session, request) =>
        listRows(
          sql,
          listed(session, {
            collection: criteria,
            from: sql.literal("quality_criteria c, caller u"),
            where: sql.literal("c.instance_id = u.instance_id"),
            columns: criterionColumns
          }),
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

      findCriterion: Effect.fn("QualityStore.findCriterion")(
        (session, id) => criterionOf(session, id),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      createCriterion: Effect.fn("QualityStore.createCriterion")(
        function* (session, { critical, description, name, penalty, weight }) {
          const rows = yield* sql`insert into quality_criteria as c
              (instance_id, name, description, weight, critical, penalty)
            values (${session.instanceId}, ${name}, ${description}, ${weight}, ${critical}, ${penalty})
            returning ${sql.literal(criterionJson)} as record`
          const [row] = yield* Effect.orDie(decodeCriteria(rows))
          const made = yield* returned(row?.record)
          yield* audit(sql, session, { action: "criterion.create", id: made.id })
          return made
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      updateCriterion: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* criterionOf(session, id, locked)
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          yield* sql`update quality_criteria set name = ${next.name}, description = ${next.description},
              weight = ${next.weight}, critical = ${next.critical}, penalty = ${next.penalty}, version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
          const details = { changed: changedMembers(found, next) }
          yield* audit(sql, session, { action: "criterion.update", id, details })
          return Result.succeed(yield* criterionOf(session, id))
        }).pipe(
          Effect.catchTag("SqlError", unavailableOrDie),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("QualityStore.updateCriterion")
        ),

      removeCriterion: (session, id) =>
        sql
          .withTransaction(
            remove(session, id, {
              table: "quality_criteria",
              action: "criterion.delete",
              used: sql`exists (select 1 from quality_checklist_criteria e
                  where e.instance_id = ${session.instanceId} and e.criterion_id = ${id})
                or exists (select 1 from quality_assessment_criteria e
                  where e.instance_id = ${session.instanceId} and e.criterion_id = ${id})`
            })
          )
          .pipe(
            Effect.catchTag("SqlError", unavailableOrDie),
            Effect.withSpan("QualityStore.removeCriterion")
          ),

      listChecklists: (session, request) =>
        listRows(
          sql,
          listed(session, {
            collection: checklists,
            from: sql.literal("quality_checklists k, caller u"),
            where: sql.literal("k.instance_id = u.instance_id"),
            columns: checklistColumns
          }),
          request
        ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

      findChecklist: Effect.fn("QualityStore.findChecklist")(
        (session, id) => checklistOf(session, id),
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      createChecklist: Effect.fn("QualityStore.createChecklist")(
        function* (session, { active, criterionIds, name }) {
          const rows = yield* sql`insert into quality_checklists (instance_id, name, active)
            values (${session.instanceId}, ${name}, ${active}) returning id::float8 as id`
          const [row] = yield* Effect.orDie(decodeIds(rows))
          const { id } = yield* returned(row)
          yield* setCriteria(session, id, criterionIds)
          yield* audit(sql, session, { action: "checklist.create", id })
          return yield* Effect.flatMap(checklistOf(session, id), returned)
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      ),

      updateChecklist: (session, id, decide) =>
        Effect.gen(function* () {
          const found = yield* checklistOf(session, id, locked)
          if (found === undefined) return Result.succeed(undefined)
          const decided = yield* Effect.result(decide(found))
          if (Result.isFailure(decided)) return Result.fail(decided.failure)
          const next = decided.success
          if (next === null) return Result.succeed(found)
          const changed = changedMembers(found, next)
          yield* sql`update quality_checklists set name = ${next.name}, active = ${next.active}, version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
          if (changed.includes("criterionIds")) yield* setCriteria(session, id, next.criterionIds)
          yield* audit(sql, session, { action: "checklist.update", id, details: { changed } })
          return Result.succeed(yield* checklistOf(session, id))
        }).pipe(
          Effect.catchTag("SqlError", unavailableOrDie),
          Effect.flatMap(Effect.fromResult),
          Effect.withSpan("QualityStore.updateChecklist")
        ),

      removeChecklist: (session, id) =>
        sql
          .withTransaction(
            remove(session, id, {
              table: "quality_checklists",
              action: "checklist.delete",
              used: sql`exists (select 1 from quality_assessments e
                where e.instance_id = ${session.instanceId} and e.checklist_id = ${id})`
            })
          )
          .pipe(
            Effect.catchTag("SqlError", unavailableOrDie),
            Effect.withSpan("QualityStore.removeChecklist")
          ),

      unknownCriteria: Effect.fn("QualityStore.unknownCriteria")(
        function* ({ instanceId }, ids) {
          const rows = yield* sql`select c.id::float8 as id from quality_criteria c
            where c.instance_id = ${instanceId} and c.id = any(${idArray(sql, ids)}) order by c.id for key share`
          const known = new Set((yield* Effect.orDie(decodeIds(rows))).map(({ id }) => id))
          return ids.filter((id) => !known.has(id))
        },
        Effect.catchTag("SqlError", unavailableOrDie)
      )
    })
  })
)
