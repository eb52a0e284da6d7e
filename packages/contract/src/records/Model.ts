// Models of custom data, which each instance defines (contract §9.2).
import { Predicate, Schema } from "effect"
import type { Violation } from "../Errors.ts"
import {
  LONG_TEXT_POINTS_MAX,
  MODEL_FIELDS_MAX,
  RECORD_PATTERN_POINTS_MAX,
  RECORD_STRING_POINTS_MAX
} from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { Version } from "../values/Ids.ts"
import { emptiable, expectedVersion, listOf, ShortText } from "../values/Members.ts"
import { repetitionsIn, textOf, withRules } from "../values/Checks.ts"
import { distinct } from "../values/Distinct.ts"
import { millisOf } from "../values/Time.ts"

export const fieldTypes = [
  "STRING",
  "TEXT",
  "INTEGER",
  "FLOAT",
  "BOOLEAN",
  "DATE",
  "DATETIME",
  "ASSOCIATION"
] as const
export type FieldType = (typeof fieldTypes)[number]

/** Targets of an association other than models. */
export const associationTargets = ["client", "user", "subject", "appeal"] as const

/** Reserved names of models: "models" is a path, the others are targets of associations. */
const takenNames: ReadonlyArray<string> = ["models", ...associationTargets]

/** Members of every record. Fields cannot have these names. */
const recordMembers = ["id", "version", "createdAt", "updatedAt"]

const Bound = Schema.Union([Schema.Finite, Schema.String]).annotate({
  identifier: "FieldBound",
  message: "must be a number, or a date for a DATE or DATETIME field"
})
const Length = Schema.Int.annotate({ message: "must be an integer of at least 0" }).check(
  Schema.isBetween(
    { minimum: 0, maximum: LONG_TEXT_POINTS_MAX },
    { message: `must be an integer from 0 to ${LONG_TEXT_POINTS_MAX}` }
  )
)

/** min and max for numbers and dates, lengths and pattern for texts, enum for texts and numbers. */
export const FieldRules = Schema.Struct({
  min: Schema.optionalKey(Bound),
  max: Schema.optionalKey(Bound),
  minLength: Schema.optionalKey(Length),
  maxLength: Schema.optionalKey(Length),
  pattern: Schema.optionalKey(
    textOf(1, RECORD_PATTERN_POINTS_MAX).annotate({
      description: "RE2 syntax, matched anywhere in the text. Use ^ and $ to match the whole text"
    })
  ),
  enum: Schema.optionalKey(
    distinct(Schema.Union([Schema.String, Schema.Finite]).annotate({ identifier: "FieldOption" }), {
      ifEmpty: "must have at least one item"
    })
  )
}).annotate({ identifier: "FieldRules" })
export type FieldRules = typeof FieldRules.Type

/** `target` is null unless the type is ASSOCIATION. */
export const ModelField = Schema.Struct({
  name: Schema.String,
  type: Schema.Literals(fieldTypes),
  required: Schema.Boolean,
  unique: Schema.Boolean,
  rules: FieldRules,
  target: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ModelField" })
export type ModelField = typeof ModelField.Type

export const Model = Schema.Struct({
  name: Schema.String,
  label: Schema.NullOr(Schema.String),
  fields: Schema.Array(ModelField),
  version: Version
}).annotate({ identifier: "CustomModel" })
export type Model = typeof Model.Type

const modelName = /^[a-z][a-z0-9_]{0,62}$/u
export const ModelName = Schema.String.check(
  Schema.isPattern(modelName, {
    message: "must begin with a letter a-z and have at most 63 of a-z, 0-9 and _"
  })
)
const FieldName = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9_]{0,62}$/u, {
    message: "must begin with a letter and have at most 63 letters, digits and _"
  })
)

/** An absent member is false, {} or null. */
const FieldRequest = Schema.Struct({
  name: FieldName,
  type: Schema.Literals(fieldTypes),
  required: Schema.optionalKey(Schema.Boolean),
  unique: Schema.optionalKey(Schema.Boolean),
  rules: Schema.optionalKey(FieldRules),
  target: Schema.optionalKey(ModelName)
}).annotate({ identifier: "ModelFieldRequest" })

/** As in the answer, so that a field that was read can be sent back. */
const FieldPatch = Schema.Struct({ ...FieldRequest.fields, target: emptiable(ModelName) }).annotate({
  identifier: "ModelFieldPatch"
})
export type FieldPatch = typeof FieldPatch.Type

const texts = ["STRING", "TEXT"]
const numbers = ["INTEGER", "FLOAT"]
const dates = ["DATE", "DATETIME"]

/** The comparable value of a bound; undefined if it does not fit the type. */
export const boundOf = (type: string, value: unknown): number | undefined => {
  if (numbers.includes(type)) return typeof value === "number" ? value : undefined
  if (typeof value !== "string") return undefined
  if (type === "DATE") return /^\d{4}-\d\d-\d\d$/u.test(value) ? millisOf(`${value}T00:00:00Z`) : undefined
  return type === "DATETIME" ? millisOf(value) : undefined
}

const ruleViolations = (type: string, rules: Readonly<Record<string, unknown>>, path: string) => {
  const found: Array<Violation> = []
  const add = (name: string, message: string) => found.push({ path: `${path}.${name}`, message })
  const own = (name: string) => (Object.hasOwn(rules, name) ? rules[name] : undefined)
  for (const name of ["min", "max"] as const) {
    const bound = own(name)
    if (bound === undefined) continue
    if (!numbers.includes(type) && !dates.includes(type)) add(name, "is allowed only for numbers and dates")
    else if (boundOf(type, bound) === undefined)
      add(name, numbers.includes(type) ? "must be a number" : `must be a ${type} value`)
  }
  const [min, max] = [boundOf(type, own("min")), boundOf(type, own("max"))]
  if (min !== undefined && max !== undefined && min > max) add("max", "must not be below min")
  for (const name of ["minLength", "maxLength", "pattern"])
    if (own(name) !== undefined && !texts.includes(type)) add(name, "is allowed only for STRING and TEXT")
  const [shortest, longest] = [own("minLength"), own("maxLength")]
  if (typeof shortest === "number" && typeof longest === "number" && shortest > longest)
    add("maxLength", "must not be below minLength")
  if (type === "STRING" && typeof shortest === "number" && shortest > RECORD_STRING_POINTS_MAX)
    add("minLength", `must be at most ${RECORD_STRING_POINTS_MAX}, the length of a STRING`)
  const values = own("enum")
  if (values !== undefined && !texts.includes(type) && !numbers.includes(type))
    add("enum", "is allowed only for texts and numbers")
  else if (Array.isArray(values)) {
    const kind = texts.includes(type) ? "string" : "number"
    values.forEach((value, i) => {
      if (typeof value !== kind || (type === "INTEGER" && !Number.isSafeInteger(value)))
        add(`enum[${i}]`, `must be a value of ${type}`)
    })
  }
  return found
}

/** Rules between the members of a field, and between fields. */
const fieldViolations = (body: Readonly<Record<string, unknown>>): ReadonlyArray<Violation> => {
  const fields = Array.isArray(body["fields"]) ? body["fields"].slice(0, MODEL_FIELDS_MAX) : []
  const repetitions = repetitionsIn({ fields }, "fields", "name", "must be unique")
  const violations = fields.flatMap((field: unknown, i): ReadonlyArray<Violation> => {
    if (!Predicate.isReadonlyObject(field)) return []
    const { name, required: _, rules, target, type } = field
    const path = `fields[${i}]`
    return [
      ...(typeof name === "string" && recordMembers.includes(name)
        ? [{ path: `${path}.name`, message: "is a member of every record" }]
        : []),
      ...(type === "ASSOCIATION" && (target === undefined || target === null)
        ? [{ path: `${path}.target`, message: "is required for an ASSOCIATION" }]
        : []),
      ...(type !== "ASSOCIATION" && typeof target === "string"
        ? [{ path: `${path}.target`, message: "is allowed only for an ASSOCIATION" }]
        : []),
      ...(typeof type === "string" && Predicate.isReadonlyObject(rules)
        ? ruleViolations(type, rules, `${path}.rules`)
        : [])
    ]
  })
  return [...repetitions, ...violations]
}

export const ModelRequest = withRules((body) => [
  ...(typeof body["name"] === "string" && takenNames.includes(body["name"])
    ? [{ path: "name", message: `must not be one of ${takenNames.join(", ")}` }]
    : []),
  ...fieldViolations(body)
])(
  Schema.Struct({
    name: ModelName,
    label: Schema.optionalKey(ShortText),
    fields: Schema.optionalKey(listOf(FieldRequest, MODEL_FIELDS_MAX))
  })
).annotate({
  identifier: "CustomModelRequest",
  examples: [
    {
      name: "visits",
      label: "Visits",
      fields: [
        { name: "number", type: "STRING", required: true, unique: true, rules: { pattern: "^V-[0-9]+$" } },
        { name: "client", type: "ASSOCIATION", target: "client" },
        { name: "day", type: "DATE" }
      ]
    }
  ]
})
export type ModelRequest = typeof ModelRequest.Type

/** The name never changes. `fields` replaces all fields. */
export const ModelPatch = withRules(fieldViolations)(
  Schema.Struct({
    expectedVersion,
    label: emptiable(ShortText),
    fields: Schema.optionalKey(listOf(FieldPatch, MODEL_FIELDS_MAX))
  })
).annotate({ identifier: "CustomModelPatch", examples: [{ expectedVersion: 1, label: "Warranty cards" }] })
export type ModelPatch = typeof ModelPatch.Type

export const models = collectionOf("models", Model, {
  key: "name",
  defaultOrder: { field: "name", direction: "asc" }
})
