// The documents of the service, by contract §1 "Documents".
import { afterAll, assert, it } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectOf
} from "@rapport/contract/documents/DocumentJson.ts"
import { expandedDocument, openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { collectionIn } from "@rapport/contract/lists/Collection.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { HttpApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { stubApp } from "../../testing/HttpFixtures.ts"

const app = stubApp()
afterAll(app.dispose)

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly required: boolean
    readonly example?: Json
  }>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly example?: Json }>>
  }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: object }>>
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: JsonObject }
}

const golden: string = readFileSync(
  fileURLToPath(import.meta.resolve("@rapport/contract/openapi.json")),
  "utf8"
)
const committed: Document = JSON.parse(golden)
/** Operations with resolved references. */
const document: Document = JSON.parse(JSON.stringify(expandedDocument()))
const whole: Json = JSON.parse(golden)
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)
const memberOf = (json: Json | undefined, name: string): Json | undefined => objectOf(json)[name]
const walk = (json: Json, visit: (object: JsonObject) => void): void => {
  if (isObject(json)) visit(json)
  if (isObject(json) || isArray(json)) for (const member of Object.values(json)) walk(member, visit)
}

it("/swagger.json equals the committed document (else run: pnpm openapi)", async () => {
  const answer = await app.call("GET", "/swagger.json")
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.deepStrictEqual(await answer.json(), committed)
  assert.deepStrictEqual(JSON.parse(JSON.stringify(openApiDocument())), committed)
})
it("/swagger.json declares every member and include that a list can show", () => {
  let lists = 0
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const collection = collectionIn(endpoint.query)
      if (collection === undefined) return
      lists++
      const path = endpoint.path.replace(/:(\w+)/gu, "{$1}")
      const content = document.paths[path]?.["get"]?.responses["200"]?.content
      const reference = JSON.stringify(content).match(/#\/components\/schemas\/(\w+)/u)?.[1] ?? ""
      const row = ["properties", "data", "items", "$ref"].reduce<Json | undefined>(
        memberOf,
        document.components.schemas[reference]
      )
      const record = document.components.schemas[String(row).split("/").at(-1) ?? ""]
      assert.containsAllKeys(
        memberOf(record, "properties"),
        [...collection.members, ...(collection.includes ?? [])],
        path
      )
    }
  })
  assert.isAbove(lists, 10)
})
it("/swagger.json requires exactly the bodies that may not be an empty object", () => {
  const required: Array<boolean | undefined> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const [schema] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
      const path = endpoint.path.replace(/:(\w+)/gu, "{$1}")
      const body = document.paths[path]?.[endpoint.method.toLowerCase()]?.requestBody
      // The proof of an inbound request is over its bytes, and an update of Telegram has no member that is always present.
      if (schema === undefined || body === undefined || path.startsWith("/kw/api/inbound/")) return
      const acceptsEmpty = collectFaults(schema, {}).length === 0
      required.push(body.required)
      assert.strictEqual(body.required, !acceptsEmpty, `${endpoint.method} ${path}`)
    }
  })
  assert.includeMembers(required, [true, false])
})
it("/swagger.json is OpenAPI 3.1 and every reference resolves", () => {
  assert.match(document.openapi, /^3\.1\.\d+$/u)
  walk(whole, ({ $ref }) => {
    if (typeof $ref !== "string") return
    const target = $ref.slice(2).split("/").reduce<Json | undefined>(memberOf, whole)
    assert.isDefined(target, $ref)
  })
})
it("operationIds are unique and made of letters and digits", () => {
  const ids = operations.map(([, { operationId }]) => operationId)
  assert.strictEqual(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[A-Za-z0-9]+$/u)
})
it.each(operations)("operation %s documents its purpose, its needs and every response", (name, operation) => {
  assert.isNotEmpty(operation.summary)
  assert.isNotEmpty(operation.description)
  assert.isArray(operation.security)
  for (const [status, response] of Object.entries(operation.responses)) {
    assert.isNotEmpty(response.description)
    // The transport of the tools reports errors in its own protocol (contract §6).
    const isProtocol = name === "POST /kw/mcp" && ["400", "404", "406", "413", "415", "504"].includes(status)
    if (Number(status) >= 400) {
      const type = isProtocol ? "application/json" : "application/problem+json"
      assert.deepStrictEqual(Object.keys(response.content), [type])
    }
  }
  const statuses = Object.keys(operation.responses)
  assert.includeMembers(statuses, ["400", "406", "408", "413", "415", "431", "500"])
  if (operation.security.length > 0) {
    assert.deepStrictEqual(operation.security, [{ bearer: [] }, { externalToken: [] }])
    assert.includeMembers(statuses, ["401", "429", "503"])
  }
  if (operation.requestBody !== undefined) {
    const [media] = Object.values(operation.requestBody.content)
    assert.isDefined(media?.example, name)
  }
  for (const parameter of operation.parameters) {
    if (parameter.required) assert.isDefined(parameter.example, `${name} ${parameter.name}`)
  }
})
const lists = operations.filter(([, { parameters }]) =>
  ["limit", "offset"].every((name) => parameters.some((parameter) => parameter.name === name))
)
it.each(lists)("list operation %s begins with the most used parameters, each with an example", (_, list) => {
  const usual = ["filter[createdAt][gt]", "filter[createdAt][lt]", "limit", "offset", "order[createdAt]"]
  const offered = list.parameters.filter(({ required }) => !required)
  const expected = usual.filter((name) => offered.some((parameter) => parameter.name === name))
  const first = offered.slice(0, expected.length)
  assert.deepStrictEqual(
    first.map(({ name }) => name),
    expected
  )
  for (const { example, name } of first) assert.isDefined(example, name)
  const [from, to] = first.flatMap(({ example, name }) =>
    name.startsWith("filter") ? [String(example)] : []
  )
  if (from !== undefined && to !== undefined) assert.isBelow(Date.parse(from), Date.parse(to))
})
it("every object schema of a request or response is closed", () => {
  // Telegram may add members to its updates.
  const { TelegramUpdate: _, ...schemas } = document.components.schemas
  walk(schemas, (schema) => {
    const isStruct = schema["type"] === "object" && schema["properties"] !== undefined
    if (isStruct) assert.strictEqual(schema["additionalProperties"], false)
  })
})
it.each([
  ["topK", 1, 8, 20],
  ["candidateLimit", 1, 80, 200],
  ["maxSnippetsPerAppeal", 1, 3, 5],
  ["maxResponseBytes", 1_024, 65_536, 262_144],
  ["tokenBudget", 64, 8_000, 8_000],
  ["timeoutMs", 50, 2_000, 5_000]
])("the limit %s documents its minimum %d, default %d and maximum %d", (name, minimum, usual, maximum) => {
  const limit = ["components", "schemas", "ContextRequest", "properties", name].reduce<Json | undefined>(
    memberOf,
    whole
  )
  assert.deepInclude(Object(limit), { default: usual, maximum, minimum })
})

it.each([
  ["/api-docs", "text/html; charset=utf-8"],
  ["/api-docs/page.js", "text/javascript; charset=utf-8"],
  ["/api-docs/plugin.js", "text/javascript; charset=utf-8"],
  ["/api-docs/page.css", "text/css; charset=utf-8"],
  ["/api-docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["/api-docs/swagger-ui.css", "text/css; charset=utf-8"]
])("%s needs no token, and its policy allows no foreign content", async (path, type) => {
  const response = await app.call("GET", path)
  assert.strictEqual(response.status, 200)
  assert.strictEqual(response.headers.get("content-type"), type)
  const policy = response.headers.get("content-security-policy") ?? ""
  assert.include(policy, "default-src 'none'")
  assert.notMatch(policy, /unsafe|https?:/u)
})
it("the page /api-docs has no inline code and names no foreign host", async () => {
  const html = await (await app.call("GET", "/api-docs")).text()
  assert.notMatch(html, /https?:|<style|style=|onclick=|<script(?![^>]*\bsrc=)/u)
  assert.include(html, 'type="password"')
})
