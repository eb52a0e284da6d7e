// Rows that one statement writes where a concurrent transaction may commit after the snapshot of the statement.
import { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { againAfterDeadlock } from "./Deadlock.ts"

const ATTEMPTS_MAX = 3

interface Steps<Row, Outcome, E> {
  /** An outcome for each row, in their order; undefined where another transaction came between: nothing of the row was written. */
  readonly write: (
    rows: ReadonlyArray<Row>
  ) => Effect.Effect<ReadonlyArray<Outcome | undefined>, E | SqlError.SqlError>
  /** Waits for the other transactions, so that the next snapshot includes what they committed. */
  readonly lock: (rows: ReadonlyArray<Row>) => Effect.Effect<unknown, SqlError.SqlError>
}

/**
 * Outcomes in the order of the rows. The first attempt is one statement; a later one locks first, in a transaction. Inside a
 * transaction a deadlock ends that one, and only its owner can repeat it.
 */
export const writeRows = Effect.fnUntraced(function* <Row, Outcome, E = never>(
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<Row>,
  steps: Steps<Row, Outcome, E>
): Effect.fn.Return<ReadonlyArray<Outcome>, E | SqlError.SqlError | SourceUnavailable> {
  const attempts = attempt(sql, rows, steps)
  const transaction = yield* Effect.serviceOption(sql.transactionService)
  return yield* Option.isSome(transaction) ? attempts : againAfterDeadlock(attempts)
})

const attempt = Effect.fnUntraced(function* <Row, Outcome, E = never>(
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<Row>,
  { lock, write }: Steps<Row, Outcome, E>
): Effect.fn.Return<ReadonlyArray<Outcome>, E | SqlError.SqlError | SourceUnavailable> {
  const outcomes = [...(yield* write(rows))]
  for (let attempt = 2; attempt <= ATTEMPTS_MAX && outcomes.includes(undefined); attempt++) {
    const places = outcomes.flatMap((outcome, place) => (outcome === undefined ? [place] : []))
    const left = places.flatMap((place) => rows.slice(place, place + 1))
    const written = yield* sql.withTransaction(Effect.andThen(lock(left), write(left)))
    for (const [i, place] of places.entries()) outcomes[place] = written[i]
  }
  const decided = outcomes.flatMap((outcome) => (outcome === undefined ? [] : [outcome]))
  return decided.length === rows.length
    ? decided
    : yield* new SourceUnavailable({ source: "database", reason: "timeout" })
})
