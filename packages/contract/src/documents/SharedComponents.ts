// Moves parameters and errors that operations share into the components of the document.
import {
  arrayOf,
  type Json,
  type JsonObject,
  mapMembers,
  mapOperations,
  objectOf,
  withComponents
} from "./DocumentJson.ts"

/** The name of a shared part. */
const names = {
  /** `filter[createdAt][gte]` → `filter.createdAt.gte`. */
  parameters: (parameter: JsonObject): string =>
    String(parameter["name"])
      .replaceAll(/[^\w-]+/g, ".")
      .replace(/\.$/, ""),
  /** That of the schema. */
  responses: (response: JsonObject): string => {
    const [media = null] = Object.values(objectOf(response["content"]))
    return String(objectOf(objectOf(media)["schema"])["$ref"]).replace(/^.*\//, "")
  }
}
type Kind = keyof typeof names

/** Replaces the parameters and errors of every operation. */
const mapParts = (document: JsonObject, f: (part: JsonObject, kind: Kind) => Json): JsonObject =>
  mapOperations(document, (operation) => ({
    ...operation,
    parameters: arrayOf(operation["parameters"]).map((part) => f(objectOf(part), "parameters")),
    responses: mapMembers(objectOf(operation["responses"]), (response, status) =>
      status >= "400" ? f(objectOf(response), "responses") : response
    )
  }))

const sortMembers = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The document with shared parameters and errors among the components: half as long. */
export const withSharedComponents = (document: JsonObject): JsonObject => {
  const uses = new Map<string, { readonly part: JsonObject; readonly kind: Kind; readonly count: number }>()
  mapParts(document, (part, kind) => {
    const text = JSON.stringify(part)
    uses.set(text, { part, kind, count: 1 + (uses.get(text)?.count ?? 0) })
    return part
  })
  const components: Record<Kind, Record<string, Json>> = { parameters: {}, responses: {} }
  const references = new Map<string, Json>()
  // Parts of one name differ. The most frequent one is shared.
  for (const [text, { count, kind, part }] of [...uses].toSorted(([, a], [, b]) => b.count - a.count)) {
    const name = names[kind](part)
    if (count === 1 || components[kind][name] !== undefined) continue
    components[kind][name] = part
    references.set(text, { $ref: `#/components/${kind}/${name}` })
  }
  const shared = mapParts(document, (part) => references.get(JSON.stringify(part)) ?? part)
  return withComponents(shared, {
    parameters: sortMembers(components.parameters),
    responses: sortMembers(components.responses)
  })
}
