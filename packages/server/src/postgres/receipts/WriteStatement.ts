// Parts of set-based writes: one statement takes rows as JSON and writes the effect, the receipt and the audit entry of each.
import { isoOf } from "@rapport/contract/values/Time.ts"
import { IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { actorOf, currentOrigin, type Origin } from "@rapport/core/audit/AuditLog.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import type { PreparedWrite } from "@rapport/core/receipts/Receipts.ts"
import { Array as Arr, Effect, Option } from "effect"
import { SqlError, type Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { statement, type Tables } from "../sql/CommonTables.ts"
import { retryDeadlocks } from "../sql/Deadlock.ts"
import { auditedFrom } from "../sql/Records.ts"
import { isKeyWaitTimeout, isUniqueViolation, unavailableOrDie } from "../sql/SqlFailure.ts"
import { type Row, rowsAs } from "../sql/RowsAs.ts"
import { callerRow } from "../sql/Visibility.ts"
import { principalOf } from "./ReceiptsPostgres.ts"

/** Values of every row in addition to those of its write. `details` are those of the audit entry. */
export const commonValues = (
  { key, receipt, refusal }: PreparedWrite,
  details: Readonly<Record<string, string | null | undefined>> = {}
) => ({
  "key text": key,
  "operation text": receipt.operation,
  "receipt_id uuid": receipt.id,
  "fingerprint text": receipt.fingerprint,
  "committed_at timestamptz": isoOf(receipt.committedAt),
  "refused bool": refusal !== null,
  "details json": details
})

/** The values of a statement, whose rows have one caller. */
export interface WriteValues extends Caller, Origin {
  readonly rows: ReadonlyArray<Row>
}

export const writeValues = (
  { instanceId, sessionId, tokenId, userId }: Caller,
  rows: ReadonlyArray<Row>
): Effect.Effect<WriteValues> =>
  Effect.map(currentOrigin, (origin) => ({
    instanceId,
    sessionId,
    tokenId,
    userId,
    ...origin,
    rows
  }))

/**
 * The statement of a write. Its rows are in `given`, with their `place` from 1, and later tables carry their columns on, so that no table is joined with `given`.
 * `tables` check the rows in `found` and lock until `ready`, which has the rows to write. `answer` is that of a receipt, SQL over
 * `ready`. `writes` write the rows of `free`: those of `ready` without a concurrent equal command.
 */
export const writeStatement = (
  sql: Sql,
  values: WriteValues,
  parts: {
    readonly tables: Tables
    readonly answer: string
    readonly writes: Tables
    readonly outcome: Fragment
  }
): Statement.Statement<unknown> =>
  statement(
    sql,
    {
      given: sql`select * from ${rowsAs("entry", values.rows)}`,
      caller: callerRow(values),
      ...parts.tables,
      ...receiptsOf(values, parts.answer),
      ...parts.writes
    },
    parts.outcome
  )

/**
 * Joins the existing receipt `kept` of a row of `given`. The limit prevents a scan of all receipts in the cached plan, which may be
 * older than the statistics of the table.
 */
export const joinKept = (values: WriteValues): Fragment =>
  sql`left join lateral (select receipt.fingerprint, receipt.answer from receipts receipt
    where receipt.instance_id = ${values.instanceId}::int8 and receipt.principal = ${principalOf(values)}
      and receipt.operation = given.operation and receipt.key = given.key limit 1) kept on true`

interface StoredMessages {
  /** The table, `message` in `owner` and `json`. */
  readonly table: string
  readonly idType: string
  /** Condition on `message`: it belongs to the row of `given`. */
  readonly owner: string
  readonly json: string
}

/** Joins `known`, after `kept`: the stored message of a repeat, or with the external id of a row of `given`. */
export const joinKnown = (
  { instanceId }: WriteValues,
  { idType, json, owner, table }: StoredMessages
): Fragment => {
  const message = sql`select ${sql.literal(`${json} as record from ${table} message`)}
    where message.instance_id = ${instanceId}::int8`
  return sql`left join lateral (${message} and kept.fingerprint is null and ${sql.literal(owner)}
      and message.external_message_id = given.external_message_id
    union all ${message} and kept.fingerprint is not null
      and message.id = (kept.answer->>'id')::${sql.literal(idType)} limit 1) known on true`
}

/** Branches of a `case` over `given` and `kept`: a repeat, another command with the key, a refused write. */
export const keptVerdicts = `when kept.fingerprint = given.fingerprint then 'Replayed'
  when kept.fingerprint is not null then 'KeyReused'
  when given.refused then 'Refused'`

/** A branch of a `case`: of rows with equal values only the first is written now. A row without a value has null in the last column. */
export const laterRows = ({ rows }: WriteValues, ...columns: ReadonlyArray<string>): string =>
  rows.length === 1
    ? ""
    : `when ${columns.at(-1)} is not null
    and row_number() over (partition by ${columns.join(", ")} order by given.place) > 1 then 'Retry'`

/** The tables `claimed`, receipts of the rows of `ready` with a key, and `free`. */
const receiptsOf = (values: WriteValues, answer: string): Tables => ({
  claimed: sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
      select ${values.instanceId}::int8, ${principalOf(values)}::text, operation, key, receipt_id, fingerprint,
        committed_at, ${sql.literal(answer)}
      from ready where key is not null order by key, place on conflict do nothing returning id`,
  free: sql`select * from ready where key is null or receipt_id in (select claimed.id from claimed)`
})

/** The table of audit entries of the rows of `source`, which has the columns of `given`. Each member is SQL of these rows. */
export const entriesOf = (
  values: WriteValues,
  source: string,
  entry: {
    readonly action: string
    readonly entity: string
    readonly entityId: string
    /** SQL of a jsonb object that is added to `details`. */
    readonly details: string
    readonly where?: string
  }
): Fragment =>
  auditedFrom(
    `${source} where ${entry.where ?? "true"}`,
    {
      ...actorOf(values),
      instanceId: values.instanceId,
      requestId: values.requestId,
      address: values.address,
      action: "",
      entity: null,
      entityId: null,
      decision: "allowed",
      details: {}
    },
    {
      action: entry.action,
      entity: entry.entity,
      entityId: `(${entry.entityId})::text`,
      details: `(details::jsonb || ${entry.details})::json`
    }
  )

/** Nothing of the row was written, because a concurrent transaction changed a row that the statement had read. */
export interface RetryWrite {
  readonly _tag: "Retry"
}

/** A row fails after so many statements in which concurrent transactions overtook it. */
const ATTEMPTS_MAX = 3

const overtaken = new SqlError.SqlError({
  reason: new SqlError.SerializationError({
    cause: new Error("concurrent writes overtook the row"),
    message: "concurrent writes overtook the row",
    operation: "execute"
  })
})

/**
 * Returns the outcomes of the rows, in their order. Retries rows that a concurrent transaction overtook, with a fresh
 * snapshot. After a deadlock the caller has to retry an outer transaction.
 */
export const untilDecided = Effect.fnUntraced(function* <Row, Outcome extends { readonly _tag: string }, E>(
  sql: Sql,
  rows: ReadonlyArray<Row>,
  attempt: (
    rows: ReadonlyArray<Row>,
    isRepeated: boolean
  ) => Effect.Effect<ReadonlyArray<Outcome | RetryWrite>, E | SqlError.SqlError>
): Effect.fn.Return<ReadonlyArray<Outcome>, E | SqlError.SqlError> {
  const inTransaction = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
  const outcomes = new Map<number, Outcome>()
  let left = [...rows.keys()]
  for (let failures = 0, isRepeated = false; left.length > 0; isRepeated = true) {
    if (failures === ATTEMPTS_MAX) return yield* Effect.fail(overtaken)
    const tried = attempt(
      left.flatMap((at) => rows.slice(at, at + 1)),
      isRepeated
    )
    // Inside a transaction a savepoint limits the rollback to the statement.
    const once = inTransaction ? sql.withTransaction(tried) : retryDeadlocks(tried)
    const found = yield* Effect.catchIf(once, isOvertaken, () => Effect.succeed([]))
    for (const [n, at] of left.entries()) {
      const outcome = found[n]
      if (outcome !== undefined && !needsRetry(outcome)) outcomes.set(at, outcome)
    }
    const next = left.filter((at) => !outcomes.has(at))
    if (next.length === left.length) failures++
    left = next
  }
  return [...rows.keys()].flatMap((at) => outcomes.get(at) ?? [])
})

/** `untilDecided` for one row. */
export const untilRowDecided = <Outcome extends { readonly _tag: string }, E>(
  sql: Sql,
  attempt: (isRepeated: boolean) => Effect.Effect<Outcome | RetryWrite, E | SqlError.SqlError>
): Effect.Effect<Outcome, E | SqlError.SqlError> =>
  untilDecided<null, Outcome, E>(sql, [null], (_, isRepeated) =>
    Effect.map(attempt(isRepeated), Arr.of)
  ).pipe(
    Effect.flatMap(([outcome]) =>
      outcome === undefined ? Effect.die("a row without an outcome") : Effect.succeed(outcome)
    )
  )

const needsRetry = (outcome: { readonly _tag: string }): outcome is RetryWrite => outcome._tag === "Retry"
const isOvertaken = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && isUniqueViolation(error)

/** A timeout of the wait for an equal command is IdempotencyInProgress. A key that another transaction used is retryable. */
export const inProgressOrOvertaken = (
  error: SqlError.SqlError
): Effect.Effect<never, IdempotencyInProgress | SourceUnavailable> => {
  if (isKeyWaitTimeout(error)) return Effect.fail(new IdempotencyInProgress({}))
  return error === overtaken || isUniqueViolation(error)
    ? Effect.fail(new SourceUnavailable({ source: "database", reason: "database_unavailable", cause: error }))
    : unavailableOrDie(error)
}
