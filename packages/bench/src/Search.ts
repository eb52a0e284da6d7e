// `pnpm bench search`: reads with evidence by query among very many appeals, of every scope: one after the other, from 16 connections
// at once, and by a timetable. The data are made once for each number of appeals and kept, the index with them.
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Asked } from "./KeptConnection.ts"
import { load, type Outcome } from "./Load.ts"
import { processCpu } from "./ProcessCpu.ts"
import { connections, login } from "./Read.ts"
import { NotStarted, program, served, unlimited } from "./Started.ts"

const appeals = Flag.Int("appeals").pipe(
  Flag.withDescription("Appeals of the data, 20,000 at least"),
  Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(20_000))),
  Flag.withDefault(100_000)
)
const folder = Flag.String("folder").pipe(
  Flag.withDescription(
    "Where the data are made and kept; else a folder of the checkout for each number of appeals"
  ),
  Flag.withDefault("")
)
const seconds = Flag.Int("seconds").pipe(
  Flag.withDescription("Length of one measurement"),
  Flag.withDefault(5)
)
const open = Flag.Int("open").pipe(
  Flag.withDescription("Requests a second of the load by a timetable, of all scopes in turn"),
  Flag.withDefault(50)
)

const queries = [
  "не прийшов рахунок",
  "повернення коштів за замовлення",
  "коли приїде кур'єр",
  "не працює інтернет після оплати",
  "возврат денег на карту",
  "задержка доставки заказа",
  "сломался товар по гарантии",
  "refund for the wrong invoice",
  "the parcel is late",
  "change of the delivery address"
]
/** Of the demo: another one each time. */
const scopes: Readonly<Record<string, { readonly ids: ReadonlyArray<number>; readonly target: string }>> = {
  client: { ids: Array.from({ length: 500 }, (_, n) => n + 1), target: "relevant_appeals" },
  subject: { ids: [1, 2, 3, 7, 8, 9, 11, 12], target: "relevant_subject_appeals" },
  operator: { ids: [20, 21, 22, 23, 26, 27, 28, 31], target: "relevant_appeals" },
  skill_group: { ids: [1, 2, 3], target: "relevant_appeals" }
}

const pick = <A>(list: ReadonlyArray<A>, n: number): A | undefined => list[n % list.length]

export const search = Command.make(
  "search",
  { appeals, connections, folder, open, seconds },
  Effect.fn(function* ({ appeals, connections, folder, open, seconds }) {
    const data = folder === "" ? program(`node_modules/.cache/rapport-bench/appeals-${appeals}`) : folder
    yield* filled(data, appeals)
    const { origin, pid } = yield* served({
      ...unlimited,
      PORT: "0",
      LOG_LEVEL: "error",
      RAPPORT_DATA_DIR: data
    })
    const headers = { authorization: `Bearer ${yield* login(origin)}`, "content-type": "application/json" }
    yield* Console.log("waiting for the index …")
    yield* indexed(origin, headers)
    const asked = (scope: string, n: number): Asked => ({
      url: `${origin}/kw/chatrooms/context/retrieve`,
      method: "POST",
      headers,
      body: JSON.stringify({
        scope: { entity: scope, id: pick(scopes[scope]?.ids ?? [], n) },
        targets: [scopes[scope]?.target],
        query: pick(queries, n)
      })
    })
    const measured = Effect.fnUntraced(function* (
      names: ReadonlyArray<string>,
      connections: number,
      perSecond?: number
    ) {
      const before = processCpu(pid)
      const each = (connection: number, n: number) =>
        asked(pick(names, n) ?? "", connection * 7 + Math.floor(n / names.length))
      const outcome = yield* load({
        ...asked(names[0] ?? "", 0),
        connections,
        seconds,
        each,
        ...(perSecond === undefined ? {} : { perSecond })
      })
      const after = processCpu(pid)
      const answers = Math.max(1, outcome.perSecond * outcome.seconds)
      const millis = (from: number, to: number) => (1_000 * (to - from)) / answers
      return { ...outcome, main: millis(before.main, after.main), all: millis(before.all, after.all) }
    })
    // Warms the caches and the compiler.
    yield* measured(Object.keys(scopes), 4)
    const rows: Array<string> = []
    for (const scope of Object.keys(scopes)) {
      rows.push(line(`${scope}, one by one`, yield* measured([scope], 1)))
      rows.push(line(`${scope}, ${connections} at once`, yield* measured([scope], connections)))
    }
    rows.push(line(`all, ${open} a second`, yield* measured(Object.keys(scopes), 4 * connections, open)))
    yield* Console.log([header, ...rows].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Evidence by query among 100,000 appeals and more, of every scope"))

/** Makes the database, where it is not there yet; the index is made by the service when it starts there first. */
const filled = Effect.fnUntraced(function* (data: string, appeals: number) {
  const mark = path.join(data, "filled")
  if (fs.existsSync(mark)) return
  yield* Console.log(`filling ${data} with ${appeals} appeals …`)
  yield* Effect.callback<void, NotStarted>((resume) => {
    const file = program("packages/server/src/testing/SearchData.ts")
    const child = spawn(process.execPath, [file, data, String(appeals)], { stdio: "inherit" })
    child.once("exit", (code) =>
      resume(
        code === 0 ? Effect.void : new NotStarted({ message: `the data were not made: ${String(code)}` })
      )
    )
    return Effect.sync(() => child.kill("SIGTERM"))
  })
  fs.writeFileSync(mark, "")
})

const decodeReadiness = Schema.decodeUnknownPromise(
  Schema.Struct({ searchIndex: Schema.String, indexLagMs: Schema.Finite })
)

/** Waits until everything is searchable. */
const indexed = (origin: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const answer = await fetch(`${origin}/kw/context/readiness`, { headers })
    return decodeReadiness(await answer.json())
  }).pipe(
    Effect.tap(Effect.sleep("1 second")),
    Effect.repeat({ until: ({ indexLagMs, searchIndex }) => searchIndex === "ready" && indexLagMs === 0 })
  )

const columns = ["req/s", "p50 ms", "p95 ms", "p99 ms", "failed", "main ms", "CPU ms"]
const header = `${"evidence by query".padEnd(28)}${columns.map((name) => name.padStart(9)).join("")}`

const line = (name: string, one: Outcome & { readonly main: number; readonly all: number }): string =>
  name.padEnd(28) +
  [one.perSecond, one.p50Millis, one.p95Millis, one.p99Millis, one.failures, one.main, one.all]
    .map((value) => value.toFixed(1).padStart(9))
    .join("")
