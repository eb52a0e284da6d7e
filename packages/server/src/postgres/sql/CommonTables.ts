// A statement made of common table expressions, each of which may be left out.
import type { SqlClient, Statement } from "effect/sql"

type Fragment = Statement.Fragment

/** `name as (…)`; a materialized one is evaluated once, whatever reads it. */
export const cte = (
  sql: SqlClient.SqlClient,
  name: string,
  body: Fragment,
  materialized?: "materialized"
): Fragment => sql`${sql.literal(`${name} as ${materialized ?? ""}`)} (${body})`

/** `with …, … select …`; `false` is a table that this statement does without. */
export const statement = (
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<Fragment | false>,
  select: Fragment
): Statement.Statement<unknown> => sql`with ${sql.csv(tables.filter((table) => table !== false))} ${select}`
