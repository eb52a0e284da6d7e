// Parts of statements. A part belongs to no connection: the client of the statement that contains it runs it.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { type SqlClient, Statement } from "effect/sql"

/** Runs statements. */
export type Sql = SqlClient.SqlClient
export type Fragment = Statement.Fragment

interface Fragments extends Pick<Statement.Constructor, "and" | "csv" | "join" | "literal" | "or"> {
  (strings: TemplateStringsArray, ...values: ReadonlyArray<unknown>): Fragment
}

/** The template of a part, with its parameters. In functions with a client, its own `sql` makes parts and statements. */
export const sql: Fragments = Statement.make(
  Effect.die("a part of a statement was run"),
  PgClient.makeCompiler(),
  [],
  undefined
)

/** An array of ids. Without the cast the driver guesses its type from the values. */
export const idArray = (ids: ReadonlyArray<number>): Fragment => sql`${ids.map(String)}::text[]::int8[]`
