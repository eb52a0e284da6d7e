// Connections to PostgreSQL: a pool with timeouts for requests, and one without for migrations, seeds and commands.
import { PgClient } from "@effect/sql-pg"
import { type Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { fairPoolLayer } from "./FairPool.ts"

/** The address of PostgreSQL: the socket folder of the embedded one, or a URL and the certificates (PEM) that must have signed its own. */
export type DatabaseTarget =
  | { readonly socketDir: string; readonly password: Redacted.Redacted }
  | { readonly url: Redacted.Redacted; readonly certificates?: string | undefined }

export type DatabaseClient = PgClient.PgClient | SqlClient.SqlClient

/**
 * A pool, because only there does interrupting a fiber cancel its statement in the server. The timeouts are longer than the deadlines
 * of use cases. Keepalive closes connections of a lost host.
 */
export const poolLayer = (
  target: DatabaseTarget,
  connectionsMax: number
): Layer.Layer<DatabaseClient, SqlError.SqlError> =>
  fairPoolLayer(
    {
      ...addressOf(target),
      maxConnections: connectionsMax,
      startupParameters: {
        ...sessionSettings,
        statement_timeout: String(STATEMENT_MILLIS_MAX),
        lock_timeout: String(LOCK_MILLIS_MAX),
        idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MILLIS_MAX)
      }
    },
    { lanes: true }
  )

/** Connections without timeouts, for work that may take minutes: migrations, seeds, commands. */
export const commandLayer = (target: DatabaseTarget): Layer.Layer<DatabaseClient, SqlError.SqlError> =>
  PgClient.layer({
    ...addressOf(target),
    maxConnections: BACKGROUND_CONNECTIONS_MAX,
    startupParameters: { ...sessionSettings, statement_timeout: "0", lock_timeout: "0" }
  })

const sessionSettings = {
  timezone: "UTC",
  plan_cache_mode: "force_generic_plan",
  // A cached plan outlives the growth of its tables, so it must not scan a table that was small. A merge join reads all rows up to the
  // one that it looks for.
  enable_seqscan: "off",
  enable_mergejoin: "off",
  jit: "off",
  tcp_keepalives_idle: "3",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "2"
}

const addressOf = (target: DatabaseTarget) =>
  ({
    applicationName: "rapport",
    connectTimeout: "5 seconds",
    keepAlive: "3 seconds",
    ...("url" in target
      ? {
          url: target.url,
          ...(target.certificates === undefined ? {} : { ssl: { ca: target.certificates } })
        }
      : { host: target.socketDir, username: "rapport", password: target.password, database: "postgres" })
  }) as const

const BACKGROUND_CONNECTIONS_MAX = 4
const STATEMENT_MILLIS_MAX = 6_000
const LOCK_MILLIS_MAX = 2_000
const IDLE_IN_TRANSACTION_MILLIS_MAX = 5_000
