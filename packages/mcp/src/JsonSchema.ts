// JSON Schema 2020-12 of Effect schemas, with an object at the root as tool protocols require.
import { Schema } from "effect"

/** A JSON Schema document whose root describes an object. */
export interface JsonSchema {
  readonly type: "object"
  readonly [member: string]: unknown
}

/** Inputs are closed ("error"); outputs stay open, so that a new member breaks no reader. */
export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): JsonSchema => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const name = typeof root["$ref"] === "string" ? root["$ref"].slice(prefix.length) : undefined
  const { [name ?? ""]: named, ...others } = definitions
  return {
    ...(named ?? root),
    ...(Object.keys(others).length > 0 ? { $defs: others } : {}),
    type: "object"
  }
}

const prefix = "#/$defs/"
