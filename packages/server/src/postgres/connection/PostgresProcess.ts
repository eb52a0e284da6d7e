// Starts PostgreSQL programs as the right user, and stops them.
import { Effect, Schema } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** The embedded PostgreSQL could not be created, started or kept running. `message` is for people. */
export class PostgresFailed extends Schema.TaggedError<PostgresFailed>()("PostgresFailed", {
  message: Schema.String
}) {}

/** The user that runs PostgreSQL, which refuses root: the user of this process, another user, or a user namespace. */
export interface Owner {
  readonly uid?: number
  readonly gid?: number
  readonly namespace?: boolean
}

/** A program with the last lines of its standard error. */
export type PostgresProcess = ChildProcess & { readonly log: Array<string> }

/**
 * Root becomes the user nobody, or a user namespace if nobody cannot reach the files (contract §11). The owner of an existing
 * cluster runs it.
 */
export const ownerOf = (
  folder: string,
  cluster: string,
  programs: string
): Effect.Effect<Owner, PostgresFailed> =>
  Effect.suspend(() => {
    if (process.getuid?.() !== 0) return Effect.succeed({})
    const made = fs.statSync(cluster, { throwIfNoEntry: false })
    if (made !== undefined && made.uid !== 0) {
      const owner = { uid: made.uid, gid: made.gid }
      admit(folder, owner)
      return Effect.succeed(owner)
    }
    if (made === undefined && reachable(path.dirname(folder)) && reachable(fs.realpathSync(programs))) {
      admit(folder, nobody)
      return Effect.succeed(nobody)
    }
    const namespace = spawnSync("unshare", ["--user", "--map-user=65534", "true"], { stdio: "ignore" })
    if (namespace.status === 0) return Effect.succeed({ namespace: true })
    return Effect.fail(
      new PostgresFailed({
        message:
          `PostgreSQL does not run as root, the user nobody cannot reach ${folder}, and user namespaces are forbidden here: ` +
          "start as another user, move RAPPORT_DATA_DIR to a folder that others may enter, or set DATABASE_URL"
      })
    )
  })

const nobody = { uid: 65534, gid: 65534 }

// The group of PostgreSQL's user may enter the data folder, but not list it.
const admit = (folder: string, { gid }: { readonly gid: number }): void => {
  fs.chownSync(folder, 0, gid)
  fs.chmodSync(folder, 0o710)
}

const reachable = (place: string): boolean =>
  place === "/" || ((fs.statSync(place).mode & 1) !== 0 && reachable(path.dirname(place)))

/** `detached` starts a new session, which does not get the signals of this process group. */
export const spawnAs = (
  { namespace, ...ids }: Owner,
  file: string,
  args: ReadonlyArray<string>,
  detached = false
): PostgresProcess => {
  const [command = file, ...rest] =
    namespace === true ? ["unshare", "--user", "--map-user=65534", file, ...args] : [file, ...args]
  const child = spawn(command, rest, {
    ...ids,
    detached,
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }
  })
  const log: Array<string> = []
  child.stderr?.on("data", (chunk) => {
    log.push(String(chunk))
    if (log.length > LOG_CHUNKS_MAX) log.shift()
  })
  child.stdin?.on("error", () => {})
  child.once("exit", () => child.stdin?.destroy())
  return Object.assign(child, { log })
}

const LOG_CHUNKS_MAX = 20

/** Runs a program to its end. An exit code other than 0 is `PostgresFailed` with its last lines. */
export const run = (
  owner: Owner,
  file: string,
  args: ReadonlyArray<string>,
  input?: string
): Effect.Effect<void, PostgresFailed> =>
  Effect.callback((resume) => {
    const child = spawnAs(owner, file, args)
    const fail = (why: string) =>
      resume(
        Effect.fail(new PostgresFailed({ message: `${path.basename(file)}: ${why} ${lastLines(child)}` }))
      )
    if (input !== undefined) child.stdin?.end(input)
    child
      .on("error", (error) => fail(error.message))
      .on("close", (code) => (code === 0 ? resume(Effect.void) : fail(`exit code ${code}`)))
    return Effect.sync(() => child.kill())
  })

export const lastLines = (child: PostgresProcess): string =>
  child.log
    .join("")
    .trim()
    .replaceAll(/\s*\n\s*/g, " | ")

/** Whether the process exited or was ended by a signal. */
export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

export const awaitEnd = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    const done = () => resume(Effect.void)
    child.once("exit", done).once("error", done)
    return Effect.sync(() => child.off("exit", done).off("error", done))
  })

/** Fast shutdown (SIGINT disconnects clients and writes a checkpoint), then immediate (SIGQUIT) after a timeout. */
export const stop = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    // A timer, because this runs in finalizers, where Effect.timeout cannot interrupt.
    const late = setTimeout(() => child.kill("SIGQUIT"), STOP_MILLIS_MAX)
    child.once("exit", () => {
      clearTimeout(late)
      resume(Effect.void)
    })
    child.kill("SIGINT")
  })

const STOP_MILLIS_MAX = 10_000
