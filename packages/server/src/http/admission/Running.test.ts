// A crowd is worked on few at once, and fewer while another tenant asks.
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { FairTurns } from "./FairTurns.ts"
import { Room } from "./Room.ts"
import { Running } from "./Running.ts"

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance"] })
)
afterEach(() => void vi.useRealTimers())

/** Begins work of a key until it may not, or a hundred times. */
const fill = (running: Running, key: string): number => {
  let begun = 0
  for (; begun < 100 && running.mayBegin(key); begun++) running.begin(key, () => undefined)
  return begun
}

describe("requests of one tenant that are worked on", () => {
  it("are enough to keep the service busy while no other asks, and more where they wait for something else", () => {
    const running = new Running(new Room(() => undefined))
    running.note("crowd")
    const busy = fill(running, "crowd")
    assert.isTrue(busy > 8 && busy < 20, String(busy))
    vi.advanceTimersByTime(100)
    assert.strictEqual(fill(running, "crowd"), busy)
  })

  it("need not count while they only wait, unless another asks", () => {
    const running = new Running(new Room(() => undefined))
    const end = vi.fn()
    const leave = running.leaving("crowd", end)
    running.note("crowd")
    running.note("neighbour")
    running.note("crowd")
    leave()
    assert.strictEqual(end.mock.calls.length, 0)
    vi.advanceTimersByTime(1_000)
    leave()
    assert.strictEqual(end.mock.calls.length, 1)
  })

  it("are few while another asks, and for a second after", () => {
    const running = new Running(new Room(() => undefined))
    running.note("crowd")
    running.note("neighbour")
    for (let n = 0; n < 100; n++) running.note("crowd")
    const few = fill(running, "crowd")
    assert.isAtMost(few, 8)
    assert.isTrue(running.mayBegin("neighbour"))
    vi.advanceTimersByTime(999)
    running.note("crowd")
    assert.strictEqual(fill(running, "crowd"), few, "those that take long make room for as many again")
    vi.advanceTimersByTime(1)
    assert.isTrue(running.mayBegin("crowd"))
  })

  it("wait behind the one of a neighbour that is worked on, and a neighbour never waits for them", () => {
    const running = new Running(new Room(() => undefined))
    for (let n = 0; n < 100; n++) running.note("crowd")
    const answered = running.note("neighbour")
    assert.isAbove(fill(running, "crowd"), 1, "one keeps neither the event loop nor the database busy")
    assert.isTrue(running.mayBegin("neighbour"))
    const end = running.begin("neighbour", () => undefined)
    vi.advanceTimersByTime(99)
    assert.isFalse(running.mayBegin("crowd"))
    running.note("neighbour")
    assert.isTrue(running.mayBegin("neighbour"), "who asks for two at a time is no crowd")
    answered()
    end()
    vi.advanceTimersByTime(1)
    assert.isTrue(running.mayBegin("crowd"))
  })

  it("of two crowds go on one each", () => {
    const running = new Running(new Room(() => undefined))
    for (let n = 0; n < 100; n++) for (const key of ["crowd", "other"]) running.note(key)
    const end = running.begin("other", () => undefined)
    running.begin("other", () => undefined)
    assert.strictEqual(fill(running, "crowd"), 1)
    assert.isFalse(running.mayBegin("other"))
    end()
    assert.isFalse(running.mayBegin("other"), "each has one")
  })

  it("are known to be few, or not at all", () => {
    const running = new Running(new Room(() => undefined))
    assert.isFalse(running.asksLittle("nobody"))
    const ends = Array.from({ length: 3 }, () => running.note("one"))
    assert.isTrue(running.asksLittle("one"))
    ends.push(running.note("one"))
    assert.isFalse(running.asksLittle("one"))
    for (const end of ends) end()
    assert.isFalse(running.asksLittle("one"))
  })

  it("make room once, with their end or after a while", () => {
    const running = new Running(new Room(() => undefined))
    for (let n = 0; n < 100; n++) for (const key of ["crowd", "neighbour"]) running.note(key)
    let ends = 0
    const end = running.begin("crowd", () => ends++)
    end()
    end()
    vi.advanceTimersByTime(10_000)
    assert.strictEqual(ends, 1)
    running.begin("crowd", () => ends++)
    vi.advanceTimersByTime(250)
    assert.strictEqual(ends, 2)
  })

  it("wait in their queue without holding the turns of others, and go on when there is room", () => {
    const running = new Running(new Room(() => undefined))
    const turns = new FairTurns({ waitingMax: 1_000, mayBegin: (key) => running.mayBegin(key) })
    const begun: Array<string> = []
    const ends: Array<() => void> = []
    const ask = (key: string) => {
      running.note(key)
      turns.begin(key, () => {
        begun.push(key)
        ends.push(running.begin(key, () => turns.resume()))
      })
    }
    ask("neighbour")
    for (let n = 0; n < 50; n++) ask("crowd")
    vi.advanceTimersByTime(10)
    const few = begun.length
    assert.isAtMost(few, 9)
    ask("neighbour")
    assert.strictEqual(begun.at(-1), "neighbour", "nothing that cannot begin is in the way")
    while (begun.length < 52) {
      assert.isNotEmpty(ends, "a request that waits is forgotten")
      ends.shift()?.()
      vi.advanceTimersByTime(1)
    }
  })
})
