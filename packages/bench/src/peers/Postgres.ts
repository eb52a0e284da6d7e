// The embedded PostgreSQL of a started service, for those who ask it without the service.
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Round } from "../compare/Table.ts"
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
export const pgbench = (database: Database, script: string, load: Load): Effect.Effect<Round> =>
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
    // It has said why on standard error. Without this a floor of nothing would be a figure.
    if (status !== 0) throw new Error(`pgbench ended with ${status}`)
    const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
    const perSecond = number(/^tps = ([\d.]+)/mu)
    const millis = number(/^latency average = ([\d.]+)/mu)
    const count = number(/actually processed: (\d+)/u)
    return {
      perSecond,
      seconds: load.seconds,
      p50Millis: millis,
      p95Millis: 0,
      p99Millis: 0,
      bytes: 0,
      failures: number(/failed transactions: (\d+)/u),
      mainMicros: 0,
      processMicros: 0,
      databaseMicros: ((familyCpu(database.pid) - before) * 1_000_000) / count,
      residentMiB: 0
    }
  })
