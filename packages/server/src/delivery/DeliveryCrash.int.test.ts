// A service that is killed in the middle of many deliveries: none is lost, and what goes twice has the same id and body
// (contract §8).
import { assert, layer } from "@effect/vitest"
import { ATTEMPTS_CONNECTOR_MAX } from "@rapport/core/delivery/Shares.ts"
import { Effect } from "effect"
import { broadcastCrash } from "../testing/crash/BroadcastCrash.ts"
import { SharedDatabaseFixtures } from "../testing/SharedDatabaseFixtures.ts"

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
  it.effect(
    "kill -9 during a broadcast keeps one delivery id for each recipient, loses none and repeats only those in flight",
    () =>
      Effect.gen(function* () {
        const { repeated, seconds, ...report } = yield* broadcastCrash(300, [100])
        assert.deepStrictEqual(report, { status: "completed", lost: 0, doubled: 0, changed: 0 })
        assert.isAtMost(repeated, ATTEMPTS_CONNECTOR_MAX, `after ${seconds} seconds`)
      }),
    120_000
  )
})
