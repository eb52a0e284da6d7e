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
const fillBody = ([, path, head, tail, item]: CostlyRequest): string => {
  const items: Array<string> = []
  const isImport = path === BATCHES || head.includes('"messages"')
  let left = (isImport ? BODY_BYTES_IMPORT_MAX : BODY_BYTES_MAX) - head.length - tail.length
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
const escape = () => "\\u0436".repeat(1_000_000)
const client = '{"scope":{"entity":"client","id":1},'
const subject = '{"scope":{"entity":"subject","id":1},'
const source = '{"source":"s",'
const batch = `${source}"items":[`
const chat = '{"clientId":1,"channel":"c",'

type CostlyRequest = readonly [
  what: string,
  path: string,
  head: string,
  tail: string,
  item: (i: number) => string
]
const requests: ReadonlyArray<CostlyRequest> = [
  ["import of {}", BATCHES, batch, "]}", () => "{}"],
  ["import of 0", BATCHES, batch, "]}", () => "0"],
  ["import of [[]]", BATCHES, batch, "]}", () => "[[]]"],
  ["import of unknown names", BATCHES, source, "}", unknownNames],
  ["import of long unknown names", BATCHES, source, "}", (i) => `"${"n".repeat(180)}${i}":1`],
  ["import of escaped names", BATCHES, source, "}", (i) => `"${"\\u0436".repeat(30)}${i}":1`],
  ["import of wrong items", BATCHES, batch, "]}", (i) => `{"x${i}":"${"t".repeat(63_000)}"}`],
  ["import of escaped text", BATCHES, `${batch}{"kind":"`, '"}]}', escape],
  ["import of one escaped name", BATCHES, `${source}"`, '":1}', escape],
  ["retrieve with wrong sections", READ, `${client}"sections":[`, "]}", () => "1"],
  ["retrieve with objects as sections", READ, `${client}"sections":[`, "]}", () => "{}"],
  ["retrieve with sections that repeat", READ, `${subject}"x":1,"sections":[`, "]}", () => '"state"'],
  ["retrieve with unknown names", READ, client, "}", unknownNames],
  ["login with unknown names", LOGIN, "{", "}", unknownNames],
  ["login with an object for each name", LOGIN, '{"a":[', "]}", (i) => `{"a${i}":0}`],
  ["token with wrong permissions", TOKENS, '{"name":"n","permissions":[', "]}", () => "0"],
  ["chat with wrong tags", CHATS, `${chat}"tags":[`, "]}", () => "0"],
  ["chat with a history of 0", CHATS, `${chat}"messages":[`, "]}", () => "0"],
  ["chat with wrong messages", CHATS, `${chat}"messages":[`, "]}", (i) => `{"m${i}":"${"t".repeat(6_400)}"}`],
  ["client with wrong identities", CLIENTS, '{"name":"n","identities":[', "]}", (i) => `{"c${i}":1}`]
]

it.each(requests)(
  "a request takes little time of the main thread and at most 64 MiB, and reports at most 100 faults: %s",
  async (...request) => {
    const [what, path] = request
    const bytes = new TextEncoder().encode(fillBody(request))
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
