// The deadlines of reading a request (contract §10). They take half a minute, in parallel with other tests.
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { ME, READ } from "../testing/HttpFixtures.ts"
import { head, listen, media, raw, token } from "../testing/RawHttpFixtures.ts"

let port = 0
let stop = () => Promise.resolve()
beforeAll(async () => {
  ;({ port, stop } = await listen())
})
afterAll(() => stop())

it.concurrent.each([
  ["silence", "", undefined, 10_000],
  ["dripping headers", `GET ${ME} HTTP/1.1\r\nHost: x\r\nX-Slow: `, "a", 10_000],
  ["a dripping body", `${head("POST", READ, token, media, "Content-Length: 100000")}{"x":"`, "a", 30_000]
] as const)("a slow request is cut at its deadline: %s", async (_, data, drip, deadlineMillis) => {
  const { closedAfterMillis, text } = await raw(port, data, undefined, drip)
  assert.isAtLeast(closedAfterMillis, deadlineMillis - 1_000)
  assert.isAtMost(closedAfterMillis, deadlineMillis + 15_000)
  if (text !== "") assert.match(text, /^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/u)
})
