// What may be worked on at once follows the load: slowly up, at once down, within its bounds.
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import { type Load, Room, ROOM_LEAST, ROOM_MOST } from "./Room.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

const MEASURED_MILLIS = 100
const free: Load = { loop: 0.3, idle: 0.6 }
const busyLoop: Load = { loop: 0.95, idle: 0.6 }
const busyProcessors: Load = { loop: 0.3, idle: 0.05 }
const between: Load = { loop: 0.8, idle: 0.15 }

/** As many as may be worked on. */
const most = (room: Room): number => {
  let count = 0
  while (!room.isFull(count)) count++
  return count
}

/** A room that is asked, and was full, once in each measurement. */
const filled = (loads: ReadonlyArray<Load | undefined>) => {
  let load: Load | undefined
  const room = new Room(() => load)
  most(room)
  for (const next of loads) {
    load = next
    vi.advanceTimersByTime(MEASURED_MILLIS)
    most(room)
  }
  return room
}
const times = (count: number, load: Load) => Array.from({ length: count }, () => load)

describe("the room for what is worked on", () => {
  it("is the least at first", () => {
    assert.strictEqual(most(new Room(() => free)), ROOM_LEAST)
  })

  it("grows by one in each measurement of a machine that has room, up to its bound", () => {
    assert.strictEqual(most(filled(times(2, free))), ROOM_LEAST + 2)
    assert.strictEqual(most(filled(times(100, free))), ROOM_MOST)
  })

  it("stays as it is where the machine is neither free nor busy, or its event loop or its processors alone are not free", () => {
    for (const load of [between, { ...free, loop: between.loop }, { ...free, idle: between.idle }])
      assert.strictEqual(most(filled([...times(4, free), ...times(9, load)])), ROOM_LEAST + 4)
  })

  it.each([
    ["the event loop is busy", busyLoop],
    ["the processors are busy", busyProcessors],
    ["the load is not known", undefined]
  ])("is halved where %s, down to the least", (_, load) => {
    assert.strictEqual(most(filled([...times(100, free), load])), ROOM_MOST / 2)
    assert.strictEqual(most(filled([...times(100, free), load, load, load])), ROOM_LEAST)
  })

  it("does not grow while nobody needs it", () => {
    const room = new Room(() => free)
    for (let n = 0; n < 100; n++) {
      room.isFull(0)
      vi.advanceTimersByTime(MEASURED_MILLIS)
    }
    assert.strictEqual(most(room), ROOM_LEAST)
  })

  it("does not grow by what was measured while nobody asked", () => {
    const room = filled(times(3, free))
    const before = most(room)
    vi.advanceTimersByTime(10 * MEASURED_MILLIS)
    assert.strictEqual(most(room), before)
  })

  it("is shared by several in part", () => {
    const room = filled(times(6, free))
    const all = most(room)
    assert.strictEqual(all, ROOM_LEAST + 6)
    assert.isFalse(room.isFull(all / 2 - 1, 1 / 2))
    assert.isTrue(room.isFull(all / 2, 1 / 2))
    assert.isFalse(room.isFull(all - 1))
  })

  it("stays within its bounds whatever comes", () => {
    const load = fc.record({
      loop: fc.double({ min: 0, max: 1, noNaN: true }),
      idle: fc.double({ min: 0, max: 1, noNaN: true })
    })
    fc.assert(
      fc.property(fc.array(fc.option(load, { nil: undefined }), { maxLength: 60 }), (loads) => {
        const count = most(filled(loads))
        return count >= ROOM_LEAST && count <= ROOM_MOST
      })
    )
  })

  it("is measured by itself: a thread that works without a pause leaves none", () => {
    vi.useRealTimers()
    const room = new Room()
    const until = performance.now() + 500
    while (performance.now() < until) room.isFull(ROOM_MOST)
    assert.strictEqual(most(room), ROOM_LEAST)
  })
})
