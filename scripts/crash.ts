// Kills a service many times while it writes, and audits its data: `pnpm crash [cycles] [seed] [embedded]`, 200 by default.
// `pnpm crash broadcast [recipients]` kills it twice in the middle of one broadcast, to 5,000 recipients by default.
// With `embedded` the service's own PostgreSQL is killed too; otherwise a separate PostgreSQL keeps running.
import { Console, Effect } from "effect"
import { broadcastCrash } from "../packages/server/src/testing/crash/BroadcastCrash.ts"
import { crash } from "../packages/server/src/testing/crash/CrashRun.ts"
import { embeddedCrash, sharedCrash } from "../packages/server/src/testing/crash/CrashPlaces.ts"
import { SharedDatabaseFixtures } from "../packages/server/src/testing/SharedDatabaseFixtures.ts"

const [cycles = "200", seed = "1", place = "shared"] = process.argv.slice(2)

const USAGE = "usage: pnpm crash [cycles] [seed] [embedded], or: pnpm crash broadcast [recipients]"

/** A whole number above 0; anything else ends the run, which would kill nothing and find nothing wrong. */
const countOf = (text: string): number => {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  process.stderr.write(`${text} is no whole number above 0\n${USAGE}\n`)
  return process.exit(2)
}

const broadcast = Effect.gen(function* () {
  const recipients = countOf(process.argv[3] ?? "5000")
  const killedAfter = [Math.floor(recipients / 4), Math.floor(recipients / 2)]
  const report = yield* broadcastCrash(recipients, killedAfter).pipe(
    Effect.provide(SharedDatabaseFixtures.layer)
  )
  yield* Console.log(JSON.stringify(report, null, 2))
  const { changed, doubled, lost, status } = report
  process.exitCode = status === "completed" && lost + doubled + changed === 0 ? 0 : 1
})

const writing = Effect.gen(function* () {
  const counts = { cycles: countOf(cycles), seed: countOf(seed) }
  const { layer, plan } = yield* place === "embedded" ? embeddedCrash : sharedCrash
  const report = yield* crash({
    ...plan,
    ...counts,
    onCycle: (cycle, { attempts, commands, faults }) =>
      process.stderr.write(
        `cycle ${cycle}: ${commands} commands, ${attempts} attempts, ${faults.length} faults\n`
      )
  }).pipe(Effect.provide(layer))
  yield* Console.log(JSON.stringify(report, null, 2))
  process.exitCode = report.wrong.length === 0 ? 0 : 1
})

await Effect.runPromise(Effect.scoped(cycles === "broadcast" ? broadcast : writing))
