// The embedded PostgreSQL of a started service, for programs that connect to it directly.
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Measured } from "../Measure.ts"
import { familyCpu } from "../ProcessCpu.ts"
import { program } from "../Started.ts"

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

export const pgbenchIsMissing = spawnSync("pgbench", ["--version"]).status !== 0

interface Load {
  readonly connections: number
  readonly seconds: number
}

/** Transactions of a script as fast as the database takes them: the floor of a write. */
export const pgbench = (database: Database, script: string, load: Load): Effect.Effect<Measured> =>
  Effect.promise(async () => {
    const before = familyCpu(database.pid)
    const child = spawn(
      "pgbench",
      `-n -M prepared -c ${load.connections} -j 2 -T ${load.seconds} -f ${program(`packages/bench/src/${script}`)}`.split(
        " "
      ),
      {
        env: {
          PATH: process.env["PATH"],
          PGOPTIONS: "-c plan_cache_mode=force_generic_plan -c jit=off",
          ...database.environment
        },
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    let text = ""
    for await (const chunk of child.stdout) text += String(chunk)
    const status = await ended
    // Standard error has the reason. Without this check a failed run would count as a floor of 0.
    if (status !== 0) throw new Error(`pgbench ended with ${status}`)
    const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
    const count = number(/actually processed: (\d+)/u)
    const micros = ((familyCpu(database.pid) - before) * 1_000_000) / count
    const none = { count: 0, p50: 0, p95: 0, p99: 0 }
    return {
      seconds: load.seconds,
      perSecond: number(/^tps = ([\d.]+)/mu),
      bytes: 0,
      statuses: {},
      failures: number(/failed transactions: (\d+)/u),
      answered: { ...none, count, p50: number(/^latency average = ([\d.]+)/mu) },
      refused: none,
      micros: { main: 0, index: 0, process: 0, database: micros },
      residentMiB: 0
    }
  })
