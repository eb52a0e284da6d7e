// What the audit log costs a context read: `node scripts/auditCost.ts [seconds] [rounds]`. The same reads are asked in turn with
// the log being written and with its writer held back by a lock on its table, in one run; prints both medians, their
// ratio, and how many entries one statement wrote. Entries that wait in memory bound a round to some seconds.
import { Console, Effect, Schedule, Schema } from "effect"
import { load } from "../packages/bench/src/Load.ts"
import { measuredService } from "./measuredService.ts"

const [seconds = "4", rounds = "5"] = process.argv.slice(2)

const Counts = Schema.Tuple([Schema.Struct({ entries: Schema.Int, statements: Schema.Int })])
const decodeCounts = Schema.decodeUnknownEffect(Counts)

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const program = Effect.gen(function* () {
  const { origin, sql, token } = yield* measuredService()

  const reads = (length: number) =>
    load({
      url: `${origin}/kw/chatrooms/context/retrieve`,
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ scope: { entity: "client", id: 501 }, actions: {} }),
      connections: 16,
      seconds: length
    })
  // Each transaction that wrote entries was one statement.
  const counts =
    sql`select count(*)::int4 as entries, count(distinct xmin::text)::int4 as statements from audit_log
    where action = 'context.read'`.pipe(Effect.flatMap(decodeCounts))
  const written = counts.pipe(
    Effect.repeat({
      schedule: Schedule.spaced("500 millis"),
      until: ([{ entries }]) => Effect.map(counts, ([later]) => later.entries === entries)
    })
  )
  const heldBack = sql.withTransaction(
    Effect.andThen(
      sql`set local idle_in_transaction_session_timeout = 0`,
      Effect.andThen(sql`lock table audit_log in share mode`, reads(Number(seconds)))
    )
  )

  yield* reads(3)
  const [logged, held]: [Array<number>, Array<number>] = [[], []]
  yield* written
  const [before] = yield* counts
  for (let round = 0; round < Number(rounds); round++) logged.push((yield* reads(Number(seconds))).perSecond)
  yield* written
  const [after] = yield* counts
  for (let round = 0; round < Number(rounds); round++) {
    logged.push((yield* reads(Number(seconds))).perSecond)
    held.push((yield* heldBack).perSecond)
    yield* written
  }
  const perStatement = (after.entries - before.entries) / (after.statements - before.statements)
  const [on, off] = [median(logged), median(held)]
  yield* Console.log(
    `reads a second: ${on.toFixed(0)} with the log written, ${off.toFixed(0)} with its writer held back, ratio ${(on / off).toFixed(2)}; ${perStatement.toFixed(1)} entries a statement`
  )
})

await Effect.runPromise(Effect.scoped(program))
