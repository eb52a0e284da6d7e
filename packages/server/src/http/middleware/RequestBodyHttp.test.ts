// The checks before the schema and their order (contract §1).
import { afterAll, assert, it } from "@effect/vitest"
import { BODY_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { GOOD, stubApp, json, known, problem, READ, unlimited } from "../../testing/HttpFixtures.ts"
import { preferredMediaType } from "./RequestBodyHttp.ts"

const app = stubApp({ settings: { limits: unlimited } })
afterAll(app.dispose)

const send = (headers: Record<string, string>, body: unknown = JSON.stringify(GOOD)) =>
  app.call("POST", READ, { headers: { ...known, ...headers }, body })

const paddedBody = (size: number) => {
  const text = JSON.stringify(GOOD)
  return `${text.slice(0, -1)}${" ".repeat(size - text.length)}}`
}

const big = `{"x":"${"y".repeat(300 * 1024)}"}`
const text = { "content-type": "text/plain" }
const typed = { ...known, ...json }
const retrievalBody = (entity: string, more = "") =>
  `{"scope":{"entity":"${entity}","id":3},"topK":21${more}}`
it.each<[string, Record<string, string>, string, number, string]>([
  ["authentication before media type", text, "{", 401, "UNAUTHENTICATED"],
  ["authentication before size", json, big, 401, "UNAUTHENTICATED"],
  ["acceptance before media type", { ...known, ...text, accept: "text/html" }, big, 406, "NOT_ACCEPTABLE"],
  ["media type before size", { ...known, ...text }, big, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["size before JSON", typed, `{${" ".repeat(BODY_BYTES_MAX)}`, 413, "PAYLOAD_TOO_LARGE"],
  ["size before shape", typed, big, 413, "PAYLOAD_TOO_LARGE"],
  ["shape before maximums", typed, retrievalBody("planet"), 400, "INVALID_REQUEST"],
  ["unknown member before maximums", typed, retrievalBody("client", ',"version":1'), 400, "INVALID_REQUEST"],
  ["maximums after shape", typed, retrievalBody("client"), 400, "QUERY_BUDGET_EXCEEDED"]
])("request checks run in the documented order: %s", async (_, headers, body, status, code) => {
  await problem(await app.call("POST", READ, { headers, body }), status, code)
})

it.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "json",
  "application/merge-patch+json",
  "application/json; charset=iso-8859-1",
  "application/json; profile=x",
  "application/json, application/json",
  "*/*"
])("a body of %s is 415", async (media) => {
  await problem(await send({ "content-type": media }), 415, "UNSUPPORTED_MEDIA_TYPE")
})
it("a body without a media type is 415", async () => {
  await problem(await send({}, new TextEncoder().encode(JSON.stringify(GOOD))), 415, "UNSUPPORTED_MEDIA_TYPE")
})
it.each(["gzip", "br", "identity"])("Content-Encoding %s is 415", async (coding) => {
  await problem(await send({ ...json, "content-encoding": coding }), 415, "UNSUPPORTED_MEDIA_TYPE")
})
it.each([
  "application/json",
  "Application/JSON",
  "application/json;charset=UTF-8",
  'application/json ; charset="utf-8"'
])("a body of %s is accepted", async (media) =>
  assert.strictEqual((await send({ "content-type": media })).status, 200)
)
it.each([
  "application/xml",
  "image/*",
  "application/json;q=0",
  "application/json;q=0, */*;q=0.5",
  "text/plain;q=1"
])("Accept: %s is 406", async (accept) => {
  await problem(await send({ ...json, accept }), 406, "NOT_ACCEPTABLE")
})
it.each([
  "*/*",
  "application/*",
  "APPLICATION/JSON",
  "text/html, application/json;q=0.1",
  "application/json; charset=utf-8",
  "*/*;q=0, application/*",
  "text/markdown",
  "text/*;q=0.2"
])("Accept: %s is answered", async (accept) =>
  assert.strictEqual((await send({ ...json, accept })).status, 200)
)
const page = (accept: string) => app.call("GET", "/api-docs", { headers: { accept } })
it("an HTML page has its own media type", async () => {
  await problem(await page("application/json"), 406, "NOT_ACCEPTABLE")
  assert.strictEqual((await page("text/html,*/*;q=0.8")).status, 200)
})

it("a body of exactly the limit is accepted, one byte more is 413 and closes the connection", async () => {
  assert.strictEqual((await send(json, paddedBody(BODY_BYTES_MAX))).status, 200)
  const refused = await send(json, paddedBody(BODY_BYTES_MAX + 1))
  assert.strictEqual(refused.headers.get("connection"), "close")
  await problem(refused, 413, "PAYLOAD_TOO_LARGE")
})

it.each([
  [undefined, "application/json"],
  ["*/*", "application/json"],
  ["application/json", "application/json"],
  ["text/markdown", "text/markdown"],
  ["Text/Markdown; charset=utf-8", "text/markdown"],
  ["text/*", "text/markdown"],
  ["text/markdown, */*", "text/markdown"],
  ["text/markdown, application/json", "application/json"],
  ["text/markdown;q=0.5, application/json;q=0.4", "text/markdown"],
  ["text/markdown;q=0.4, */*;q=0.5", "application/json"],
  ["text/markdown;q=0, */*", "application/json"],
  ["application/json;q=0, text/*;q=0.1", "text/markdown"]
])("Accept: %s prefers %s", (accept, mediaType) => {
  assert.strictEqual(preferredMediaType(accept, ["application/json", "text/markdown"]), mediaType)
})
