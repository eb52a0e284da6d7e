// Builds statements from optional common table expressions.
import type { SqlClient, Statement } from "effect/sql"

type Fragment = Statement.Fragment

/** `name as (…)`. A materialized expression is evaluated once. */
export const cte = (
  sql: SqlClient.SqlClient,
  name: string,
  body: Fragment,
  materialized?: "materialized"
): Fragment => sql`${sql.literal(`${name} as ${materialized ?? ""}`)} (${body})`

/** `with …, … select …`. `false` leaves a table out. */
export const statement = (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<Fragment | false>,
  select: Fragment
): Statement.Statement<unknown> => sql`with ${sql.csv(tables.filter((table) => table !== false))} ${select}`
