// contract §1.3, §4, §5: what was acknowledged is there once, however often the service is killed while it is written.
// A part of `pnpm crash`, which kills 200 times and takes as long as all other tests.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CrashPlace, embeddedCrash, sharedCrash } from "../testing/crash/CrashPlaces.ts"
import { crash, type CrashReport } from "../testing/crash/CrashRun.ts"

const SEED = 20_261_005

const runCrashes = Effect.fnUntraced(function* (place: CrashPlace, cycles: number) {
  const report = yield* crash({ ...place.plan, cycles, seed: SEED }).pipe(Effect.provide(place.layer))
  yield* Effect.logInfo(`${cycles} crashes`, report)
  return report
})

/** Nothing is wrong, and the run has shown something: commands by the hundred, some of them sent again. */
const assertProved = ({ attempts, commands, wrong }: CrashReport, least: number) => {
  assert.deepStrictEqual(wrong, [])
  assert.isAbove(commands, least)
  assert.isAbove(attempts, commands)
}

it.live(
  "acknowledged writes are present once after 5 kills of one or both of two processes",
  () =>
    Effect.scoped(
      Effect.flatMap(sharedCrash, (place) => Effect.map(runCrashes(place, 5), (r) => assertProved(r, 50)))
    ),
  600_000
)

it.live(
  "acknowledged writes are present once after 2 kills of a service, one of them with its PostgreSQL",
  () =>
    Effect.scoped(
      Effect.flatMap(embeddedCrash, (place) => Effect.map(runCrashes(place, 2), (r) => assertProved(r, 5)))
    ),
  200_000
)
