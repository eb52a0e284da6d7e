// Slices of a burst, in turn between keys; what may wait has a bound.
import { assert, describe, it } from "@effect/vitest"
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
