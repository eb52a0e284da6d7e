// The checks of `rapport doctor`, each with its finding and, if something is wrong, a remedy.
import { Clock, Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { presentTokenKeys, TOKEN_KEY_FILE } from "../access/TokenKeyFile.ts"
import type { Settings } from "../Config.ts"
import { isLoopback } from "../config/Loopback.ts"
import type { RedisSettings } from "../config/RedisSettings.ts"
import { aheadMillis, CLOCK_DIFFERENCE_MILLIS_WARNING } from "../postgres/connection/ClockDifference.ts"
import { pendingMigrations, refuseNewer } from "../postgres/schema/Migrations.ts"
import { POSTGRES_VERSION_MIN, requireSuitable } from "../postgres/schema/SuitableDatabase.ts"
import { countOnHold } from "../postgres/delivery/DeliveriesOnHold.ts"
import { countUnreadable } from "../postgres/scenarios/SealedConnectors.ts"
import { indexSummary } from "../postgres/outbox/IndexOperations.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { findDemoLogins } from "../seed/DemoLogins.ts"
import { refuseDemoLogins } from "../start/Listening.ts"
import { failureLine } from "./Failure.ts"

export interface Check {
  readonly name: string
  readonly status: "ok" | "warning" | "failed"
  readonly found: string
  /** The remedy; null if nothing is wrong. */
  readonly mend: string | null
}

export const ok = (name: string, found: string): Check => ({ name, status: "ok", found, mend: null })
const wrong =
  (status: "warning" | "failed") =>
  (name: string, found: string, mend: string): Check => ({ name, status, found, mend })
export const warning = wrong("warning")
export const failed = wrong("failed")

const SKEW_MILLIS_MAX = 5_000
const INDEX_LAG_MILLIS_MAX = 5_000
const ERASURE_HOURS_MAX = 1
const MIB = 1024 * 1024
/** Connections for commands and other programs, in addition to the pool. */
const CONNECTIONS_SPARE = 10

const serverRows = rowsOf(
  Schema.Struct({
    version: Schema.Int,
    versionText: Schema.String,
    now: Schema.Finite,
    connectionsMax: Schema.Int,
    isReplica: Schema.Boolean,
    isEncrypted: Schema.Boolean,
    isLocal: Schema.Boolean
  })
)

/** Version, role, migrations, clock, connections and TLS of the database. */
export const databaseChecks = Effect.fnUntraced(function* (settings: Settings) {
  const connections = settings.poolSize
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const server = yield* serverRows.get(sql`select current_setting('server_version_num')::int4 as version,
    current_setting('server_version') as "versionText", (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    current_setting('max_connections')::int4 as "connectionsMax", pg_is_in_recovery() as "isReplica",
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
    coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1', true) as "isLocal"`)
  const after = yield* Clock.currentTimeMillis
  const skew = aheadMillis(server.now, before, after)
  const tooOld = server.version < POSTGRES_VERSION_MIN
  return [
    tooOld
      ? failed("database", `PostgreSQL ${server.versionText}`, "use PostgreSQL 15 or newer")
      : ok("database", `PostgreSQL ${server.versionText} answers in ${after - before} ms`),
    server.isReplica
      ? failed("database role", "a standby that takes no writes", "let DATABASE_URL name the primary")
      : ok("database role", "primary"),
    yield* migrationCheck,
    skewCheck(skew),
    server.connectionsMax < connections + CONNECTIONS_SPARE
      ? warning(
          "connections",
          `max_connections is ${server.connectionsMax}, a process uses ${connections}`,
          `raise max_connections to processes × ${connections} + ${CONNECTIONS_SPARE}, or lower RAPPORT_POOL_SIZE`
        )
      : ok("connections", `max_connections ${server.connectionsMax}, a process uses ${connections}`),
    server.isEncrypted || server.isLocal
      ? ok("database tls", server.isEncrypted ? "encrypted" : "not encrypted, on this machine")
      : warning(
          "database tls",
          "passwords and messages cross the network unencrypted",
          "add sslmode=verify-full to DATABASE_URL (docs/operations.md, TLS to PostgreSQL)"
        )
  ]
})

const skewCheck = (skew: number): Check => {
  const found = `the database's clock is ${Math.abs(skew)} ms ${skew < 0 ? "behind" : "ahead of"} ours`
  const mend =
    "run a time service (NTP) on both machines: sessions, leases and times in the future depend on both clocks"
  if (Math.abs(skew) > SKEW_MILLIS_MAX) return failed("clock", found, mend)
  return Math.abs(skew) > CLOCK_DIFFERENCE_MILLIS_WARNING ? warning("clock", found, mend) : ok("clock", found)
}

const migrationCheck = Effect.gen(function* () {
  const suitable = yield* Effect.result(requireSuitable)
  if (suitable._tag === "Failure")
    return failed(
      "migrations",
      suitable.failure.message,
      'docs/operations.md says what the database needs ("What the database needs")'
    )
  const newer = yield* Effect.result(refuseNewer)
  if (newer._tag === "Failure")
    return failed(
      "migrations",
      newer.failure.message,
      "run the program version that migrated it, or restore the backup from before"
    )
  const pending = yield* pendingMigrations
  return pending.length === 0
    ? ok("migrations", "up to date")
    : failed("migrations", `missing: ${pending.join(", ")}`, 'run "rapport migrate", or start the service')
})

/** The indexes as the running processes report them. Needs a migrated database. */
export const indexCheck = Effect.gen(function* () {
  const { indexesBuilding: building, indexLagMs: lag, processes, quarantined } = yield* indexSummary
  if (processes === 0)
    return [warning("index", "no process reports an index", "start the service: it keeps the indexes")]
  const checks = [
    lag > INDEX_LAG_MILLIS_MAX
      ? warning(
          "index",
          `${lag} ms behind the database`,
          'see "rapport index status" and the log of the process'
        )
      : ok("index", `${lag} ms behind the database${building > 0 ? `, ${building} being built` : ""}`)
  ]
  return quarantined === 0
    ? checks
    : [
        ...checks,
        warning(
          "quarantine",
          `${quarantined} documents are not found by search`,
          '"rapport quarantine list" shows the reasons, "rapport quarantine retry" indexes them again'
        )
      ]
})

/** Users with the password of the demo, by the same rule as the start of the service. */
export const demoLoginCheck = Effect.fnUntraced(function* (settings: Settings) {
  const logins = yield* findDemoLogins
  if (logins.length === 0) return ok("demo logins", "none")
  const found = `${logins.length} users have the password of the demo`
  const mend = 'change each with "rapport user password LOGIN", or block it'
  const refused = yield* Effect.result(refuseDemoLogins(settings, logins))
  if (refused._tag === "Failure")
    return failed("demo logins", `the service does not start: ${refused.failure.message}`, mend)
  return settings.allowDemoLogins
    ? warning("demo logins", found, mend)
    : ok("demo logins", `${found}, on loopback only`)
})

const overdueRows = rowsOf(Schema.Struct({ clientId: Schema.Int, part: Schema.NullOr(Schema.String) }))
/** Erasures that did not end in time. */
export const erasureCheck = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const overdue = yield* overdueRows.all(sql`select client_id::float8 as "clientId", part from client_erasures
    where finished_at is null and requested_at < clock_timestamp() - make_interval(hours => ${ERASURE_HOURS_MAX}::int4)
    order by requested_at`)
  const [oldest] = overdue
  return oldest === undefined
    ? ok("erasures", "none is overdue")
    : failed(
        "erasures",
        `${overdue.length} did not end within ${ERASURE_HOURS_MAX} h, the oldest of client ${oldest.clientId}, at ${oldest.part ?? "its start"}`,
        `start a service, or run "rapport client erase ${oldest.clientId}": its log says what fails`
      )
})

/** Messages and broadcasts that a restore holds. */
export const heldCheck = Effect.map(countOnHold, ({ broadcasts, deliveries }) =>
  broadcasts + deliveries === 0
    ? ok("held messages", "none")
    : warning(
        "held messages",
        `a restore holds ${deliveries} messages and ${broadcasts} broadcasts`,
        'look at what was sent since the backup, then "rapport delivery release" or "rapport delivery discard"'
      )
)

/** The remedy for connector secrets that no present key opens. */
export const MEND_SECRETS =
  "restore the signing keys of the service that wrote them (RAPPORT_TOKEN_KEYS, or token-keys in its data folder), or give the connectors new secrets"

/** Connector secrets are sealed with the signing keys. */
export const secretsCheck = Effect.fnUntraced(function* (settings: Settings) {
  const keys = yield* presentTokenKeys(settings)
  const unreadable = yield* countUnreadable(keys.map(({ id }) => id))
  return unreadable === 0
    ? ok("connector secrets", "the present keys open them")
    : warning(
        "connector secrets",
        `the present keys do not open those of ${unreadable} connectors`,
        MEND_SECRETS
      )
})

/** A connection that failed, in one line. */
export const unreachable = (name: string, cause: Parameters<typeof failureLine>[0], mend: string): Check =>
  failed(name, failureLine(cause) ?? "it does not answer", mend)

const Health = Schema.Struct({ status: Schema.String, number_of_nodes: Schema.Int })

/** The cluster of OPENSEARCH_URL. */
export const openSearchCheck = Effect.fnUntraced(function* (settings: NonNullable<Settings["openSearch"]>) {
  const { OpenSearch } = yield* Effect.promise(() => import("../opensearch/OpenSearch.ts"))
  const call = Effect.flatMap(OpenSearch, (engine) =>
    engine.call(Health, { method: "GET", path: "/_cluster/health" })
  )
  const health = yield* Effect.result(Effect.provide(call, OpenSearch.layer(settings)))
  if (health._tag === "Failure")
    return failed(
      "opensearch",
      "it does not answer",
      "look at OPENSEARCH_URL, its user, OPENSEARCH_CA_FILE, and its own log"
    )
  const { number_of_nodes: nodes, status } = health.success
  return status === "red"
    ? failed(
        "opensearch",
        `red, ${nodes} nodes`,
        'a shard is lost: repair the cluster, or run "rapport index rebuild" once it is green'
      )
    : ok("opensearch", `${status}, ${nodes} nodes`)
})

/** The share of RAPPORT_REDIS_TIMEOUT_MS above which a write counts as slow. */
const SLOW_SHARE = 0.5

/** Only a warning if Redis is unavailable: the service works without it. */
export const redisCheck = Effect.fnUntraced(
  function* (settings: RedisSettings) {
    const { tryRedis } = yield* Effect.promise(() => import("../redis/Redis.ts"))
    const { timeoutMillis, tls } = settings
    const millis = Math.round(yield* tryRedis(settings))
    const found = `a write takes ${millis} ms${tls ? ", encrypted" : ""}`
    return millis <= timeoutMillis * SLOW_SHARE
      ? ok("redis", found)
      : warning(
          "redis",
          `${found}; a request waits ${timeoutMillis} ms at most`,
          "move Redis closer, or raise RAPPORT_REDIS_TIMEOUT_MS"
        )
  },
  Effect.catch(({ message }) =>
    Effect.succeed(
      warning(
        "redis",
        `${message}: every process counts limits separately`,
        "check REDIS_URL (host, port, user, password, database), REDIS_CA_FILE, and the memory and rights of Redis"
      )
    )
  )
)

/** Checks without a database: keys, disk, TLS in front of the service. */
export const localChecks = (settings: Settings): ReadonlyArray<Check> => [
  keyCheck(settings),
  diskCheck(settings),
  reachCheck(settings)
]

const keyCheck = ({ databaseUrl, dataDir, tokenKeys }: Settings): Check => {
  if (tokenKeys !== undefined) {
    const count = Redacted.value(tokenKeys).split(",").length
    return ok("keys", `${count} in RAPPORT_TOKEN_KEYS, the first signs`)
  }
  if (databaseUrl !== undefined)
    return failed(
      "keys",
      "RAPPORT_TOKEN_KEYS is missing",
      'set it to the output of "openssl rand -base64 32 | tr +/ -_ | tr -d =", the same for every process'
    )
  const file = path.join(dataDir, TOKEN_KEY_FILE)
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return ok("keys", `the first start creates ${file}`)
  return (stat.mode & 0o077) === 0
    ? ok("keys", file)
    : failed(
        "keys",
        `${file} can be read by others`,
        `chmod 600 ${file}, and change the keys if other users had access`
      )
}

const diskCheck = ({ dataDir, freeBytesMin }: Settings): Check => {
  const there = existingAncestor(dataDir)
  const { bavail, bsize } = fs.statfsSync(there)
  const free = bavail * bsize
  const found = `${Math.floor(free / MIB)} MiB free at ${there}`
  const mend = `free space or enlarge the disk: below ${Math.floor(freeBytesMin / MIB)} MiB (RAPPORT_FREE_MB) writes are refused`
  if (free < freeBytesMin) return failed("disk", found, mend)
  return free < 4 * freeBytesMin ? warning("disk", found, mend) : ok("disk", found)
}

export const existingAncestor = (folder: string): string => {
  if (fs.existsSync(folder) || path.dirname(folder) === folder) return folder
  return existingAncestor(path.dirname(folder))
}

const reachCheck = ({ host, publicUrl, trustedProxies }: Settings): Check => {
  if (publicUrl?.startsWith("https://") === true)
    return trustedProxies.length > 0
      ? ok("tls", `${publicUrl}, behind a proxy`)
      : warning(
          "tls",
          `${publicUrl}, but no proxy is trusted`,
          "set RAPPORT_TRUSTED_PROXIES to the addresses of the proxy: otherwise all clients count as one address"
        )
  return isLoopback(host)
    ? ok("tls", "on loopback only")
    : warning(
        "tls",
        `http on ${host}: passwords and tokens cross the network unencrypted`,
        "put a proxy with TLS in front, and set RAPPORT_PUBLIC_URL to its https address"
      )
}
