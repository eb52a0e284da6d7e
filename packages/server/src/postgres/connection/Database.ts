// The connections to PostgreSQL: one pool for requests, one connection without time limits for migrations, seeds and commands.
import { PgClient } from "@effect/sql-pg"
import { type Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { fairPoolLayer } from "./FairPool.ts"

/** Where PostgreSQL listens: the socket folder of the embedded one, or an address and the certificates (PEM) it is judged by. */
export type DatabaseTarget =
  | { readonly socketDir: string; readonly password: Redacted.Redacted }
  | { readonly url: Redacted.Redacted; readonly certificates?: string | undefined }

/** What a layer of this file provides. */
export type DatabaseClient = PgClient.PgClient | SqlClient.SqlClient

/**
 * A pool, not a multiplexed client: only there does interrupting a fiber cancel its statement in the server. The
 * timeouts are the net below the deadlines of the use cases; keepalive ends what a lost host left open.
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

/** Connections without deadlines, for work that may take minutes: migrations, seeds, commands. */
export const commandLayer = (target: DatabaseTarget): Layer.Layer<DatabaseClient, SqlError.SqlError> =>
  PgClient.layer({
    ...addressOf(target),
    maxConnections: BACKGROUND_CONNECTIONS_MAX,
    startupParameters: { ...sessionSettings, statement_timeout: "0", lock_timeout: "0" }
  })

const sessionSettings = {
  timezone: "UTC",
  plan_cache_mode: "force_generic_plan",
  // A plan is kept while its tables grow: one that was made for a small table must not read all of it later.
  enable_seqscan: "off",
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
