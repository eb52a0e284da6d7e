// Kills a writing service many times and audits what it leaves: `pnpm crash [cycles] [seed] [embedded]`, 200 by default.
// `embedded` lets the service run its own PostgreSQL, which is killed with it; else a PostgreSQL beside it stays.
import { Console, Effect } from "effect"
import { crash } from "../packages/server/src/testing/crash/CrashRun.ts"
import { embeddedCrash, sharedCrash } from "../packages/server/src/testing/crash/CrashPlaces.ts"

const [cycles = "200", seed = "1", place = "shared"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { layer, plan } = yield* place === "embedded" ? embeddedCrash : sharedCrash
  const report = yield* crash({
    ...plan,
    cycles: Number(cycles),
    seed: Number(seed),
    onCycle: (cycle, { attempts, commands, faults }) =>
      process.stderr.write(
        `cycle ${cycle}: ${commands} commands, ${attempts} attempts, ${faults.length} faults\n`
      )
  }).pipe(Effect.provide(layer))
  yield* Console.log(JSON.stringify(report, null, 2))
  process.exitCode = report.wrong.length === 0 ? 0 : 1
})

await Effect.runPromise(Effect.scoped(program))
