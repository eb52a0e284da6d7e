// Builds statements from common table expressions.
import type { Statement } from "effect/sql"
import type { Fragment, Sql } from "./Fragment.ts"

/** Common table expressions by name. `false` leaves a table out. */
export type Tables = Readonly<Record<string, Fragment | false>>

/** `with …, … select …`. Each table is evaluated once. */
export const statement = (sql: Sql, tables: Tables, select: Fragment): Statement.Statement<unknown> => {
  const expressions = Object.entries(tables).flatMap(([name, body]) =>
    body === false ? [] : [sql`${sql.literal(name)} as materialized (${body})`]
  )
  return sql`with ${sql.csv(expressions)} ${select}`
}
