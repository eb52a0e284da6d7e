// The columns of a record: from the members of its schema, for lists and for its JSON.
import { Schema, SchemaAST } from "effect"
import type { Fragment } from "./Fragment.ts"
import { wireTime } from "./SqlTime.ts"

type PairTest = (name: string, value: string) => Fragment

/** A member or field of the record. `sql` is trusted text. A `time` is a timestamptz, returned in UTC. */
export interface Column {
  readonly sql: string
  readonly time?: boolean
  /** SQL of an int that replaces the column in orders, for example the position of a ticket status. */
  readonly order?: string
  /** SQL of a text that replaces the column in orders, for example the beginning of a long text. */
  readonly orderedText?: string
  /**
   * For an array from a relation: filters compare `column` with the keys that the select `of` finds. `of` ends before the comparison
   * of its key. It runs once, and an index of `column` is used.
   */
  readonly among?: { readonly column: string; readonly of: string }
  /** The id of a client: filters replace the id of a merged client by its survivor's. The list's `common` contains `caller`. */
  readonly client?: true
  /** Compared without case by eq, ne, in and nin, as `contains` always does. */
  readonly folded?: true
  /** Condition on a row: one of its named values, a JSON value in SQL, passes the test. */
  readonly pairs?: (test: PairTest) => Fragment
  /** With `pairs`: SQL of the jsonb object of all named values, which has an index for `@>`. Equal values are found by it. */
  readonly indexedPairs?: string
  /** Declared not null in the table, so that the order can follow an index. */
  readonly required?: boolean
}

/** The parts of a column that is declared as `name type`. */
export const nameOf = (column: string): string => column.slice(0, column.indexOf(" "))
export const typeOf = (column: string): string => column.slice(column.indexOf(" ") + 1)

/** The default column of a member: `occurred_at` for `occurredAt`. */
export const columnName = (member: string): string =>
  member.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

type Columns = Readonly<Record<string, Column>>

/** The column of each field by its name in `table`, a time by its schema. `own` changes columns and adds others. */
export const columnsOf = (
  table: string,
  fields: Readonly<Record<string, Schema.Constraint>>,
  own: Readonly<Record<string, Partial<Column>>> = {}
): Columns =>
  Object.fromEntries(
    Object.keys({ ...fields, ...own }).map((member) => {
      const schema = fields[member]
      const time = schema !== undefined && isTime(Schema.toEncoded(schema).ast)
      return [member, { sql: `${table}.${columnName(member)}`, time, ...own[member] }]
    })
  )

/** Whether a value is a time on the wire. */
export const isTime = (ast: SchemaAST.AST): boolean =>
  ast.annotations?.["format"] === "date-time" || (SchemaAST.isUnion(ast) && ast.types.some(isTime))

/** `json_build_object(…)` of these members. Times have the JSON form of PostgreSQL, which the contract's Time decodes. */
export const recordJson = (columns: Columns, members: ReadonlyArray<string>): string =>
  `json_build_object(${members
    .map((name) => {
      const column = columns[name]
      if (column === undefined) throw new Error(`there is no column ${name}`)
      return `'${name}', ${column.sql}`
    })
    .join(", ")})`

/** `recordJson` in the form of the wire, for an answer that nothing decodes. */
export const wireJson = (columns: Columns, members: ReadonlyArray<string>): string =>
  recordJson(
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, { sql: wireForm(column) }])),
    members
  )

/** SQL of the value of a column in the form of the wire. */
export const wireForm = ({ sql, time }: Column): string => (time === true ? wireTime(sql) : sql)
