// Kills a service repeatedly at random times while writers go on, and audits its database.
import { Random } from "@rapport/demo/Random.ts"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"
import { type Ended, ServerProcess } from "../ServerFixtures.ts"
import { killPostgres } from "../StoppedPostgres.ts"
import { audit } from "./CrashAudit.ts"
import { CrashClient } from "./CrashClient.ts"
import { CrashLedger } from "./CrashLedger.ts"
import { CrashWriters } from "./CrashWriters.ts"

export interface CrashPlan {
  readonly cycles: number
  /** Of the random times; a failure reports it. */
  readonly seed: number
  /** The processes of the service with fixed ports, to which the writers return. */
  readonly processes: ReadonlyArray<{
    readonly port: number
    readonly environment: Readonly<Record<string, string>>
  }>
  /** At every other cycle, the embedded PostgreSQL of this data folder is killed too. */
  readonly dataDir?: string
  readonly onCycle?: (cycle: number, ledger: CrashLedger) => void
}

export interface CrashReport {
  readonly wrong: ReadonlyArray<string>
  readonly commands: number
  readonly attempts: number
  readonly histories: number
  readonly lagMillis: number | null
}

const WRITERS = 6
const CLIENTS = 3
const ALIVE_MILLIS_MAX = 1_500
const CONVERGES_MILLIS_MAX = 10_000

/** Runs the cycles and audits the database. */
export const crash = (plan: CrashPlan): Effect.Effect<CrashReport, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Rig(plan)),
    (rig) =>
      Effect.gen(function* () {
        const { clientIds, ledger } = yield* Effect.promise(() => rig.run())
        const lagMillis = yield* Effect.promise(() => rig.converge())
        const wrong = yield* audit(ledger, clientIds)
        const late =
          lagMillis === 0 ? [] : [`the index lags ${lagMillis} ms after ${CONVERGES_MILLIS_MAX} ms`]
        const { attempts, commands, histories } = ledger
        return {
          wrong: [...wrong, ...late, ...rig.logsOf(wrong)],
          commands,
          attempts,
          histories: histories.size,
          lagMillis
        }
      }),
    (rig) => Effect.promise(() => rig.end())
  )

class Rig {
  readonly #plan: CrashPlan
  readonly #random: Random
  readonly #client: CrashClient
  readonly #servers: Array<ServerProcess>
  readonly #ended: Array<Ended> = []

  constructor(plan: CrashPlan) {
    this.#plan = plan
    this.#random = new Random(plan.seed)
    this.#servers = plan.processes.map((_, n) => this.#start(n))
    this.#client = new CrashClient(
      plan.processes.map(({ port }) => `http://127.0.0.1:${port}`),
      "administrator"
    )
  }

  #start(n: number): ServerProcess {
    const { environment, port } = this.#plan.processes[n] ?? { environment: {}, port: 0 }
    return new ServerProcess(["serve"], { ...environment, PORT: String(port) })
  }

  async run() {
    const { cycles, onCycle } = this.#plan
    await Promise.all(this.#servers.map((server) => server.ready()))
    const clientIds = await this.#makeClients()
    const ledger = new CrashLedger()
    const writers = new CrashWriters(this.#client, ledger, clientIds, this.#random)
    const written = writers.run(WRITERS)
    written.catch(() => writers.stop())
    for (let cycle = 1; cycle <= cycles && !writers.stopped; cycle++) {
      await sleep(this.#random.next() * ALIVE_MILLIS_MAX)
      // The processes alternately, and every fifth time all of them.
      const all = cycle % 5 === 0
      const victims = this.#servers.keys().filter((n) => all || n === cycle % this.#servers.length)
      await Promise.all([...victims].map((n) => this.#killAndStart(n, cycle)))
      onCycle?.(cycle, ledger)
    }
    // The last cycle may have killed processes while they started.
    await Promise.all(this.#servers.map((server) => server.ready()))
    writers.stop()
    await written
    return { clientIds, ledger }
  }

  async #killAndStart(n: number, cycle: number): Promise<void> {
    const server = this.#servers[n]
    if (server === undefined) return
    const { dataDir } = this.#plan
    if (cycle % 2 === 0 && dataDir !== undefined) killPostgres(dataDir)
    server.signal("SIGKILL")
    this.#ended.push(await server.end)
    const next = this.#start(n)
    this.#servers[n] = next
    // Every eighth process is killed while it starts.
    if (cycle % 8 === 7) {
      await sleep(this.#random.next() * ALIVE_MILLIS_MAX)
      await this.#killAndStart(n, cycle + 1)
    } else await next.ready()
  }

  async #makeClients(): Promise<ReadonlyArray<number>> {
    const made: Array<number> = []
    for (let n = 0; n < CLIENTS; n++) {
      const got = await this.#client.settle({ path: "/kw/api/v1/clients", body: { name: `Crash ${n}` } })
      made.push(got.body.id)
    }
    return made
  }

  /** The greatest lag of the indexes; null if the service does not report it. */
  async converge(): Promise<number | null> {
    let lag: number | null = null
    for (let waited = 0; waited < CONVERGES_MILLIS_MAX; waited += 100) {
      const { body, status } = await this.#client.settle({ path: "/kw/context/readiness" })
      lag = status === 200 ? greatestLag(body) : null
      if (lag === 0) return lag
      await sleep(100)
    }
    return lag
  }

  /** Log lines about the requests that these answers name. */
  logsOf(answers: ReadonlyArray<string>): ReadonlyArray<string> {
    const requestIds = answers.flatMap((answer) => /"requestId":"([^"]+)"/u.exec(answer)?.[1] ?? [])
    const lines = [...this.#ended, ...this.#servers].flatMap(({ stderr }) => stderr.split("\n"))
    return lines.filter((line) => requestIds.some((requestId) => line.includes(requestId)))
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#servers.map(async (server) => {
        if (server.child.exitCode === null && server.child.signalCode === null) server.signal("SIGTERM")
        await server.end
      })
    )
  }
}

/** The largest indexLagMs in the answer. */
const greatestLag = (body: unknown): number => {
  if (typeof body !== "object" || body === null) return 0
  return Object.entries(body).reduce(
    (most, [name, value]) =>
      Math.max(most, name === "indexLagMs" && typeof value === "number" ? value : greatestLag(value)),
    0
  )
}
