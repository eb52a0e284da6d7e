// `pnpm bench cores`: what a second core gives. The same load on the service with its PostgreSQL on one core, and on two with as
// many workers. The load shares the two cores with them, so what it takes itself is measured and taken out of the ratio.
import { Console, Data, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf, text } from "./Flags.ts"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { availableParallelism } from "node:os"
import { comparedService, type Peer } from "./compare/ComparedService.ts"
import { type CoresRound, coresTable } from "./cores/CoresTable.ts"
import { type Plan, Sent } from "./cores/Plan.ts"
import { familyCpu, processCpu } from "./ProcessCpu.ts"
import { onCores, program } from "./Started.ts"

const connections = count("connections", 32, "Connections that ask at once")
const seconds = secondsOf(3)
const rounds = count("rounds", 3, "Measurements of each, taken in turn")
const only = text("only", "Measures what matches this pattern alone")
const main = text("main", "The start.js of another checkout, whose workers are measured in the same run")

class TooFewCores extends Data.TaggedError("TooFewCores")<{ readonly message: string }> {}

/** Names of compare/Reads.ts and compare/Writes.ts. */
const WHAT = ["state, properties of 500 clients in turn", "20 chats of a list", "POST action"]
const [FIRST, BOTH, SECOND] = ["0", "0,1", "1"]

interface Layout {
  readonly name: string
  readonly workers: number
  readonly cores: string
  /** Of the load: beside a service of one core it has the other. */
  readonly loadCores: string
  readonly file?: string
}
const layouts: ReadonlyArray<Layout> = [
  { name: "one process, one core", workers: 1, cores: FIRST, loadCores: SECOND },
  { name: "one process, two cores", workers: 1, cores: BOTH, loadCores: BOTH },
  { name: "two workers, two cores", workers: 2, cores: BOTH, loadCores: BOTH }
]

interface Placed extends Peer, Layout {}

const placed = (layout: Layout) =>
  Effect.map(comparedService(layout.name, layout.file, layout), (peer): Placed => ({ ...layout, ...peer }))

const decodeSent = Schema.decodeUnknownEffect(Schema.fromJsonString(Sent))

/** Sends a load from a process of its own and waits for its end. */
const send = (cores: string, plan: typeof Plan.Type) =>
  Effect.callback<string>((resume) => {
    const file = program("packages/bench/src/cores/rawLoad.ts")
    const [command = "", ...args] = onCores(cores, [process.execPath, file, JSON.stringify(plan)])
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    child.once("close", (code) =>
      resume(code === 0 ? Effect.succeed(text) : Effect.die(new Error(`the load ended with ${String(code)}`)))
    )
    return Effect.sync(() => child.kill())
  }).pipe(Effect.flatMap(decodeSent), Effect.orDie)

const workersOf = (pid: number): ReadonlyArray<number> =>
  fs
    .readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((child) => child !== "")
    .map(Number)
    .filter((child) => fs.readFileSync(`/proc/${child}/cmdline`, "utf8").includes("WorkerEntry"))

const spentOf = ({ database, pid }: Placed) => ({
  main: processCpu(pid).all,
  workers: workersOf(pid).reduce((sum, worker) => sum + processCpu(worker).all, 0),
  database: familyCpu(database.pid)
})

type Spent = ReturnType<typeof spentOf>
const RESTING_SECONDS = 3

/** What a service takes while nobody asks, a second: polls and sweeps are no part of a request. */
const resting = Effect.fnUntraced(function* (service: Placed) {
  const before = spentOf(service)
  yield* Effect.sleep(`${RESTING_SECONDS} seconds`)
  const now = spentOf(service)
  const rate = (name: keyof Spent) => (now[name] - before[name]) / RESTING_SECONDS
  return { main: rate("main"), workers: rate("workers"), database: rate("database") }
})

type Load = Pick<typeof Plan.Type, "connections" | "seconds" | "what">

const measure = Effect.fnUntraced(function* (service: Placed, rest: Spent, plan: Load) {
  const { loadCores, origin, token } = service
  const before = spentOf(service)
  const sent = yield* send(loadCores, { ...plan, origin, token })
  const now = spentOf(service)
  const micros = (name: keyof Spent) =>
    ((now[name] - before[name] - rest[name] * sent.seconds) * 1_000_000) / sent.count
  const round: CoresRound = {
    perSecond: sent.count / sent.seconds,
    mainMicros: micros("main"),
    workersMicros: micros("workers"),
    databaseMicros: micros("database"),
    loadMicros: (sent.cpuSeconds * 1_000_000) / sent.count,
    p50Millis: sent.p50Millis,
    p95Millis: sent.p95Millis,
    failures: sent.failures
  }
  return round
})

/** Of each process that serves: compiled code is what is measured. */
const WARM_SECONDS = 6

const measured = Effect.fnUntraced(function* (
  services: ReadonlyArray<Placed>,
  rests: ReadonlyArray<Spent>,
  rounds: number,
  plan: Load
) {
  const layouts = services.map((service, at) => ({
    service,
    rest: rests[at] ?? { main: 0, workers: 0, database: 0 },
    rounds: new Array<CoresRound>()
  }))
  for (const { rest, service } of layouts)
    yield* measure(service, rest, { ...plan, seconds: WARM_SECONDS * service.workers })
  for (let round = 0; round < rounds; round++)
    for (const { rest, rounds, service } of layouts) rounds.push(yield* measure(service, rest, plan))
  return coresTable(
    plan.what,
    layouts.map(({ rounds, service }) => ({
      name: service.name,
      cores: service.cores.split(",").length,
      rounds
    }))
  )
})

export const cores = Command.make(
  "cores",
  { connections, seconds, rounds, only, main },
  Effect.fn(function* ({ connections, main, only, rounds, seconds }) {
    if (process.platform !== "linux" || availableParallelism() < 2)
      return yield* new TooFewCores({ message: "this is measured on Linux with two cores" })
    const others = layouts
      .filter(({ workers }) => main !== "" && workers > 1)
      .map((layout) => ({ ...layout, name: `${layout.name}, the other`, file: main }))
    yield* Console.error("starting a service for each layout …")
    const services = yield* Effect.forEach([...layouts, ...others], placed)
    const rests = yield* Effect.forEach(services, resting, { concurrency: "unbounded" })
    const wanted = new RegExp(only, "u")
    for (const what of WHAT.filter((name) => wanted.test(name)))
      yield* Console.log(yield* measured(services, rests, rounds, { connections, seconds, what }))
    yield* Console.log(
      `${connections} connections, ${rounds} × ${seconds} s of each in turn: min / median / max`
    )
  }, Effect.scoped)
).pipe(Command.withDescription("One core beside two with as many workers"))
