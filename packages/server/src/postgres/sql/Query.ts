// Runs the statements of stores with decoded rows and mapped failures.
import { inSpan, type SourceUnavailable, traceAs } from "@rapport/core/failures/SourceUnavailable.ts"
import { type Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { idArray, type Sql } from "./Fragment.ts"
import { unavailableOrDie } from "./SqlFailure.ts"

/** A statement before its rows are read. */
export type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Maps the error of a statement for the caller of a store: `unavailableOrDie`, or a rule that handles a constraint first. */
export type OnSqlError<E, A = never> = (error: SqlError.SqlError) => Effect.Effect<A, E>

/** Readers of rows of a schema. Another row is a defect, because the statement and its schema disagree. */
export const rowsOf = <S extends Schema.Constraint & { readonly DecodingServices: never }>(row: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return readers((rows) => Effect.orDie(decode(rows)))
}

/** Readers of rows of one column, for example a number or a JSON record. */
export const valuesOf = <S extends Schema.Constraint & { readonly DecodingServices: never }>(value: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(value))
  return readers((rows) => Effect.orDie(decode(rows.map((row) => Object.values(Object(row))[0]))))
}

const readers = <A>(decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<A>>) => {
  const all = (rows: Rows) => Effect.flatMap(rows, decode)
  return {
    all,
    /** The first row, or undefined. */
    find: (rows: Rows): Effect.Effect<A | undefined, SqlError.SqlError> =>
      Effect.map(all(rows), ([first]) => first),
    /** The first row of a statement that always has one. */
    get: (rows: Rows): Effect.Effect<A, SqlError.SqlError> =>
      Effect.flatMap(all(rows), ([first]) =>
        first === undefined ? Effect.die("a statement without its row") : Effect.succeed(first)
      )
  }
}

/** Readers of rows of one integer. */
export const integers = valuesOf(Schema.Int)
/** The id of `insert … returning id::float8 as id`. */
export const insertedId = integers.get
/** The id of `select id::float8 as id`, or undefined. */
export const foundId = integers.find
/** Ids of `select … ::float8 as id`. */
export const selectedIds = integers.all
/** The number of `select count(*)::float8 as count`. */
export const selectedCount = integers.get

/** The ids that the table has not, or not for this instance. `rest` are further conditions, and a lock of the others. */
export const unknownIds = (
  sql: Sql,
  table: string,
  instanceId: number,
  ids: ReadonlyArray<number>,
  rest = ""
): Effect.Effect<ReadonlyArray<number>, SqlError.SqlError> => {
  const known = selectedIds(sql`select id::float8 as id from ${sql.literal(table)}
    where instance_id = ${instanceId} and id = any(${idArray(ids)}) ${sql.literal(rest)}`)
  return ids.length === 0
    ? Effect.succeed([])
    : Effect.map(known, (found) => [...new Set(ids).difference(new Set(found))])
}

/** Whether a statement finds or changes a row. */
export const hasRow = (rows: Rows): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(rows, (found) => found.length > 0)

/** Plans the next statements of the transaction for their values. The pool otherwise caches one plan for all values. */
export const planForValues = (sql: Sql) => sql`set local plan_cache_mode = force_custom_plan`

/** A failed statement is unavailableOrDie; other failures pass. */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchIf(effect, SqlError.isSqlError, unavailableOrDie)

/** A store over the database: `storeLayer(UserStore)((sql) => ({ … }))`. */
export const storeLayer =
  <Store, Shape>(store: Context.Service<Store, Shape>) =>
  (make: (sql: Sql) => Shape): Layer.Layer<Store, never, SqlClient.SqlClient> =>
    Layer.effect(store, Effect.map(SqlClient.SqlClient, make))

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type Steps<A, Step> = Generator<Step, A, never>
type Run = (...args: ReadonlyArray<unknown>) => AnyEffect | Steps<unknown, AnyEffect>
type QueryFailure<E, F> = Exclude<E, SqlError.SqlError> | F

/**
 * A method of a store: its span and orUnavailable. `query("UserStore.find", (session, id) => …)`, or with several steps
 * `query("UserStore.create", function* (session, user) { … })`, as in `Effect.gen`.
 */
export function query<Args extends ReadonlyArray<unknown>, A, Step extends AnyEffect>(
  span: string,
  run: (...args: Args) => Steps<A, Step>
): (
  ...args: Args
) => Effect.Effect<A, QueryFailure<Effect.Error<Step>, SourceUnavailable>, Effect.Services<Step>>
export function query<Args extends ReadonlyArray<unknown>, A, E, R>(
  span: string,
  run: (...args: Args) => Effect.Effect<A, E | SqlError.SqlError, R>
): (...args: Args) => Effect.Effect<A, QueryFailure<E, SourceUnavailable>, R>
export function query(span: string, run: Run) {
  return runQuery(span, unavailableOrDie, run)
}

/** `query` with another rule for failed statements, for example for a unique index. */
export function queryOr<Args extends ReadonlyArray<unknown>, A, Step extends AnyEffect, F, B = never>(
  span: string,
  onSqlError: OnSqlError<F, B>,
  run: (...args: Args) => Steps<A, Step>
): (...args: Args) => Effect.Effect<A | B, QueryFailure<Effect.Error<Step>, F>, Effect.Services<Step>>
export function queryOr<Args extends ReadonlyArray<unknown>, A, E, R, F, B = never>(
  span: string,
  onSqlError: OnSqlError<F, B>,
  run: (...args: Args) => Effect.Effect<A, E | SqlError.SqlError, R>
): (...args: Args) => Effect.Effect<A | B, QueryFailure<E, F>, R>
export function queryOr(span: string, onSqlError: OnSqlError<unknown, unknown>, run: Run) {
  return runQuery(span, onSqlError, run)
}

const runQuery = (span: string, onSqlError: OnSqlError<unknown, unknown>, run: Run) =>
  traceAs(span)((...args: ReadonlyArray<unknown>) => {
    const made = run(...args)
    return Effect.catchIf(
      Effect.isEffect(made) ? made : Effect.gen(() => made),
      SqlError.isSqlError,
      onSqlError
    )
  })

/**
 * Locks, decides and writes. `find` reads under a row lock and may find nothing. `decide` returns the next record, or null for no
 * change; the rule for failed statements does not apply to it. `write` returns the written record.
 */
export const updateLocked = <A, E, R, F>(
  span: string,
  onSqlError: OnSqlError<F>,
  steps: {
    readonly find: Effect.Effect<A | undefined, SqlError.SqlError>
    readonly decide: (found: A) => Effect.Effect<A | null, E, R>
    readonly write: (next: A, found: A) => Effect.Effect<A | undefined, SqlError.SqlError>
  }
): Effect.Effect<A | undefined, E | F, R> =>
  Effect.gen(function* () {
    const found = yield* Effect.catchTag(steps.find, "SqlError", onSqlError)
    if (found === undefined) return undefined
    const next = yield* steps.decide(found)
    return next === null ? found : yield* Effect.catchTag(steps.write(next, found), "SqlError", onSqlError)
  }).pipe(inSpan(span))
