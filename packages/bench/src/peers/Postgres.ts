// The embedded PostgreSQL of a started service, for programs that connect to it directly.
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Measured } from "../Measure.ts"
import { familyCpu } from "../ProcessCpu.ts"
import { program } from "../Repository.ts"

/** The peer closes a connection that is idle for so long. */
export const PEER_IDLE_MILLIS = 10_000

export interface Database {
  /** Of the postmaster. */
  readonly pid: number
  readonly environment: Readonly<Record<string, string>>
}

export const databaseOf = (folder: string): Database => {
  const cluster = path.join(folder, "postgres")
  const [pid, , , port = "", socket = ""] = fs
    .readFileSync(path.join(cluster, "postmaster.pid"), "utf8")
    .split("\n")
  return {
    pid: Number(pid),
    environment: {
      PGHOST: socket.trim(),
      PGPORT: port.trim(),
      PGUSER: "rapport",
      PGDATABASE: "postgres",
      PGPASSWORD: fs.readFileSync(path.join(cluster, "rapport-password"), "utf8").trim()
    }
  }
}

/** Only the comparison of writes needs it. */
export const pgbenchIsMissing = spawnSync("pgbench", ["--version"]).status !== 0

/** Transactions of a script as fast as the database takes them: the floor of a write. */
export const pgbench = (
  database: Database,
  script: string,
  { connections, seconds }: { readonly connections: number; readonly seconds: number }
): Effect.Effect<Measured> =>
  Effect.sync(() => {
    const before = familyCpu(database.pid)
    const counts = ["-c", String(connections), "-j", "2", "-T", String(seconds)]
    const file = program(`packages/bench/src/peers/${script}`)
    const { status, stdout } = spawnSync("pgbench", ["-n", "-M", "prepared", ...counts, "-f", file], {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        PGOPTIONS: "-c plan_cache_mode=force_generic_plan -c jit=off",
        ...database.environment
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    // Standard error has the reason. Without this check a failed run would count as a floor of 0.
    if (status !== 0) throw new Error(`pgbench ended with ${status}`)
    const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
    const count = number(/actually processed: (\d+)/u)
    const micros = ((familyCpu(database.pid) - before) * 1_000_000) / count
    return {
      perSecond: number(/^tps = ([\d.]+)/mu),
      failures: number(/failed transactions: (\d+)/u),
      answered: { count, p50: number(/^latency average = ([\d.]+)/mu), p95: 0, p99: 0 },
      micros: { main: 0, index: 0, process: 0, database: micros },
      residentMiB: 0
    }
  })
