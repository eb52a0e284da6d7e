// Custom properties of clients, subjects, operators and skill groups, and the roles that see them (contract §9).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Role } from "../Authorization.ts"
import { UniqueConflict } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { pathId, PositiveInt } from "../values/Ids.ts"
import { ARRAY_MEMBERS_MAX } from "../Limits.ts"
import { collectionOf } from "../lists/Collection.ts"
import { ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { withRules } from "../values/Checks.ts"
import { actionRoute, createRoute, listRoute, getRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const propertyEntities = ["client", "subject", "operator", "skill_group"] as const
export const PropertyEntity = Schema.Literals(propertyEntities)
export type PropertyEntity = typeof PropertyEntity.Type
export const propertyTypes = ["string", "number", "boolean", "date", "enum"] as const

/** `visibleTo` are the roles that see the values; empty means all. `options` are those of an enum. */
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

/** Members of the record that a pack shows, in this order, with their labels. No definition may have these names. */
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

/** Only an enum has options. A member of the record itself is not a property. */
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

/** By name, only those that the caller may see. */
export const PropertyValues = Schema.Struct({
  values: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "PropertyValues" })
export type PropertyValues = typeof PropertyValues.Type

const PropertyValue = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]).annotate({
  identifier: "PropertyValue",
  message: "must be a string, a number, true, false or null"
})

/** Merged into the current values. null removes a value. */
export const PropertyValuesRequest = Schema.Struct({
  values: Schema.Record(Schema.String, PropertyValue).check(
    Schema.isMaxProperties(ARRAY_MEMBERS_MAX, { message: `must have at most ${ARRAY_MEMBERS_MAX} members` })
  )
}).annotate({ identifier: "PropertyValuesRequest" })

export const properties = collectionOf("properties", PropertyDefinition)

const root = "/kw/api/v1"
const params = { id: pathId(1) }

/** The endpoints of the values of one kind of record. */
const valuesEndpoints = <const Name extends string, const Path extends string>(
  name: Name,
  path: Path,
  example: number,
  values: Readonly<Record<string, string | number | boolean | null>>,
  permission: string
) => {
  const ofRecord = { id: pathId(example) }
  // `skill-groups` → `skill group`.
  const noun = path.replace("-", " ").replace(/s$/u, "")
  return [
    HttpApiEndpoint.get(
      `get${name}Properties`,
      `${root}/${path}/:id/properties`,
      getRoute(ofRecord, PropertyValues)
    ).pipe(
      operation(
        `Get the properties of a ${noun}`,
        "The visible properties by name. Requires the same access as a context read of the record."
      )
    ),
    HttpApiEndpoint.put(
      `set${name}Properties`,
      `${root}/${path}/:id/properties`,
      actionRoute(
        ofRecord,
        PropertyValuesRequest.annotate({ identifier: `PropertyValuesOf${name}`, examples: [{ values }] }),
        PropertyValues
      )
    ).pipe(
      operation(
        `Set properties of a ${noun}`,
        `Absent properties keep their value, null removes it. Requires ${permission}.`
      )
    )
  ] as const
}

export class PropertiesApi extends HttpApiGroup.make("properties")
  .add(
    HttpApiEndpoint.get(
      "listProperties",
      `${root}/properties`,
      listRoute(properties, PropertyDefinition, "PropertyList")
    ).pipe(operation("List property definitions", "Requires directory.read.")),
    HttpApiEndpoint.get("getProperty", `${root}/properties/:id`, getRoute(params, PropertyDefinition)).pipe(
      operation("Get a property definition", "Requires directory.read.")
    ),
    HttpApiEndpoint.post(
      "createProperty",
      `${root}/properties`,
      createRoute(PropertyRequest, PropertyDefinition, UniqueConflict)
    ).pipe(
      operation("Create a property definition", "`name` is unique for its entity. Requires directory.manage.")
    ),
    HttpApiEndpoint.patch(
      "updateProperty",
      `${root}/properties/:id`,
      actionRoute(params, PropertyPatch, PropertyDefinition)
    ).pipe(
      operation(
        "Update a property definition",
        "Label, options and visibility. Entity, name and type never change. Requires directory.manage."
      )
    ),
    ...valuesEndpoints(
      "Client",
      "clients",
      501,
      { segment: "business", loyaltyPoints: 120 },
      "clients.manage"
    ),
    ...valuesEndpoints("Subject", "subjects", 12, { firstReplyMinutes: 15 }, "directory.manage"),
    ...valuesEndpoints("User", "users", 31, { grade: "senior", remote: true }, "users.manage"),
    ...valuesEndpoints("SkillGroup", "skill-groups", 3, { shift: "day" }, "directory.manage")
  )
  .pipe(withSession("Properties", "Custom properties of clients, subjects, users and skill groups.")) {}
