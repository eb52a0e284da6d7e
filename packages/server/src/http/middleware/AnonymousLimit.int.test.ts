// Requests without a valid token over real sockets, which have an address (contract §10, "Without a valid token").
import { assert, it } from "@effect/vitest"
import type { Denial } from "@rapport/core/audit/Denials.ts"
import { Result } from "effect"
import { IpNetwork } from "effect/net"
import { LOGIN, ME, stoppedClock, unlimited } from "../../testing/HttpFixtures.ts"
import { listen } from "../../testing/RawHttpFixtures.ts"

const LIMIT = 5
const proxies = ["127.0.0.0/8"].map((text) => Result.getOrThrow(IpNetwork.fromString(text)))

const startLimitedServer = async (denials: Array<Denial> = []) => {
  const settings = { limits: { ...unlimited, ANONYMOUS_PER_MINUTE: LIMIT }, trustedProxies: proxies }
  const { port, stop } = await listen({ settings, denials, clock: stoppedClock })
  const call = (address: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-forwarded-for": address, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  return { call, stop }
}

const login = { login: "administrator", password: "wrong" }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Addresses of one /64. */
const sameNetwork = (n: number) => `2001:db8:1:2::${n + 1}`

const statuses = async (count: number, ask: (n: number) => Promise<Response>) => {
  const all: Array<number> = []
  for (let n = 0; n < count; n++) all.push((await ask(n)).status)
  return all
}
const past = (status: number) => [...Array.from({ length: LIMIT }, () => status), 429]

it("an address shares one limit for logins, refreshes and invitations and then gets Retry-After", async () => {
  const denials: Array<Denial> = []
  const { call, stop } = await startLimitedServer(denials)
  assert.deepStrictEqual(await statuses(LIMIT + 1, () => call("198.51.100.1", LOGIN, {}, login)), past(401))
  assert.deepStrictEqual(denials, [{ reason: "rate_limited", operation: "login", session: null }])
  const refused = await call("198.51.100.1", "/kw/api/v1/auth/refresh", {}, { refreshToken: "x" })
  assert.strictEqual(refused.status, 429)
  // A slow machine has waited a part of it.
  assert.match(refused.headers.get("retry-after") ?? "", /^(?:[1-9]|1[0-2])$/u)
  assert.deepInclude(await refused.json(), { code: "RATE_LIMITED" })
  assert.strictEqual((await call("198.51.100.2", LOGIN, {}, login)).status, 401)
  await stop()
})

it("an address without a valid token is counted by its IPv6 /64 and before the body is checked", async () => {
  const { call, stop } = await startLimitedServer()
  assert.deepStrictEqual(await statuses(LIMIT + 1, (n) => call(sameNetwork(n), LOGIN, {}, {})), past(400))
  assert.strictEqual((await call("2001:db8:1:3::1", LOGIN, {}, login)).status, 401)
  await stop()
})

it.each([
  ["wrong signatures", 401, {}],
  ["bodies too large to verify", 413, { text: "я".repeat(200_000) }]
])("an address without a valid token is refused after so many %s of a provider", async (_, status, body) => {
  const { call, stop } = await startLimitedServer()
  const signature = { "webhook-id": "m", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA" }
  const send = (n: number) => call("198.51.100.9", `/kw/api/inbound/${n + 1}/web`, signature, body)
  assert.deepStrictEqual(await statuses(LIMIT + 1, send), past(status))
  await stop()
})

it("refuses an address after too many wrong tokens, and still admits a valid token from it", async () => {
  const { call, stop } = await startLimitedServer()
  const at = "198.51.100.3"
  const right = () => call(at, ME, bearer("user-1"))
  const opaque = () => call(at, ME, { "x-auth-token": "token-1" })
  // Both are admitted and reach the stub.
  const [signedIn, tokenIn] = [(await right()).status, (await opaque()).status]
  assert.notInclude([401, 429], signedIn)
  assert.deepStrictEqual(
    await statuses(LIMIT + 1, (n) => call(at, ME, n % 2 === 0 ? bearer("nobody") : { "x-auth-token": "x" })),
    past(401)
  )
  assert.strictEqual((await right()).status, signedIn)
  assert.strictEqual((await opaque()).status, tokenIn)
  // An unseen one would need the database, and has to wait.
  assert.strictEqual((await call(at, ME, { "x-auth-token": "token-2" })).status, 429)
  assert.notInclude([401, 429], (await call("198.51.100.4", ME, { "x-auth-token": "token-2" })).status)
  // No token at all costs nothing.
  assert.strictEqual((await call(at, ME)).status, 401)
  await stop()
})
