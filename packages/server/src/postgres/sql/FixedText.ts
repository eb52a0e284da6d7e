// Statements whose text is built once for each shape: later only their values are bound, and the text is the same string.
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
/** Values of a statement by name; a null value is another shape. */
type Values = Readonly<Record<string, unknown>>

interface Fixed {
  readonly text: string
  /** Of each parameter the name of its value, or what it always is. */
  readonly slots: ReadonlyArray<Result.Result<string, unknown>>
}

/**
 * `build` gets stand-ins for the values and passes each on as it is; one that it calculates with would stay in the text
 * for ever, so it is built with two sets of them, and may differ in them alone.
 */
export const fixedText = <V extends Values>(
  standIns: readonly [V, V],
  build: (sql: Sql, values: V) => Statement.Statement<unknown>
) => {
  const known = new WeakMap<Sql, Fixed>()
  return (sql: Sql, values: V): Statement.Statement<object> => {
    const fixed = known.get(sql) ?? fixedOf(sql, standIns, build)
    known.set(sql, fixed)
    return sql.unsafe(
      fixed.text,
      fixed.slots.map((slot) => (Result.isSuccess(slot) ? values[slot.success] : slot.failure))
    )
  }
}

const fixedOf = <V extends Values>(
  sql: Sql,
  [one, other]: readonly [V, V],
  build: (sql: Sql, values: V) => Statement.Statement<unknown>
): Fixed => {
  const [text, params] = build(sql, one).compile()
  const [otherText, otherParams] = build(sql, other).compile()
  if (text !== otherText) throw new Error(`the text depends on a value: ${text}`)
  const slots = params.map((param, at): Result.Result<string, unknown> => {
    const name = Object.keys(one).find((key) => one[key] === param && other[key] === otherParams[at])
    if (name !== undefined) return Result.succeed(name)
    if (param !== otherParams[at]) throw new Error(`parameter ${at + 1} is calculated from a value: ${text}`)
    return Result.fail(param)
  })
  return { text, slots }
}
