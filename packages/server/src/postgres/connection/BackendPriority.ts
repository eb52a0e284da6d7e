// Where PostgreSQL is a child of ours on this machine, its backends get a processor after this process: a backend works for one
// request, the main thread for all of them, and what waits for it waits in every tenant.
import type { PgConnection } from "@effect/sql-pg"
import { Predicate } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"

/**
 * How far behind, in steps of `nice`: the main thread is let in at once, and other programs of the machine, as urgent as the main thread,
 * get three times a backend's time, not nine times as with 10. A backend may hold what others wait for.
 */
export const BACKEND_NICE = 5

/** To be told of each connection that is used: puts its backend behind, once. Where the machine forbids it, it runs as it was. */
export const makeRunBehind = () => {
  const done = new WeakSet<PgConnection.PgConnection>()
  return (connection: PgConnection.PgConnection): void => {
    if (done.has(connection)) return
    const { processId } = connection
    attempt(() => os.setPriority(processId, BACKEND_NICE))
    // Linux may divide processors between sessions before their processes, and each backend is a session of its own.
    const failure = attempt(() => fs.writeFileSync(`/proc/${processId}/autogroup`, String(BACKEND_NICE)))
    // It takes ten a second of an ordinary user: the next use tries again.
    if (!Predicate.hasProperty(failure, "code") || failure.code !== "EAGAIN") done.add(connection)
  }
}

/** What it fails with: a process of another user, or a system without such sessions. */
const attempt = (run: () => void): unknown => {
  try {
    run()
    return undefined
  } catch (failure) {
    return failure
  }
}
