// Slices of a burst, in turn between keys; what may wait has a bound.
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import * as net from "node:net"
import { FairTurns } from "./FairTurns.ts"

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** Holds the loop; Date and timers stand still meanwhile, as they do in real work. */
const hold = (millis: number) => {
  const end = performance.now() + millis
  while (performance.now() < end);
}

describe("turns", () => {
  it("begin at once while nothing waits", () => {
    const turns = new FairTurns({ waitingMax: 10 })
    let begun = 0
    for (let n = 0; n < 3; n++) assert.isTrue(turns.begin("a", () => begun++))
    assert.strictEqual(begun, 3)
  })

  it("a burst of one is sliced, and another begins after the present slice", async () => {
    const turns = new FairTurns({ waitingMax: 1_000, sliceMillis: 2 })
    const order: Array<string> = []
    const work = (name: string) => () => {
      hold(1)
      order.push(name)
    }
    for (let n = 0; n < 50; n++) turns.begin("noisy", work("noisy"))
    turns.begin("neighbour", work("neighbour"))
    assert.isBelow(order.length, 50)
    while (order.length < 51) await turn()
    // Those of the first slice, and one more whose turn it was.
    assert.isAtMost(order.indexOf("neighbour"), 4)
  })

  it("other events are served between two slices", async () => {
    const turns = new FairTurns({ waitingMax: 1_000, sliceMillis: 1 })
    const begun: Array<number> = []
    for (let n = 0; n < 20; n++)
      turns.begin("a", () => {
        hold(1)
        begun.push(n)
      })
    await new Promise((resolve) => setTimeout(resolve, 0))
    assert.isBelow(begun.length, 20)
    while (begun.length < 20) await turn()
  })

  it("leave room for connections: a crowd of them is accepted before the work of a few slices", async () => {
    const COUNT = 64
    let accepted = 0
    const server = net.createServer((socket) => void socket.destroy()).on("connection", () => accepted++)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const turns = new FairTurns({ waitingMax: 1_000, sliceMillis: 2, accepted: () => accepted })
    const seen: Array<number> = []
    for (let n = 0; n < 40; n++)
      turns.begin("crowd", () => {
        hold(3)
        seen.push(accepted)
      })
    for (let n = 0; n < COUNT; n++) net.connect(port, "127.0.0.1").on("error", () => undefined)
    while (seen.length < 40) await turn()
    server.close()
    // One a slice, as Node does it by itself, would be 30.
    assert.strictEqual(seen[30], COUNT, seen.join(" "))
  })

  it("so much may wait, more is not taken, and none is lost", async () => {
    const turns = new FairTurns({ waitingMax: 5, sliceMillis: 0 })
    let begun = 0
    const taken = Array.from({ length: 8 }, (_, n) => turns.begin(`key ${n % 3}`, () => begun++))
    assert.deepStrictEqual(taken, [true, true, true, true, true, false, false, false])
    for (let n = 0; n < 20; n++) await turn()
    assert.strictEqual(begun, 5)
    assert.isTrue(turns.begin("a", () => begun++))
  })
})

const isLittle = (key: string) => key.startsWith("little")

describe("who asks for little", () => {
  /** A clock that work moves, and the turns of an event loop that nothing else fills. */
  let now = 0
  let immediates: Array<() => void> = []
  const nextTurn = () => {
    const due = immediates
    immediates = []
    for (const run of due) run()
  }
  beforeEach(() => {
    now = 0
    immediates = []
    vi.spyOn(performance, "now").mockImplementation(() => now)
    vi.stubGlobal("setImmediate", (run: () => void) => void immediates.push(run))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })

  it("waits neither for a crowd that fills its slices nor for connections that come", () => {
    let accepted = 0
    const turns = new FairTurns({
      waitingMax: 1_000,
      sliceMillis: 2,
      accepted: () => accepted,
      asksLittle: (key) => key === "neighbour"
    })
    const begun: Array<string> = []
    const begin = (key: string) =>
      turns.begin(key, () => {
        now += 1
        begun.push(key)
      })
    for (let n = 0; n < 100; n++) begin("crowd")
    for (let n = 0; n < 20; n++) {
      accepted++
      begin("neighbour")
      assert.strictEqual(begun.at(-1), "neighbour", `turn ${n}`)
      nextTurn()
      for (let left = 0; left < 16; left++) nextTurn()
    }
    assert.isAbove(begun.filter((key) => key === "crowd").length, 20, "the crowd goes on")
  })

  it("waits its turn where many are such, so that connections have theirs", () => {
    let accepted = 0
    const turns = new FairTurns({
      waitingMax: 1_000,
      sliceMillis: 2,
      accepted: () => accepted,
      asksLittle: () => true
    })
    let begun = 0
    for (let n = 0; n < 64; n++) {
      accepted++
      turns.begin(`neighbour ${n}`, () => {
        now += 1
        begun++
      })
      nextTurn()
    }
    // Two slices for those that pass and two for those that wait, every 17 turns.
    assert.isAtMost(begun, 24)
    for (let n = 0; n < 200; n++) nextTurn()
    assert.strictEqual(begun, 64)
  })

  it("begins at once until a slice is full, and everything begins once, whatever comes", () => {
    const SLICE = 2
    const MILLIS_MAX = 3
    type Step = { kind: "work"; key: string; millis: number } | { kind: "connection" } | { kind: "turn" }
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.record({
        kind: fc.constant("work" as const),
        key: fc.constantFrom("little one", "little two", "crowd", "other crowd"),
        millis: fc.integer({ min: 0, max: MILLIS_MAX })
      }),
      fc.record({ kind: fc.constant("connection" as const) }),
      fc.record({ kind: fc.constant("turn" as const) })
    )
    const holds = (steps: ReadonlyArray<Step>) => {
      now = 0
      immediates = []
      let accepted = 0
      const turns = new FairTurns({
        waitingMax: 1_000,
        sliceMillis: SLICE,
        accepted: () => accepted,
        asksLittle: isLittle
      })
      const times = steps.map(() => 0)
      const waiting = new Map<string, number>()
      const add = (key: string, count: number) => waiting.set(key, (waiting.get(key) ?? 0) + count)
      /** Of those who ask for little, begun as they came, in this turn. */
      let littleMillis = 0
      for (const [n, one] of steps.entries()) {
        if (one.kind === "connection") accepted++
        else if (one.kind === "turn") {
          nextTurn()
          littleMillis = 0
        } else {
          const { key, millis } = one
          const mayPass =
            isLittle(key) && accepted === 0 && littleMillis < SLICE && (waiting.get(key) ?? 0) === 0
          add(key, 1)
          turns.begin(key, () => {
            times[n] = (times[n] ?? 0) + 1
            now += millis
            add(key, -1)
          })
          if (mayPass) assert.strictEqual(times[n], 1, `${key} waits at step ${n}`)
          if (isLittle(key) && times[n] === 1) littleMillis += millis
          // What passes, and the slice that is open to everybody; the last piece of either may be longer than what was left.
          assert.isAtMost(littleMillis, 2 * (SLICE - 1 + MILLIS_MAX))
        }
      }
      for (let n = 0; n < 20 * (steps.length + 1); n++) nextTurn()
      const expected = steps.map(({ kind }) => (kind === "work" ? 1 : 0))
      assert.deepStrictEqual(times, expected)
    }
    fc.assert(fc.property(fc.array(step, { maxLength: 120 }), holds))
  })
})
