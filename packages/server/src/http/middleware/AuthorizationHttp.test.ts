// Authentication over real bytes: every route but a named list needs a token, by contract §1 and §2.
import { afterAll, assert, it } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { AccessDenied } from "@rapport/contract/Errors.ts"
import type { Denial } from "@rapport/core/audit/Denials.ts"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { GOOD, stubApp, known, problem, READ, unlimited } from "../../testing/HttpFixtures.ts"

const app = stubApp({ settings: { limits: unlimited } })
afterAll(app.dispose)

/** Everything else needs a token. */
const open = new Set([
  "login",
  "getLinkedFile",
  "refreshTokens",
  "acceptInvitation",
  "getLiveness",
  "getReadiness",
  "getOpenApiDocument",
  "getDocumentationPage",
  "getPageFile"
])
const routes: Array<readonly [method: string, path: string, name: string]> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) =>
    void routes.push([endpoint.method, endpoint.path.replaceAll(/:\w+/gu, "1"), endpoint.identifier])
})

it.each(routes.filter(([, , name]) => !open.has(name)))(
  "%s %s refuses an anonymous caller before it checks anything else",
  async (method, path) => {
    const response = await app.call(method, path)
    assert.strictEqual(response.headers.get("www-authenticate"), "Bearer")
    await problem(response, 401, "UNAUTHENTICATED")
  }
)

it("the named list of open routes is exact", () => {
  assert.deepStrictEqual(
    routes
      .map(([, , name]) => name)
      .filter((name) => open.has(name))
      .toSorted(),
    [...open].toSorted()
  )
})

it.each([
  ["the token without a scheme", { authorization: "user-1" }],
  ["the scheme without a token", { authorization: "Bearer" }],
  ["another scheme", { authorization: "Basic user-1" }],
  ["two tokens in one header", { authorization: "Bearer user-1, Bearer user-1" }],
  ["a token with a tail", { authorization: "Bearer user-1 x" }],
  ["a quoted token", { authorization: 'Bearer "user-1"' }],
  ["an unknown token", { authorization: "Bearer nobody" }],
  ["an access token as external token", { "x-auth-token": "user-1" }],
  ["an external token as bearer", { authorization: "Bearer token-1" }],
  ["an empty external token", { "x-auth-token": "" }],
  ["two different valid tokens under the two schemes", { ...known, "x-auth-token": "token-1" }],
  ["a valid access token with another user's", { ...known, "x-auth-token": "user-2" }],
  ["a valid access token with an empty external token", { ...known, "x-auth-token": "" }],
  [
    "a valid external token with another scheme",
    { authorization: "Basic token-7", "x-auth-token": "token-7" }
  ],
  ["the token in a cookie", { cookie: "token=user-1" }]
])("an Authorization header with %s is 401", async (_, headers: Record<string, string>) => {
  await problem(await app.call("POST", READ, { headers, body: GOOD }), 401, "UNAUTHENTICATED")
})

it("an invalid access token is reported as such when it is sent under both schemes", async () => {
  const headers = { authorization: "Bearer nobody", "x-auth-token": "nobody" }
  const { detail } = await problem(
    await app.call("POST", READ, { headers, body: GOOD }),
    401,
    "UNAUTHENTICATED"
  )
  assert.strictEqual(detail, "no valid access token")
})

it.each([
  known,
  { authorization: "bearer user-1" },
  { authorization: "BEARER  user-1" },
  { "x-auth-token": "token-7" },
  { ...known, "x-auth-token": "user-1" },
  { authorization: "Bearer token-7", "x-auth-token": "token-7" }
])("the credentials %j are accepted", async (headers: Record<string, string>) => {
  assert.strictEqual((await app.call("POST", READ, { headers, body: GOOD })).status, 200)
})

it.each([{ authorization: "Bearer unavailable" }, { "x-auth-token": "unavailable" }])(
  "the credentials %j get 503 database_unavailable, never 401, while the database is unreachable",
  async (headers: Record<string, string>) => {
    const response = await app.call("POST", READ, { headers, body: GOOD })
    assert.strictEqual(response.headers.get("retry-after"), "1")
    assert.strictEqual((await problem(response, 503, "SEARCH_UNAVAILABLE")).reason, "database_unavailable")
  }
)

// contract §9, "Audit log"

it("each refusal of 401, 403 or 429 is recorded once with its reason, route and caller", async () => {
  const denials: Array<Denial> = []
  const one = stubApp({
    denials,
    read: () => Effect.fail(new AccessDenied()),
    settings: { limits: { ...unlimited, CONTEXT_READS_PER_MINUTE: 1 } }
  })
  const read = (headers: Record<string, string>) => one.call("POST", READ, { headers, body: GOOD })
  await problem(await read({}), 401, "UNAUTHENTICATED")
  await problem(await read(known), 403, "ACCESS_DENIED")
  await problem(await read(known), 429, "RATE_LIMITED")
  assert.deepStrictEqual(
    denials.map(({ operation, reason, session }) => [reason, operation, session?.userId ?? null]),
    [
      ["unauthenticated", "retrieveContext", null],
      ["access_denied", "retrieveContext", 1],
      ["rate_limited", "retrieveContext", 1]
    ]
  )
  await one.dispose()
})
