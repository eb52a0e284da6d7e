// Moves parameters and errors that operations share into the components of the document.
import { isArray, isObject, type Json, type JsonObject, mapMembers, objectOf } from "./DocumentJson.ts"

export const methods = ["get", "put", "post", "delete", "patch"]

/** A part that fewer operations use stays in the operation. */
const USES_MIN = 2

type Kind = "parameters" | "responses"

/** `filter[createdAt][gte]` → `filter.createdAt.gte`. A response has the name of its schema. */
const componentName = (kind: Kind, part: JsonObject): string => {
  if (kind === "parameters")
    return String(part["name"])
      .replaceAll(/[^\w-]+/g, ".")
      .replace(/\.$/, "")
  const [media = null] = Object.values(objectOf(part["content"]))
  return (
    String(objectOf(objectOf(media)["schema"])["$ref"])
      .split("/")
      .at(-1) ?? ""
  )
}

/** For each name the most frequent form, if it is frequent enough. Keys are the parts as text. */
const componentsOf = (kind: Kind, parts: ReadonlyArray<JsonObject>): ReadonlyMap<string, string> => {
  const uses = new Map<string, { readonly name: string; count: number }>()
  for (const part of parts) {
    const text = JSON.stringify(part)
    const use = uses.get(text) ?? { name: componentName(kind, part), count: 0 }
    use.count += 1
    uses.set(text, use)
  }
  const often = [...uses]
    .filter(([, { count }]) => count >= USES_MIN)
    .toSorted(([, a], [, b]) => b.count - a.count)
  const names = new Set<string>()
  return new Map(
    often.flatMap(([text, { name }]) => {
      if (names.has(name)) return []
      names.add(name)
      return [[text, name] as const]
    })
  )
}

const operationsOf = (document: JsonObject): ReadonlyArray<JsonObject> =>
  Object.values(objectOf(document["paths"])).flatMap((item) =>
    Object.entries(objectOf(item)).flatMap(([name, json]) => (methods.includes(name) ? [objectOf(json)] : []))
  )

/** Only errors are shared. */
const isFailure = (status: string) => status >= "400"

const partsOf = (operation: JsonObject, kind: Kind): ReadonlyArray<JsonObject> => {
  const parts = operation[kind]
  const shareable = isArray(parts)
    ? parts
    : Object.entries(objectOf(parts)).flatMap(([status, response]) => (isFailure(status) ? [response] : []))
  return shareable.filter(isObject)
}

const referring =
  (kind: Kind, names: ReadonlyMap<string, string>) =>
  (part: Json): Json => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
  }

const components = (names: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(
    [...names]
      .map(([text, name]) => [name, JSON.parse(text)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

/** The document with shared parameters and errors among the components: half as long. */
export const withSharedComponents = (document: JsonObject): JsonObject => {
  const operations = operationsOf(document)
  const shared = (kind: Kind) =>
    componentsOf(
      kind,
      operations.flatMap((operation) => partsOf(operation, kind))
    )
  const [parameters, responses] = [shared("parameters"), shared("responses")]
  const parameter = referring("parameters", parameters)
  const operation = (json: Json): Json => {
    const given = objectOf(json)
    return {
      ...given,
      ...(isArray(given["parameters"]) ? { parameters: given["parameters"].map(parameter) } : {}),
      responses: mapMembers(objectOf(given["responses"]), (response, status) =>
        isFailure(status) ? referring("responses", responses)(response) : response
      )
    }
  }
  return {
    ...document,
    paths: mapMembers(objectOf(document["paths"]), (item) =>
      mapMembers(objectOf(item), (json, name) => (methods.includes(name) ? operation(json) : json))
    ),
    components: {
      ...objectOf(document["components"]),
      parameters: components(parameters),
      responses: components(responses)
    }
  }
}
