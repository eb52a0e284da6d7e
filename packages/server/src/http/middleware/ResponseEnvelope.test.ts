// Headers and members of every answer, by contract §1 "Order of checks", "Request id", "Caching", "Methods" and §1.1.
import { afterAll, assert, it } from "@effect/vitest"
import { AccessDenied, SearchUnavailable, UnavailableReason } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import {
  GOOD,
  stubApp,
  known,
  LOGIN,
  ME,
  problem,
  READ,
  unlimited,
  type Read
} from "../../testing/HttpFixtures.ts"

const app = stubApp({ settings: { limits: unlimited } })
afterAll(app.dispose)

/** The answer of an application whose context read is this. */
const answerOf = async (read: Read) => {
  const one = stubApp({ read })
  const answer = await one.call("POST", READ, { headers: known, body: GOOD })
  const response = new Response(await answer.arrayBuffer(), answer)
  await one.dispose()
  return response
}

it.each([
  "/",
  "/kw",
  "/KW/chatrooms/context/retrieve",
  `${ME}/`,
  "/kw//api/v1/auth/me",
  "/health/live/",
  "/api-docs/..%2f..%2fpackage.json",
  "/kw/api/v1/auth/me;x=1",
  "/kw/api/v1%2fauth/me",
  // An empty segment is no value of a path parameter: this would be :id with nothing in it.
  "/kw/api/v1/OpChatRooms//messages",
  "/kw/api/v1/auth/external-tokens/",
  "/kw/api/v1/clients/"
])("the path %s is 404, with and without a token", async (path) => {
  await problem(await app.call("GET", path), 404, "NOT_FOUND")
  await problem(await app.call("GET", path, { headers: known }), 404, "NOT_FOUND")
})

it.each([
  ["PUT", READ, "POST, OPTIONS"],
  ["GET", READ, "POST, OPTIONS"],
  ["HEAD", READ, "POST, OPTIONS"],
  ["DELETE", ME, "GET, HEAD, OPTIONS"],
  ["PROPFIND", ME, "GET, HEAD, OPTIONS"],
  ["POST", "/swagger.json", "GET, HEAD, OPTIONS"],
  // Where another method would take the last segment for an id or a name.
  ["PATCH", "/kw/api/v1/Ticket/list", "GET, HEAD, OPTIONS"],
  ["PATCH", "/kw/api/v1/OpChatRooms/list", "GET, HEAD, OPTIONS"],
  ["PATCH", "/kw/api/v1/custom-data/cards/records/search", "POST, OPTIONS"],
  ["DELETE", "/kw/api/v1/custom-data/cards/records/upsert", "POST, OPTIONS"]
])("%s %s is 405 with Allow", async (method, path, allow) => {
  const response = await app.call(method, path)
  assert.strictEqual(response.headers.get("allow"), allow)
  if (method === "HEAD") assert.strictEqual(response.status, 405)
  else await problem(response, 405, "METHOD_NOT_ALLOWED")
})

it("OPTIONS answers 204 without a token and allows no foreign origin", async () => {
  const response = await app.call("OPTIONS", READ, { headers: { origin: "https://elsewhere.example" } })
  assert.strictEqual(response.status, 204)
  assert.strictEqual(response.headers.get("allow"), "POST, OPTIONS")
  assert.isNull(response.headers.get("access-control-allow-origin"))
})

it("HEAD works wherever GET does, without a body", async () => {
  const response = await app.call("HEAD", "/health/live")
  assert.strictEqual(response.status, 200)
  assert.strictEqual(await response.text(), "")
  assert.strictEqual(response.headers.get("content-type"), "application/json")
})

it.each(["%", "%zz", "%ff", "%c0%af", "%ed%a0%80"])("a broken percent code %s is 400", async (code) => {
  const path = `/kw/api/v1/OpChatRooms/${code}/messages`
  await problem(await app.call("GET", path, { headers: known }), 400, "INVALID_REQUEST")
})

const places = [
  ["GET", "/health/live"],
  ["GET", "/nowhere"],
  ["PUT", READ],
  ["POST", READ],
  ["GET", "/api-docs"],
  ["POST", LOGIN]
] as const
it.each(places)("%s %s echoes a visible id and replaces any other", async (method, path) => {
  const answeredId = async (id: string) =>
    (await app.call(method, path, { headers: { "x-request-id": id } })).headers.get("x-request-id") ?? ""
  for (const id of ["a", "x".repeat(128), `!~{}|"'<>\\`]) assert.strictEqual(await answeredId(id), id)
  for (const id of ["x".repeat(129), "", "a b", "é"])
    assert.match(await answeredId(id), /^[0-9a-f]{8}-[0-9a-f]{4}-7/u)
})
it("responses to authorized requests are not stored", async () => {
  const answer = await app.call("POST", READ, { headers: known, body: GOOD })
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
})

it("foreign origins get CORS headers only when RAPPORT_CORS_ORIGINS names them", async () => {
  const one = stubApp({ settings: { corsOrigins: ["https://crm.example"] } })
  const allowed = await one.call("OPTIONS", READ, { headers: { origin: "https://crm.example" } })
  assert.strictEqual(allowed.headers.get("access-control-allow-origin"), "https://crm.example")
  assert.include(allowed.headers.get("access-control-allow-headers") ?? "", "Authorization")
  const answered = await one.call("POST", READ, {
    headers: { ...known, origin: "https://crm.example" },
    body: GOOD
  })
  assert.strictEqual(answered.headers.get("access-control-allow-origin"), "https://crm.example")
  const other = await one.call("GET", "/health/live", { headers: { origin: "https://elsewhere.example" } })
  assert.isNull(other.headers.get("access-control-allow-origin"))
  await one.dispose()
})

it.each(UnavailableReason.literals)(
  "a handler's unavailable source with reason %s is 503 with Retry-After",
  async (reason) => {
    const response = await answerOf(() => Effect.fail(new SearchUnavailable({ reason })))
    assert.strictEqual(response.headers.get("retry-after"), "1")
    assert.strictEqual((await problem(response, 503, "SEARCH_UNAVAILABLE")).reason, reason)
  }
)
it.each([
  [{ ...GOOD, topK: 0 }, "text/markdown", 400, "INVALID_REQUEST"],
  [GOOD, "text/markdown", 403, "ACCESS_DENIED"],
  [GOOD, "text/html", 406, "NOT_ACCEPTABLE"]
] as const)(
  "a failed read of %j with Accept: %s is a problem document",
  async (body, accept, status, code) => {
    const one = stubApp({ read: () => Effect.fail(new AccessDenied()) })
    await problem(await one.call("POST", READ, { headers: { ...known, accept }, body }), status, code)
    await one.dispose()
  }
)
it("a defect is 500 and leaks nothing", async () => {
  const response = await answerOf(() => Effect.die(new Error("select secret from hosts")))
  assert.notInclude(JSON.stringify(await problem(response, 500, "INTERNAL_ERROR")), "secret")
})
