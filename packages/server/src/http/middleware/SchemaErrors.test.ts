// All violations of a request in one answer (contract §1 "Strictness", "Query strings, paths", §1.1).
import { afterAll, assert, it } from "@effect/vitest"
import {
  CHAT,
  GOOD,
  stubApp,
  json,
  known,
  LOGOUT,
  ME,
  paths,
  problem,
  READ,
  unlimited
} from "../../testing/HttpFixtures.ts"

const app = stubApp({ settings: { limits: unlimited } })
afterAll(app.dispose)

const uuid = "01990000-0000-7000-8000-00000000000a"
const call = (method: string, path: string, body?: unknown) =>
  app.call(method, path, { headers: typeof body === "string" ? { ...known, ...json } : known, body })
const problemOf = async (answer: Promise<Response>, code: string = "INVALID_REQUEST") =>
  problem(await answer, 400, code)
/** Paths of the faults. */
const faultsOf = async (...[answer, code]: Parameters<typeof problemOf>) =>
  paths(await problemOf(answer, code))

it("every violation of a body is reported once by its path", async () => {
  const body = {
    scope: { entity: "planet", id: "1", name: 1 },
    topK: "8",
    version: 1,
    allowPartial: "yes",
    sections: ["state", "bogus"],
    actions: { limit: "5" },
    query: null
  }
  assert.deepStrictEqual(await faultsOf(call("POST", READ, body)), [
    "actions.limit",
    "allowPartial",
    "query",
    "scope.entity",
    "scope.id",
    "scope.name",
    "sections[1]",
    "topK",
    "version"
  ])
})
it("rules between members are reported with faults of single members", async () => {
  const body = { scope: { entity: "subject", id: 1 }, sections: ["state"], topK: "8" }
  assert.deepStrictEqual(await faultsOf(call("POST", READ, body)), ["sections[0]", "topK"])
})
it("all exceeded maximums are reported together", async () => {
  const body = { ...GOOD, topK: 21, candidateLimit: 201, timeoutMs: 5001 }
  const found = await problemOf(call("POST", READ, body), "QUERY_BUDGET_EXCEEDED")
  assert.deepStrictEqual(paths(found), ["candidateLimit", "timeoutMs", "topK"])
  assert.deepInclude(found.errors ?? [], { path: "topK", message: "must be at most 20" })
})
it.each(["version", "clientId", "Scope", "scope ", "", "__proto__", "constructor", "$ref", "scope.id"])(
  "the unknown member %j is named",
  async (member) => {
    const body = `{"scope":{"entity":"client","id":1},${JSON.stringify(member)}:1}`
    assert.deepStrictEqual(await faultsOf(call("POST", READ, body)), [member])
  }
)
it("a missing required body is reported as not an object", async () => {
  for (const path of [READ, "/kw/api/v1/OpChatRooms"]) {
    const { errors } = await problemOf(call("POST", path))
    assert.deepStrictEqual(errors, [{ path: "", message: "must be a JSON object" }])
  }
})
it.each(["{", "[]", "null", '"x"', "", '{"a":1,"a":1}', '{"a":"\\u0000"}', '{"a":1e400}', "\ufeff{}"])(
  'what the JSON reader refuses is one entry with path "": %j',
  async (body) => assert.deepStrictEqual(await faultsOf(call("POST", READ, body)), [""])
)
it("a body may be missing where every member is optional", async () => {
  for (const body of [undefined, {}]) assert.strictEqual((await call("POST", LOGOUT, body)).status, 204)
  const wrong = { everywhere: "true", all: true }
  assert.deepStrictEqual(await faultsOf(call("POST", LOGOUT, wrong)), ["all", "everywhere"])
})
it("a route without a body accepts only an empty object", async () => {
  const token = "/kw/api/v1/auth/external-tokens/1"
  assert.strictEqual((await call("DELETE", token, {})).status, 204)
  assert.deepStrictEqual(await faultsOf(call("DELETE", token, { id: 1 })), ["id"])
})

it.each([
  ["bogus=1", "bogus"],
  ["Limit=5", "Limit"],
  ["limit=", "limit"],
  ["limit=0", "limit"],
  ["limit=-1", "limit"],
  ["limit=1.5", "limit"],
  ["limit=1e1", "limit"],
  ["limit=%2B5", "limit"],
  ["limit=0x5", "limit"],
  ["limit=05", "limit"],
  ["limit=%D9%A1", "limit"],
  ["limit=5&limit=5", "limit"],
  ["limit=5%00", "limit"],
  ["cursor=%ff", "cursor"],
  ["%zz=1", "%zz"],
  ["=1", ""],
  ["order=up", "order"],
  ["around=0", "around"],
  ["around=5v0", "around"],
  ["around=v2", "around"],
  ["__proto__=1", "__proto__"]
])("the query ?%s is 400 and names %j", async (query, path) => {
  assert.include(await faultsOf(call("GET", `${CHAT}?${query}`)), path)
})
it.each([
  ["a list", "GET", `${CHAT}?=1&=2&bogus=1`, undefined, ["", "bogus"]],
  ["a route that takes none", "GET", `${ME}?=1`, undefined, [""]],
  ["a route with a body", "POST", `${READ}?=1`, { ...GOOD, topK: "8" }, ["", "topK"]],
  ["a body that is none", "POST", `${READ}?=1`, "{", ["", ""]]
])("a query parameter without a name is reported: %s", async (_, method, path, body, faulty) => {
  const found = await problemOf(call(method, path, body))
  assert.deepStrictEqual(paths(found), faulty)
  assert.include(found.detail, "the query string must not hold a parameter without a name")
  assert.notInclude(found.detail, "the body is unknown")
})
it("all faults of a query string and path are reported together", async () => {
  const path = "/kw/api/v1/OpChatRooms/01/messages?bogus=1&limit=0"
  assert.deepStrictEqual(await faultsOf(call("GET", path)), ["bogus", "id", "limit"])
})
it("a query limit above its maximum is QUERY_BUDGET_EXCEEDED", async () => {
  const answer = call("GET", `${CHAT}?limit=101`)
  assert.deepStrictEqual(await faultsOf(answer, "QUERY_BUDGET_EXCEEDED"), ["limit"])
})
it.each(["", "?", "?limit=100&order=desc", "?around=5", "?around=5v12"])(
  "the query %j is accepted",
  async (query) => assert.strictEqual((await call("GET", `${CHAT}${query}`)).status, 200)
)
it.each(["0", "-1", "1.5", "0x1f", "9007199254740992", "1e3", "01", "+1", "%201", "null", "31%00", "%D9%A3"])(
  "the path id %s is 400",
  async (id) => {
    await problemOf(call("GET", `/kw/api/v1/Ticket/${id}/messages`))
  }
)
it.each(["1", uuid.slice(0, -1), `${uuid}0`, `{${uuid}}`, `${uuid}%0A`])(
  "the path UUID %s is 400",
  async (id) => {
    await problemOf(call("GET", `/kw/context/sessions/${id}`))
  }
)
it("routes without parameters refuse every name", async () => {
  for (const path of [ME, "/health/live", "/swagger.json", "/api-docs"])
    assert.deepStrictEqual(await faultsOf(call("GET", `${path}?noSuch=1`)), ["noSuch"])
  assert.deepStrictEqual(await faultsOf(call("POST", `${READ}?topK=5`, GOOD)), ["topK"])
})
it.each([
  ["auth/external-tokens?filter[bogus]=1", "expiresAt"],
  ["auth/external-tokens?filter[permissions]=chats.sing", "must be one of "],
  ["users?filter[roles]=chief", "must be one of "],
  ["users?filter[roles][in]=operator,chief", "must be one of "],
  ["users?filter[status]=gone", "must be one of "],
  ["properties?filter[visibleTo][ne]=chief", "must be one of "]
])("the list parameter %s is 400 and names the allowed ones", async (query, allowed) => {
  const { errors } = await problemOf(call("GET", `/kw/api/v1/${query}`))
  assert.include(errors?.[0]?.message, allowed)
})
