// No request within the limits holds the main thread for long or costs much memory, whatever is wrong with it
// (contract §12, "Work of one request").
import { afterAll, assert, it } from "@effect/vitest"
import { BODY_BYTES_IMPORT_MAX, BODY_BYTES_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { stubApp, json, known, LOGIN, problem, READ, unlimited } from "../../testing/HttpFixtures.ts"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The bound of the contract. RAPPORT_SHOW_COST shows the figures. */
const HOLD_MILLIS = 50
/** A slow machine passes, work that grows with the square of the body does not. */
const HOLD_MILLIS_MAX = 10 * HOLD_MILLIS
const MEBIBYTE = 1024 * 1024
const COST_BYTES_MAX = 64 * MEBIBYTE

const app = stubApp({ settings: { limits: { ...unlimited, CONTEXT_WRITES_PER_MINUTE: 1_000_000 } } })
afterAll(app.dispose)

setFlagsFromString("--expose-gc")
const collectAll: () => void = runInNewContext("gc")

const usedBytes = (): number => {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Fills `head…tail` with repetitions of what `item` gives, up to the limit of the route. */
const fillBody = (bytesMax: number, head: string, tail: string, item: (i: number) => string): string => {
  const items: Array<string> = []
  let left = bytesMax - head.length - tail.length
  for (let i = 0; ; i++) {
    const next = item(i)
    left -= next.length + 1
    if (left < 0) return head + items.join(",") + tail
    items.push(next)
  }
}

const BATCHES = "/kw/context/import-batches"
const CHATS = "/kw/api/v1/OpChatRooms"
const TOKENS = "/kw/api/v1/auth/external-tokens"
const CLIENTS = "/kw/api/v1/clients"
const unknownNames = (i: number) => `"u${i.toString(36)}":1`
const scope = '{"scope":{"entity":"client","id":1}'
const batch = '{"source":"s","items":['

const requests: ReadonlyArray<readonly [what: string, path: string, body: string]> = [
  ["import of {}", BATCHES, fillBody(BODY_BYTES_IMPORT_MAX, batch, "]}", () => "{}")],
  ["import of 0", BATCHES, fillBody(BODY_BYTES_IMPORT_MAX, batch, "]}", () => "0")],
  ["import of [[]]", BATCHES, fillBody(BODY_BYTES_IMPORT_MAX, batch, "]}", () => "[[]]")],
  ["import of unknown names", BATCHES, fillBody(BODY_BYTES_IMPORT_MAX, '{"source":"s",', "}", unknownNames)],
  [
    "import of long unknown names",
    BATCHES,
    fillBody(BODY_BYTES_IMPORT_MAX, '{"source":"s",', "}", (i) => `"${"n".repeat(180)}${i}":1`)
  ],
  [
    "import of escaped names",
    BATCHES,
    fillBody(BODY_BYTES_IMPORT_MAX, '{"source":"s",', "}", (i) => `"${"\\u0436".repeat(30)}${i}":1`)
  ],
  [
    "import of wrong items",
    BATCHES,
    fillBody(BODY_BYTES_IMPORT_MAX, batch, "]}", (i) => `{"x${i}":"${"t".repeat(63_000)}"}`)
  ],
  ["import of escaped text", BATCHES, `{"source":"s","items":[{"kind":"${"\\u0436".repeat(1_000_000)}"}]}`],
  ["import of one escaped name", BATCHES, `{"source":"s","${"\\u0436".repeat(1_000_000)}":1}`],
  ["retrieve with wrong sections", READ, fillBody(BODY_BYTES_MAX, `${scope},"sections":[`, "]}", () => "1")],
  [
    "retrieve with objects as sections",
    READ,
    fillBody(BODY_BYTES_MAX, `${scope},"sections":[`, "]}", () => "{}")
  ],
  [
    "retrieve with sections that repeat",
    READ,
    fillBody(BODY_BYTES_MAX, '{"scope":{"entity":"subject","id":1},"x":1,"sections":[', "]}", () => '"state"')
  ],
  ["retrieve with unknown names", READ, fillBody(BODY_BYTES_MAX, `${scope},`, "}", unknownNames)],
  ["login with unknown names", LOGIN, fillBody(BODY_BYTES_MAX, "{", "}", unknownNames)],
  [
    "login with an object for each name",
    LOGIN,
    fillBody(BODY_BYTES_MAX, '{"a":[', "]}", (i) => `{"a${i}":0}`)
  ],
  [
    "token with wrong permissions",
    TOKENS,
    fillBody(BODY_BYTES_MAX, '{"name":"n","permissions":[', "]}", () => "0")
  ],
  [
    "chat with wrong tags",
    CHATS,
    fillBody(BODY_BYTES_MAX, '{"clientId":1,"channel":"c","tags":[', "]}", () => "0")
  ],
  [
    "chat with a history of 0",
    CHATS,
    fillBody(BODY_BYTES_IMPORT_MAX, '{"clientId":1,"channel":"c","messages":[', "]}", () => "0")
  ],
  [
    "chat with wrong messages",
    CHATS,
    fillBody(
      BODY_BYTES_IMPORT_MAX,
      '{"clientId":1,"channel":"c","messages":[',
      "]}",
      (i) => `{"m${i}":"${"t".repeat(6_400)}"}`
    )
  ],
  [
    "client with wrong identities",
    CLIENTS,
    fillBody(BODY_BYTES_MAX, '{"name":"n","identities":[', "]}", (i) => `{"c${i}":1}`)
  ]
]

it.each(requests)(
  "a request takes little time of the main thread and at most 64 MiB, and reports at most 100 faults: %s",
  async (what, path, body) => {
    const bytes = new TextEncoder().encode(body)
    const headers = { ...known, ...json, "idempotency-key": "k" }
    let hold = Infinity
    let cost = Infinity
    // The first runs are of code that is not compiled yet.
    for (let run = 0; run < 5 && !(hold < HOLD_MILLIS && cost < COST_BYTES_MAX); run++) {
      // What others left behind is not collected at the cost of this request.
      collectAll()
      const before = usedBytes()
      const watch = watchLoop()
      const answer = await app.call("POST", path, { headers, body: bytes })
      const { bytes: peak, millis } = watch.stop()
      const { errors = [] } = await problem(answer, 400, "INVALID_REQUEST")
      assert.isAtMost(errors.length, VIOLATIONS_MAX)
      hold = Math.min(hold, millis)
      cost = Math.min(cost, peak - before)
    }
    if (process.env["RAPPORT_SHOW_COST"] !== undefined)
      process.stderr.write(`${what}: ${hold.toFixed(0)} ms, ${(cost / MEBIBYTE).toFixed(0)} MiB\n`)
    assert.isBelow(hold, HOLD_MILLIS_MAX)
    assert.isBelow(cost, COST_BYTES_MAX)
  }
)

/** Milliseconds of this thread's processor time: what others do on the machine does not count. */
const workedMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** The most work without a turn of the event loop, and the most memory seen at one. */
const watchLoop = () => {
  let longest = 0
  let peak = 0
  let last = workedMillis()
  let isOver = false
  const turn = () => {
    const now = workedMillis()
    longest = Math.max(longest, now - last)
    peak = Math.max(peak, usedBytes())
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    stop: () => {
      isOver = true
      turn()
      return { millis: longest, bytes: peak }
    }
  }
}
