import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  ATTEMPTS_MAX,
  ATTEMPTS_CONNECTOR_MAX,
  ATTEMPTS_INSTANCE_MAX,
  ATTEMPTS_SILENT_MAX
} from "./DeliveryLimits.ts"
import { Shares } from "./Shares.ts"

const key = (botId: number, instanceId = 1) => ({ instanceId, botId, channel: "web" })
const freeOf = (shares: Shares, botId: number, now = 0) =>
  shares.free(now).connectors.find((one) => one.botId === botId)?.free ?? ATTEMPTS_CONNECTOR_MAX

// contract §8: a dead receiver holds up nobody else.
describe("the shares of connectors", () => {
  it("shrink while a receiver is silent, and are whole again once it answers", () => {
    const shares = new Shares()
    const attempt = (hasAnswered: boolean) => {
      shares.begin(key(1))
      shares.end(key(1), hasAnswered, 0)
    }
    for (let i = 0; i < 20; i++) attempt(false)
    assert.strictEqual(freeOf(shares, 1), ATTEMPTS_SILENT_MAX)
    assert.strictEqual(freeOf(shares, 2), ATTEMPTS_CONNECTOR_MAX)
    for (let i = 0; i < 10; i++) attempt(true)
    assert.strictEqual(freeOf(shares, 1), ATTEMPTS_CONNECTOR_MAX)
    assert.isEmpty(shares.free(0).connectors, "a whole share is not remembered")
  })

  it("are nothing while the connector rests", () => {
    const shares = new Shares()
    shares.pause(key(1), 500)
    assert.deepStrictEqual([freeOf(shares, 1, 499), freeOf(shares, 1, 500)], [0, ATTEMPTS_CONNECTOR_MAX])
    assert.deepStrictEqual([shares.pauseMillis(100), shares.pauseMillis(500)], [400, undefined])
  })

  it("add up to what is under way, whatever happens in whatever order", () => {
    const step = fc.record({
      botId: fc.integer({ min: 1, max: 5 }),
      instanceId: fc.integer({ min: 1, max: 2 }),
      hasAnswered: fc.constantFrom(true, false, undefined)
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.array(fc.nat(), { maxLength: 80 }), (steps, ends) => {
        const shares = new Shares()
        const running: Array<(typeof steps)[number]> = []
        for (const one of steps) {
          shares.begin(key(one.botId, one.instanceId))
          running.push(one)
        }
        for (const end of ends) {
          const [one] = running.length === 0 ? [] : running.splice(end % running.length, 1)
          if (one !== undefined) shares.end(key(one.botId, one.instanceId), one.hasAnswered, 0)
        }
        const free = shares.free(0)
        assert.strictEqual(free.lines, ATTEMPTS_MAX - running.length)
        for (const instanceId of [1, 2]) {
          const mine = running.filter((one) => one.instanceId === instanceId).length
          const told = free.instances.find((one) => one.instanceId === instanceId)?.free
          assert.strictEqual(told ?? ATTEMPTS_INSTANCE_MAX, ATTEMPTS_INSTANCE_MAX - mine)
        }
        for (const one of free.connectors) assert.isAtLeast(one.free, 0)
      })
    )
  })
})
