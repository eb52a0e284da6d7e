// The processes of an embedded PostgreSQL. One that does not answer: all are stopped, as on a host that hangs.
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { PreparedFolder } from "./PostgresFixtures.ts"

export const postmasterPid = (folder: string) =>
  Number(fs.readFileSync(path.join(folder, "postgres/postmaster.pid"), "utf8").split("\n")[0])

/** A zombie that is not reaped yet is dead. */
export const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/mu.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Process ids of the postmaster of the prepared folder and of its connections. */
export const postgresPids = Effect.map(PreparedFolder, ({ path: folder }) => {
  const postmaster = postmasterPid(folder)
  const children = fs
    .readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8")
    .split(" ")
    .filter((pid) => pid !== "")
  return [postmaster, ...children.map(Number)]
})

/** Ignores a process that has ended meanwhile. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** Kills the PostgreSQL of a data folder, if there is one. */
export const killPostgres = (folder: string): void => {
  if (!fs.existsSync(path.join(folder, "postgres/postmaster.pid"))) return
  const pid = postmasterPid(folder)
  // The file may not be written yet.
  if (pid > 0) signal(pid, "SIGKILL")
}

/** Runs the effect while all processes of PostgreSQL are stopped. */
export const whilePostgresIsStopped = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.flatMap(postgresPids, (pids) =>
    Effect.acquireUseRelease(
      Effect.sync(() => pids.forEach((pid) => signal(pid, "SIGSTOP"))),
      () => run,
      () => Effect.sync(() => pids.forEach((pid) => signal(pid, "SIGCONT")))
    )
  )
