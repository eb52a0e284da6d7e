import { assert, describe, it } from "@effect/vitest"
import { connectionsOf } from "./Connections.ts"
import { restartDelayMillis } from "./RestartDelay.ts"

describe("connections", () => {
  it("are all of one process that serves alone", () => {
    assert.deepStrictEqual(connectionsOf({ poolSize: 16, workers: 1 }), { own: 16, worker: 0, all: 16 })
  })

  it("are divided between workers, with enough for short reads where there are as many", () => {
    assert.deepStrictEqual(connectionsOf({ poolSize: 16, workers: 2 }), { own: 8, worker: 12, all: 32 })
    assert.deepStrictEqual(connectionsOf({ poolSize: 64, workers: 4 }), { own: 8, worker: 16, all: 72 })
    assert.deepStrictEqual(connectionsOf({ poolSize: 4, workers: 2 }), { own: 8, worker: 4, all: 16 })
  })
})

describe("the pause before a worker is replaced", () => {
  it("is none after a steady one, and doubles up to a bound", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 3, 6, 7, 90].map(restartDelayMillis),
      [0, 250, 500, 1_000, 8_000, 10_000, 10_000]
    )
  })
})
