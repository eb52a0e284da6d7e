// Properties on the wire: what an instance writes down about its clients, subjects, operators and skill groups, and for
// whose eyes (contract §9).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Role } from "../Authorization.ts"
import { AccessDenied, UniqueConflict } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { ARRAY_MEMBERS_MAX } from "../Limits.ts"
import { type Collection, ListedCollection } from "../lists/Collection.ts"
import { ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyErrors, idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { withRules } from "../values/Checks.ts"
import { acting, creating, listing, reading, refusals } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const propertyEntities = ["client", "subject", "operator", "skill_group"] as const
export const PropertyEntity = Schema.Literals(propertyEntities)
export type PropertyEntity = typeof PropertyEntity.Type
export const propertyTypes = ["string", "number", "boolean", "date", "enum"] as const

/** `visibleTo` names the roles that are shown its values, none means all; `options` are those of an enum. */
export const PropertyDefinition = Schema.Struct({
  id: PositiveInt,
  entity: PropertyEntity,
  name: Schema.String,
  label: Schema.String,
  type: Schema.Literals(propertyTypes),
  options: Schema.Array(Schema.String),
  visibleTo: Schema.Array(Role)
}).annotate({ identifier: "PropertyDefinition" })
export type PropertyDefinition = typeof PropertyDefinition.Type

/** What a pack shows of the record itself, with its label, in this order: no definition of the entity may be called so. */
export const recordMembers: Readonly<Record<PropertyEntity, Readonly<Record<string, string>>>> = {
  client: {
    name: "Name",
    email: "E-mail",
    phone: "Phone",
    language: "Language",
    tags: "Tags",
    externalId: "External id"
  },
  subject: { name: "Name", alias: "Alias", channel: "Channel" },
  operator: { displayName: "Name", language: "Language", timezone: "Time zone", status: "Status" },
  skill_group: { name: "Name", active: "Active" }
}

const isRecordMember = (entity: unknown, name: unknown): boolean =>
  propertyEntities.some(
    (one) => one === entity && Object.keys(recordMembers[one]).some((member) => member === name)
  )

const Options = distinct(ShortText)

/** An enum has options, and nothing else has; a member of the record itself is no property. */
export const PropertyRequest = withRules(({ entity, name, options, type }) => {
  const has = Array.isArray(options) && options.length > 0
  return [
    ...(isRecordMember(entity, name) ? [{ path: "name", message: "is a member of the record itself" }] : []),
    ...(type === "enum" && !has ? [{ path: "options", message: "is required for an enum" }] : []),
    ...(type !== "enum" && has ? [{ path: "options", message: "is for an enum only" }] : [])
  ]
})(
  Schema.Struct({
    entity: PropertyEntity,
    name: Schema.String.check(
      Schema.isPattern(/^[a-z][a-zA-Z0-9]{0,63}$/u, {
        message: "must begin with a letter a-z and have at most 64 letters and digits"
      })
    ),
    label: ShortText,
    type: Schema.Literals(propertyTypes),
    options: Schema.optionalKey(Options),
    visibleTo: Schema.optionalKey(distinct(Role))
  })
).annotate({
  identifier: "PropertyRequest",
  examples: [
    {
      entity: "client",
      name: "deliveryZone",
      label: "Delivery zone",
      type: "enum",
      options: ["city", "region"]
    }
  ]
})
export type PropertyRequest = typeof PropertyRequest.Type

/** entity, name and type never change. */
export const PropertyPatch = Schema.Struct({
  label: Schema.optionalKey(ShortText),
  options: Schema.optionalKey(Options),
  visibleTo: Schema.optionalKey(distinct(Role))
}).annotate({ identifier: "PropertyPatch", examples: [{ label: "Plan" }] })
export type PropertyPatch = typeof PropertyPatch.Type

/** By name; those alone that the caller may see. */
export const PropertyValues = Schema.Struct({
  values: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "PropertyValues" })
export type PropertyValues = typeof PropertyValues.Type

const PropertyValue = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]).annotate({
  message: "must be a text, a number, true, false or null"
})

/** Merged into the present values; null removes. */
export const PropertyValuesRequest = Schema.Struct({
  values: Schema.Record(Schema.String, PropertyValue).check(
    Schema.isMaxProperties(ARRAY_MEMBERS_MAX, { message: `must have at most ${ARRAY_MEMBERS_MAX} members` })
  )
}).annotate({ identifier: "PropertyValuesRequest" })

export const properties: Collection = {
  name: "properties",
  fields: {
    id: { kind: "id" },
    entity: { kind: { values: propertyEntities } },
    name: { kind: "text" },
    label: { kind: "text" },
    type: { kind: { values: propertyTypes } },
    options: { kind: "texts" },
    visibleTo: { kind: { values: Role.literals, several: true } }
  },
  members: Object.keys(PropertyDefinition.fields),
  includes: [],
  searched: false
}

const root = "/kw/api/v1"
const params = { id: pathId(1) }

/** The two routes of one kind of record. */
const readValues = <const Id extends string, const Path extends string>(
  id: Id,
  path: Path,
  example: number
) =>
  HttpApiEndpoint.get(
    id,
    `${root}/${path}/:id/properties`,
    reading({ id: pathId(example) }, PropertyValues)
  ).pipe(
    operation(
      `Read the properties of one of ${path}`,
      "By name, those that the caller may see. Needs what opening its context pack needs."
    )
  )
const writeValues = <const Id extends string, const Path extends string>(
  id: Id,
  path: Path,
  example: number,
  values: Readonly<Record<string, string | number | boolean | null>>,
  permission: string
) =>
  HttpApiEndpoint.put(id, `${root}/${path}/:id/properties`, {
    params: { id: pathId(example) },
    headers: idempotencyHeaders,
    payload: PropertyValuesRequest.annotate({
      identifier: `PropertyValuesOf${id.slice(3).replace(/Properties$/u, "")}`,
      examples: [{ values }]
    }),
    success: PropertyValues,
    error: [...refusals, ...idempotencyErrors]
  }).pipe(
    operation(
      `Write properties of one of ${path}`,
      `Names that are left out stay, null removes. Needs ${permission}.`
    )
  )

export class PropertiesApi extends HttpApiGroup.make("properties")
  .add(
    HttpApiEndpoint.get(
      "listProperties",
      `${root}/properties`,
      listing(properties, PropertyDefinition, "PropertyList")
    )
      .annotate(ListedCollection, properties)
      .pipe(operation("List property definitions", "Needs directory.read.")),
    HttpApiEndpoint.get("getProperty", `${root}/properties/:id`, reading(params, PropertyDefinition)).pipe(
      operation("Read a property definition", "Needs directory.read.")
    ),
    HttpApiEndpoint.post(
      "createProperty",
      `${root}/properties`,
      creating(PropertyRequest, PropertyDefinition, [AccessDenied, UniqueConflict, ...idempotencyErrors])
    ).pipe(operation("Define a property", "name is unique for its entity. Needs directory.manage.")),
    HttpApiEndpoint.patch(
      "updateProperty",
      `${root}/properties/:id`,
      acting(params, PropertyPatch, PropertyDefinition, [...refusals, ...idempotencyErrors])
    ).pipe(
      operation(
        "Change a property definition",
        "Its label, options and visibility; entity, name and type never change. Needs directory.manage."
      )
    ),
    readValues("getClientProperties", "clients", 501),
    writeValues(
      "setClientProperties",
      "clients",
      501,
      { segment: "business", loyaltyPoints: 120 },
      "clients.manage"
    ),
    readValues("getSubjectProperties", "subjects", 12),
    writeValues("setSubjectProperties", "subjects", 12, { firstReplyMinutes: 15 }, "directory.manage"),
    readValues("getUserProperties", "users", 31),
    writeValues("setUserProperties", "users", 31, { grade: "senior", remote: true }, "users.manage"),
    readValues("getSkillGroupProperties", "skill-groups", 3),
    writeValues("setSkillGroupProperties", "skill-groups", 3, { shift: "day" }, "directory.manage")
  )
  .pipe(withSession("Properties", "What is written down about records, and for whom.")) {}
