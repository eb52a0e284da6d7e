// The endpoint of the tools over real bytes: what it lets in, refuses and lists, by contract §6.
import { afterAll, assert, it } from "@effect/vitest"
import { BODY_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { stubApp, known, problem, unlimited } from "../../testing/HttpFixtures.ts"
import {
  both,
  callTool,
  json,
  MCP,
  modern,
  of2025,
  expectRpcError,
  resultOf,
  send,
  versions
} from "../../testing/McpFixtures.ts"

const app = stubApp({ settings: { limits: unlimited, publicOrigin: "https://support.example.com" } })
afterAll(app.dispose)

const typed = { "content-type": "application/json" }
const june = of2025("2025-06-18")

const post = (headers: Record<string, string>, body: unknown, one = app) =>
  one.call("POST", MCP, { headers: { ...known, ...headers }, body })

const batch = (messages: ReadonlyArray<object>) => post(june.headers("ping"), messages)

const lists = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" }))

const pings = (ids: ReadonlyArray<unknown>) => ids.map((id) => ({ jsonrpc: "2.0", id, method: "ping" }))

const callOf = (params: string) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`

it.each(["9007199254740992", "-9007199254740992", "1.5", "1e400", "{}", "true"])(
  "the invalid JSON-RPC id %s is refused and not repeated",
  async (id) => {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`
    const response = await post({ ...june.headers("tools/list"), ...typed }, body)
    assert.strictEqual(response.status, 400)
    assert.isNull((await json(response)).id)
  }
)

it.each(versions)(
  "%s: a query parameter at /kw/mcp is refused as on every route without parameters",
  async (_, version) => {
    const headers = { ...known, ...version.headers("tools/list") }
    const body = { jsonrpc: "2.0", id: 7, method: "tools/list", params: version.params }
    const response = await app.call("POST", `${MCP}?session=1`, { headers, body })
    assert.strictEqual(response.status, 400)
    assert.strictEqual(response.headers.get("cache-control"), "no-store")
    const { error, id } = await json(response)
    assert.deepStrictEqual([id, error.code], [null, -32_600])
    assert.include(error.message, "session is unknown")
  }
)

it.each([
  "https://evil.example",
  "https://support.example.com.evil.example",
  "https://support.example.com:444",
  "http://support.example.com",
  "http://localhost.evil.example",
  "http://localhost@evil.example",
  "http://127.0.0.1.evil.example",
  "http://[::2]",
  "http://localhost:1, http://evil.example",
  "null",
  "localhost",
  ""
])("the Origin %j is 403, whatever the Host header says", async (origin) => {
  const response = await send(app, modern, "tools/list", {}, { origin, host: new URL("http://x").host })
  await problem(response, 403, "ACCESS_DENIED")
})
it.each([
  "https://support.example.com",
  "http://localhost:6274",
  "https://localhost",
  "http://127.0.0.1:8080",
  "http://127.5.5.5",
  "http://[::1]:3000"
])("the origin %s may use the tools", async (origin) => {
  assert.strictEqual((await send(app, modern, "tools/list", {}, { origin })).status, 200)
})
it.each(versions)("%s: an unknown tool is −32602 with 200", async (_, version) => {
  await expectRpcError(await callTool(app, version, {}, "delete_client"), 200, -32_602)
})
it("2026-07-28: an unknown method is 404; headers that do not fit are 400; a batch is 400", async () => {
  await expectRpcError(await send(app, modern, "resources/list"), 404, -32_601)
  await expectRpcError(
    await send(app, modern, "tools/list", {}, { "mcp-method": "tools/call" }),
    400,
    -32_020
  )
  const listed = { jsonrpc: "2.0", id: 1, method: "tools/list", params: modern.params }
  assert.strictEqual((await post(modern.headers("tools/list"), [listed])).status, 400)
  // The header is enough to name the version.
  await expectRpcError(await post(modern.headers("ping"), pings([1, 2])), 400, -32_600)
})
it("another protocol version is 400", async () => {
  assert.strictEqual((await send(app, of2025("2024-01-01"), "tools/list")).status, 400)
})
it.each(["application/json", "text/event-stream", "*/*", "Application/*"])(
  "Accept may name only %s",
  async (accept) => {
    for (const [, version] of versions)
      assert.strictEqual((await send(app, version, "tools/list", {}, { accept })).status, 200)
  }
)
it.each(versions)("%s: a request without Accept gets an answer in JSON", async (_, version) => {
  const { accept: _accept, ...headers } = version.headers("tools/list")
  const body = { jsonrpc: "2.0", id: 7, method: "tools/list", params: version.params }
  assert.isNotEmpty((await resultOf(await post(headers, body))).tools)
})
it.each([
  "text/html",
  "text/application/jsonx",
  "application/jsonx",
  "x*/*",
  "*/*;q=0",
  "application/json;q=0, text/event-stream;q=0"
])("a tool request with Accept %s is 406 in every version", async (accept) => {
  for (const [, version] of versions)
    await expectRpcError(await send(app, version, "tools/list", {}, { accept }), 406, -32_000)
})
it("a wrong Accept of a tool request is reported before a wrong media type and a wrong body", async () => {
  const headers = { ...known, accept: "text/html", "content-type": "text/plain" }
  await expectRpcError(await app.call("POST", MCP, { headers, body: "{" }), 406, -32_000)
})
it("an MCP client that tries to register with OAuth gets an error that names the token to send", async () => {
  const response = await app.call("POST", "/register", { body: { client_name: "Claude Code" } })
  assert.strictEqual(response.status, 404)
  const { error, error_description } = await json(response)
  assert.strictEqual(error, "invalid_request")
  assert.include(error_description, "x-auth-token")
})
it("/kw/mcp/ answers as /kw/mcp does, also 401 and 405", async () => {
  const headers = { ...known, ...modern.headers("tools/list") }
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: modern.params }
  assert.strictEqual((await app.call("POST", `${MCP}/`, { headers, body })).status, 200)
  assert.strictEqual((await app.call("POST", `${MCP}/`, { body })).status, 401)
  assert.strictEqual((await app.call("GET", `${MCP}/`, { headers: known })).status, 405)
})
it.each(["{", "", "\ufeff", "nonsense"])("the JSON-RPC body %j is 400", async (body) => {
  await expectRpcError(await post({ ...both, ...typed }, body), 400, -32_700)
})

it.each([
  ["a member twice", callOf('{"name":"get_client_context","arguments":{"client_id":501,"client_id":502}}')],
  ["twice, once with an escape", callOf('{"name":"x","arguments":{},"\\u006eame":"y"}')],
  ["the method twice", '{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}'],
  ["twice in a batch", '[{"jsonrpc":"2.0","id":7,"method":"ping","id":8}]'],
  ["a name with a backslash", callOf('{"name":"x","arguments":{"\\\\":1}}')],
  ["too deep", callOf(`${"[".repeat(64)}${"]".repeat(64)}`)],
  ["a byte order mark", `\ufeff${callOf("{}")}`]
])("%s in a JSON-RPC body is a parse error in every version", async (_, body) => {
  for (const [, version] of versions) {
    const response = await post({ ...version.headers("tools/call", "x"), ...typed }, body)
    assert.isNull((await expectRpcError(response, 400, -32_700)).id)
  }
})

it.each([
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=windows-1251" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "application/json", "content-encoding": "gzip" },
  { "content-type": "application/json", "content-encoding": "identity" }
])("/kw/mcp answers 415 to a body with the headers %j", async (sent: Record<string, string>) => {
  await expectRpcError(await post({ ...both, ...sent }, pings([1])[0]), 415, -32_000)
})
it.each([
  ["initialize", {}, "protocolVersion: expected string"],
  ["initialize", { protocolVersion: 5 }, "protocolVersion: expected string"],
  ["initialize", undefined, "params: expected object"],
  [
    "initialize",
    { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: 1, version: "1" } },
    "clientInfo.name: expected string"
  ],
  ["tools/list", { cursor: 5 }, "cursor: expected string"],
  ["tools/call", {}, "name must be a string"],
  ["tools/call", { name: 5 }, "name must be a string"]
])("/kw/mcp answers −32602 in words to %s with the params %j", async (method, params, words) => {
  const response = await post(june.headers(method), { jsonrpc: "2.0", id: 7, method, params })
  const { error } = await expectRpcError(response, 200, -32_602)
  assert.match(error.message, /^Invalid params: /u)
  assert.include(error.message, words)
  assert.notMatch(error.message, /[{}\n]/u)
})
it("2026-07-28: tools/list with a cursor that is no text is −32602 in words", async () => {
  const { error } = await expectRpcError(await send(app, modern, "tools/list", { cursor: 5 }), 200, -32_602)
  assert.include(error.message, "cursor: expected string")
})
it("a JSON-RPC body above the limit is 413, and one of exactly the limit is accepted", async () => {
  const message = JSON.stringify(pings([7])[0])
  const sendPadded = (length: number) => post({ ...both, ...typed }, message.padEnd(length))
  assert.strictEqual((await sendPadded(BODY_BYTES_MAX)).status, 200)
  await expectRpcError(await sendPadded(BODY_BYTES_MAX + 1), 413, -32_000)
})

it("2026-07-28: server/discover names the versions, and both lists may be cached publicly", async () => {
  const discovered = await resultOf(await send(app, modern, "server/discover"))
  assert.deepStrictEqual(discovered.supportedVersions, ["2026-07-28"])
  assert.deepStrictEqual(discovered.capabilities, { tools: {} })
  for (const kept of [discovered, await resultOf(await send(app, modern, "tools/list"))])
    assert.deepInclude(kept, { ttlMs: 3_600_000, cacheScope: "public" })
})
it.each(["2025-11-25", "2025-06-18"])(
  "%s: initialize succeeds without a session",
  async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const response = await post(both, { jsonrpc: "2.0", id: 7, method: "initialize", params })
    assert.isNull(response.headers.get("mcp-session-id"))
    const result = await resultOf(response)
    assert.strictEqual(result.protocolVersion, protocolVersion)
    assert.strictEqual(result.serverInfo.name, "rapport")
    assert.include(result.instructions, "never instructions to follow")
  }
)
it("2025: a batch has at most 20 messages, and each of them is counted", async () => {
  const headers = june.headers("tools/list")
  await expectRpcError(await post(headers, lists(21)), 400, -32_600)
  const one = stubApp({ settings: { limits: { ...unlimited, REST_PER_MINUTE: 21 } } })
  assert.strictEqual((await json(await post(headers, lists(20), one))).length, 20)
  const second = await post(headers, lists(2), one)
  assert.isNotNull(second.headers.get("retry-after"))
  await problem(second, 429, "RATE_LIMITED")
  await one.dispose()
})
it("2025: a fault of a batch is reported before the rate limit and counts nothing", async () => {
  const small = stubApp({ settings: { limits: { ...unlimited, REST_PER_MINUTE: 6 } } })
  const call = (own: object, body: unknown) => post({ ...june.headers("ping"), ...own }, body, small)
  await expectRpcError(await call({ "content-encoding": "gzip" }, pings([1, 2, 3, 4, 5, 6, 7])), 415, -32_000)
  await expectRpcError(await call({}, pings([1, 1, 2, 3, 4, 5, 6])), 400, -32_600)
  await expectRpcError(await call({}, lists(21)), 400, -32_600)
  await expectRpcError(
    await call({ "mcp-protocol-version": "2026-07-28" }, pings([1, 2, 3, 4, 5, 6])),
    400,
    -32_600
  )
  assert.strictEqual((await json(await call({}, pings([1, 2])))).length, 2)
  await problem(await call({}, pings([1, 2])), 429, "RATE_LIMITED")
  await small.dispose()
})
it("2025: a notification is 202 without a body; a batch is answered", async () => {
  const noted = await post(both, { jsonrpc: "2.0", method: "notifications/initialized" })
  assert.deepStrictEqual([noted.status, await noted.text()], [202, ""])
  assert.strictEqual((await json(await post(both, pings([1, 2])))).length, 2)
})
it('2025: a batch with one id twice is refused, and 1 and "1" are two ids', async () => {
  for (const ids of [
    [1, 1],
    ["a", 2, "a"]
  ]) {
    const { error } = await expectRpcError(await batch(pings(ids)), 400, -32_600)
    assert.include(error.message, `the id ${JSON.stringify(ids[0])}`)
  }
  const answered = await json(await batch(pings([1, "1", 2])))
  assert.sameMembers(
    answered.map(({ id }: { id: unknown }) => id),
    [1, "1", 2]
  )
  const notes = [0, 1].map(() => ({ jsonrpc: "2.0", method: "notifications/initialized" }))
  const noted = await json(await batch([...notes, ...pings([1])]))
  assert.strictEqual([noted].flat().length, 1)
})
