// Statements for records that every user of the instance with the permission sees: list, find, change under a lock.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { ListRequest } from "@rapport/core/lists/ListRequest.ts"
import { changedMembers } from "@rapport/core/receipts/Writes.ts"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Fragment, Sql } from "./Fragment.ts"
import { listRows, type TableList } from "./ListQuery.ts"
import { hasRow, insertedId, type OnSqlError, query, queryOr, updateLocked, valuesOf } from "./Query.ts"
import { columnName, columnsOf, recordJson } from "./Columns.ts"
import { audit } from "./Records.ts"
import { unavailableOrDie } from "./SqlFailure.ts"
import { callerOf } from "./Visibility.ts"

/** One page of the rows of the caller's instance. `name` is the alias of `table` in the columns. */
export const listOwn = (
  sql: Sql,
  session: AuthorizedSession,
  request: ListRequest,
  list: Pick<TableList, "collection" | "columns" | "searched"> & {
    readonly table: string
    readonly name: string
  }
) =>
  listRows(
    sql,
    {
      ...list,
      common: callerOf(session),
      from: sql.literal(`${list.table} ${list.name}, caller u`),
      where: sql.literal(`${list.name}.instance_id = u.instance_id`)
    },
    request
  )

interface RowKey {
  readonly instanceId: number
  readonly id: number
}

interface MethodOptions {
  readonly span: string
  readonly entity: string
}
interface RemovableOptions extends MethodOptions {
  /** Whether another record references the row. */
  readonly used: (row: RowKey) => Fragment
}

/** Deletes a record that no other references. A write that references it waits for its lock and then finds no record. */
const makeRemove = (sql: Sql, table: string, { entity, span, used }: RemovableOptions) =>
  query(`${span}.remove`, (session: AuthorizedSession, id: number) => {
    const { instanceId } = session
    const removed = Effect.gen(function* () {
      const isLocked =
        yield* hasRow(sql`with ${callerOf(session)} select 1 from ${sql.literal(table)} removed, caller u
        where removed.instance_id = u.instance_id and removed.id = ${id} for update of removed`)
      if (!isLocked) return undefined
      if (yield* hasRow(sql`select 1 where ${used({ instanceId, id })}`)) return "used" as const
      yield* sql`delete from ${sql.literal(table)} removed where removed.instance_id = ${instanceId} and removed.id = ${id}`
      yield* audit(sql, session, { action: `${entity}.delete`, id })
      return "removed" as const
    })
    return sql.withTransaction(removed)
  })

/** Locks, decides and writes. The audit entry `action` contains the names of the changed members. */
const updatesOf =
  <A extends object>(
    find: (
      sql: Sql,
      session: AuthorizedSession,
      id: number,
      lock?: string
    ) => Effect.Effect<A | undefined, SqlError.SqlError>
  ) =>
  <F>(
    span: string,
    onSqlError: OnSqlError<F>,
    options: {
      readonly sql: Sql
      readonly action: string
      readonly write: (
        next: A,
        row: RowKey & { readonly changed: ReadonlyArray<string> }
      ) => Effect.Effect<unknown, SqlError.SqlError>
    }
  ) =>
  <E, R>(session: AuthorizedSession, id: number, decide: (found: A) => Effect.Effect<A | null, E, R>) => {
    const { action, sql, write } = options
    return updateLocked(span, onSqlError, {
      find: find(sql, session, id, "for no key update"),
      decide,
      write: Effect.fnUntraced(function* (next: A, found: A) {
        const changed = changedMembers(found, next)
        yield* write(next, { instanceId: session.instanceId, id, changed })
        yield* audit(sql, session, { action, id, details: { changed } })
        return yield* find(sql, session, id)
      })
    })
  }

type RecordSchema = Schema.Struct<{ readonly id: Schema.Codec<number, unknown> }> & {
  readonly DecodingServices: never
}
type Content<S extends RecordSchema> = Omit<S["Type"], "id" | "version">

interface Table<S extends RecordSchema> extends Pick<TableList, "collection" | "searched"> {
  readonly table: string
  /** The alias of the table in its own columns. */
  readonly name: string
  readonly columns?: Parameters<typeof columnsOf>[2]
  /** Members that other tables store, each with the statements that replace its rows. */
  readonly links?: Readonly<
    Record<string, (sql: Sql, row: RowKey, content: Content<S>) => Effect.Effect<unknown, SqlError.SqlError>>
  >
}

export const ownRecords = <S extends RecordSchema>(record: S, { columns: own, ...table }: Table<S>) => {
  const columns = columnsOf(table.name, record.fields, own)
  const json = recordJson(columns, table.collection.members)
  const rows = valuesOf(record)
  const where = (sql: Sql, { instanceId }: { readonly instanceId: number }, rest: Fragment) =>
    sql`select ${sql.literal(json)} as record from ${sql.literal(`${table.table} ${table.name}`)}
      where ${sql.literal(table.name)}.instance_id = ${instanceId} and ${rest}`
  const visible = (sql: Sql, session: AuthorizedSession, id: number, lock = "") =>
    rows.find(sql`with ${callerOf(session)}
      select ${sql.literal(json)} as record from ${sql.literal(`${table.table} ${table.name}`)}, caller u
      where ${sql.literal(table.name)}.instance_id = u.instance_id and ${sql.literal(table.name)}.id = ${id}
      ${sql.literal(lock && `${lock} of ${table.name}`)}`)
  const makeList = (span: string, sql: Sql) =>
    query(span, (session: AuthorizedSession, request: ListRequest) =>
      listOwn(sql, session, request, { ...table, columns })
    )
  const makeFind = (span: string, sql: Sql) =>
    query(span, (session: AuthorizedSession, id: number) => visible(sql, session, id))
  const updating = updatesOf(visible)
  const writing = writesOf(record, table)
  /** The methods of a store whose records have a version, and columns with the names of their members. */
  const methods = <F>(
    sql: Sql,
    { entity, onSqlError, span }: MethodOptions & { readonly onSqlError: OnSqlError<F> }
  ) => ({
    list: makeList(`${span}.list`, sql),
    find: makeFind(`${span}.find`, sql),
    create: queryOr(
      `${span}.create`,
      onSqlError,
      function* (session: AuthorizedSession, content: Content<S>) {
        const id = yield* writing.insert(sql, session, content)
        yield* audit(sql, session, { action: `${entity}.create`, id })
        return yield* rows.get(where(sql, session, sql`${sql.literal(table.name)}.id = ${id}`))
      }
    ),
    update: updating(`${span}.update`, onSqlError, {
      sql,
      action: `${entity}.update`,
      write: (next, row) => writing.update(sql, row, next)
    })
  })
  return {
    /** SQL for `returning … as record`. */
    json,
    rows,
    /** Rows of an instance that meet a condition. */
    where,
    makeList,
    makeFind,
    /** The row of `insert into <table> as <name> …`, with its audit entry. */
    inserted: Effect.fnUntraced(function* (
      sql: Sql,
      session: AuthorizedSession,
      action: string,
      insert: Fragment
    ) {
      const made = yield* rows.get(sql`${insert} returning ${sql.literal(json)} as record`)
      yield* audit(sql, session, { action, id: made.id })
      return made
    }),
    updating,
    methods,
    /** `methods` and the deletion of a record that no other references. */
    removableMethods: (sql: Sql, options: RemovableOptions) => ({
      ...methods(sql, { ...options, onSqlError: unavailableOrDie }),
      remove: makeRemove(sql, table.table, options)
    })
  }
}

/** Writes columns from the JSON of a record, then its links. */
const writesOf = <S extends RecordSchema>(
  record: S,
  { links = {}, table }: Pick<Table<S>, "links" | "table">
) => {
  const unwritten = new Set(["id", "version", ...Object.keys(links)])
  const members = Object.keys(record.fields).filter((name) => !unwritten.has(name))
  const columns = members.map(columnName).join(", ")
  const values = (sql: Sql, content: object) => {
    const row = Object.entries(content).map(([member, value]) => [columnName(member), value])
    return sql`select ${sql.literal(columns)} from json_populate_record(null::${sql.literal(table)},
      ${JSON.stringify(Object.fromEntries(row))}::text::json)`
  }
  return {
    insert: Effect.fnUntraced(function* (sql: Sql, { instanceId }: AuthorizedSession, content: Content<S>) {
      const id =
        yield* insertedId(sql`insert into ${sql.literal(table)} (instance_id, ${sql.literal(columns)})
        select ${instanceId}, made.* from (${values(sql, content)}) made returning id::float8 as id`)
      for (const replace of Object.values(links)) yield* replace(sql, { instanceId, id }, content)
      return id
    }),
    update: Effect.fnUntraced(function* (
      sql: Sql,
      { changed, ...row }: RowKey & { readonly changed: ReadonlyArray<string> },
      next: Content<S>
    ) {
      yield* sql`update ${sql.literal(table)} set (${sql.literal(columns)}) = (${values(sql, next)}),
          version = version + 1
        where instance_id = ${row.instanceId} and id = ${row.id}`
      for (const [name, replace] of Object.entries(links))
        if (changed.includes(name)) yield* replace(sql, row, next)
    })
  }
}
