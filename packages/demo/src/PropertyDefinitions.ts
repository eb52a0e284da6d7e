// The property definitions of the demo data for the four kinds of entity, some of them for certain roles only.
import definitions from "./data/properties.json" with { type: "json" }
import { oneOf, propertyEntities, type PropertyDefinitionRow, propertyTypes, roles } from "./SeedRows.ts"

/** The definitions of an instance; every instance has the same ones under ids of its own. */
export const propertyDefinitions = (instanceId: number): ReadonlyArray<PropertyDefinitionRow> =>
  definitions.map(({ entity, type, visibleTo, ...definition }, i) => ({
    instanceId,
    id: (instanceId - 1) * definitions.length + i + 1,
    entity: oneOf(propertyEntities, entity),
    ...definition,
    type: oneOf(propertyTypes, type),
    visibleTo: visibleTo.map((role) => oneOf(roles, role))
  }))
