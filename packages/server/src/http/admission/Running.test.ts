// A crowd is worked on few at once while another tenant asks, and as it comes while none does.
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { FairTurns } from "./FairTurns.ts"
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
  it("are as many as come while no other asks", () => {
    const running = new Running()
    running.note("crowd")
    assert.strictEqual(fill(running, "crowd"), 100)
  })

  it("are few while another asks, and for a second after", () => {
    const running = new Running()
    running.note("crowd")
    running.note("neighbour")
    running.note("crowd")
    const few = fill(running, "crowd")
    assert.isAtMost(few, 8)
    assert.isTrue(running.mayBegin("neighbour"))
    vi.advanceTimersByTime(999)
    running.note("crowd")
    assert.strictEqual(fill(running, "crowd"), few, "those that take long make room for as many again")
    vi.advanceTimersByTime(1)
    assert.isTrue(running.mayBegin("crowd"))
  })

  it("make room once, with their end or after a while", () => {
    const running = new Running()
    for (const key of ["crowd", "neighbour"]) running.note(key)
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
    const running = new Running()
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
