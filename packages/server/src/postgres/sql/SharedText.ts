// Statements whose text depends on little: it is built and compiled once for each shape, and requests bind their values to it. A
// value has one place in it, however often it is used.
import type { Statement } from "effect/sql"

/** A value in a statement, or its place in a text that many requests share. */
export type Bound<A> = A | Statement.Fragment

/** The places of values; null where a request has none, which is a shape of its own. */
export type Places<Values> = {
  readonly [Name in keyof Values]: Statement.Fragment | (null extends Values[Name] ? null : never)
}

/** Texts that one such statement keeps; of more shapes the text is built each time. */
const TEXTS_MAX = 256

interface Text<Values> {
  readonly text: string
  /** Whose values it is bound to, in the order of their places. */
  readonly names: ReadonlyArray<keyof Values>
}

/**
 * A statement of a kind with its values. `build` sees no value, so that the text of one request is never that of another:
 * all that it may depend on is the kind, and which values are there.
 */
export const sharedText = <Kind extends object, Values extends object>(
  sql: Statement.Constructor,
  build: (kind: Kind, places: Places<Values>) => Statement.Statement<unknown>
): ((kind: Kind, values: Values) => Statement.Statement<unknown>) => {
  const texts = new Map<string, Text<Values>>()
  return (kind, values) => {
    const shape = shapeOf(kind, values)
    const known = texts.get(shape)
    const { names, text } = known ?? built(sql, values, (places) => build(kind, places))
    if (known === undefined && texts.size < TEXTS_MAX) texts.set(shape, { names, text })
    return sql.unsafe(
      text,
      names.map((name) => values[name])
    )
  }
}

const shapeOf = (kind: object, values: object): string => {
  let shape = ""
  for (const member of Object.values(kind)) shape += `${String(member)} `
  for (const value of Object.values(values)) shape += value === null ? "-" : "+"
  return shape
}

const built = <Values extends object>(
  sql: Statement.Constructor,
  values: Values,
  build: (places: Places<Values>) => Statement.Statement<unknown>
): Text<Values> => {
  const names: Array<keyof Values> = []
  const placeOf = (name: keyof Values) => {
    const at = names.indexOf(name)
    return sql.literal(`$${at < 0 ? names.push(name) : at + 1}`)
  }
  const places = {} as Places<Values>
  for (const name of Object.keys(values) as Array<keyof Values>)
    Object.defineProperty(places, name, { get: () => (values[name] === null ? null : placeOf(name)) })
  const [text, parameters] = build(places).compile()
  if (parameters.length > 0) throw new Error("a value of one request is part of a text that others share")
  return { text, names }
}
