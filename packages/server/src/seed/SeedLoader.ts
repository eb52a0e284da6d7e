// Seeds an empty database once; a killed seed is cleared and repeated.
import { Instances } from "@rapport/core/access/Instances.ts"
import { Passwords } from "@rapport/core/access/Passwords.ts"
import { DateTime, Effect, Fiber, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ConfigError } from "../config/ConfigError.ts"
import { type SeedKind } from "../Config.ts"
import { defaultTicketStatuses } from "../postgres/access/InstanceStorePostgres.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { type Progress, progress } from "../start/Progress.ts"
import type { SeedBatch, SeedTable } from "@rapport/demo/DemoData.ts"
import { statementsOf, tableOf } from "./SeedStatements.ts"

/** See contract §11. */
interface SeedOptions {
  readonly kind: SeedKind
  readonly adminLogin: string | undefined
  readonly adminPassword: Redacted.Redacted | undefined
  /** Overrides the number of appeals of a demo. */
  readonly appeals?: number
}

/** `made`: whether this call seeded the database. */
export interface Seeded {
  readonly kind: string
  readonly made: boolean
}

/** Seeds a migrated database unless it is seeded. Needs connections without deadlines, and for `empty` an administrator. */
export const seed = Effect.fnUntraced(function* (options: SeedOptions) {
  yield* acquireSeedLock
  const kind = yield* findSeedKind
  if (kind !== undefined) return { kind, made: false } satisfies Seeded
  yield* options.kind === "empty" ? seedAdministrator(options) : seedDemo(options.kind, options)
  return { kind: options.kind, made: true } satisfies Seeded
}, Effect.scoped)

/** Undefined in a database without a complete seed. */
export const findSeedKind = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* markers.find(sql`select kind from seed_marker`))?.kind
})

const markers = rowsOf(Schema.Struct({ kind: Schema.String }))

const SEED_LOCK = 7202

// A session lock ends with its connection, so a killed process keeps none.
const acquireSeedLock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  const [[isLocked]] = yield* Effect.orDie(
    decodeTaken(yield* connection.executeValues(`select pg_try_advisory_lock(${SEED_LOCK})`, []))
  )
  if (!isLocked) {
    yield* Effect.logInfo("another process seeds this database: waiting for it")
    yield* connection.executeRaw(`select pg_advisory_lock(${SEED_LOCK})`, [])
  }
  yield* Effect.addFinalizer(() =>
    Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${SEED_LOCK})`, []))
  )
})

const decodeTaken = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Tuple([Schema.Boolean])]))

const seedAdministrator = Effect.fnUntraced(function* ({ adminLogin, adminPassword }: SeedOptions) {
  if (adminLogin === undefined || adminPassword === undefined) {
    const missing = adminLogin === undefined ? "RAPPORT_ADMIN_LOGIN" : "RAPPORT_ADMIN_PASSWORD"
    return yield* new ConfigError({
      message: `${missing} is missing: the database is empty and needs the administrator of instance 1`
    })
  }
  const sql = yield* SqlClient.SqlClient
  yield* clear
  yield* Effect.mapError(
    (yield* Instances).create({ id: 1, name: "Rapport", adminLogin, adminPassword }),
    (error) =>
      error._tag === "SourceUnavailable"
        ? error
        : new ConfigError({ message: `RAPPORT_ADMIN_LOGIN or RAPPORT_ADMIN_PASSWORD: ${error.detail}` })
  )
  yield* sql`insert into seed_marker (kind) values ('empty')`
})

const seedDemo = Effect.fnUntraced(function* (size: "demo" | "small", options: SeedOptions) {
  const sql = yield* SqlClient.SqlClient
  const { DEMO_PASSWORD } = yield* Effect.promise(() => import("@rapport/demo/Company.ts"))
  const { demoData } = yield* Effect.promise(() => import("@rapport/demo/DemoData.ts"))
  const passwords = yield* Passwords
  const reporter = yield* progress("seeding the demo data", "rows")
  yield* clear
  const midnight = DateTime.toEpochMillis(DateTime.startOf(yield* DateTime.now, "day"))
  yield* load(
    demoData({ size, midnight, appeals: options.appeals }),
    yield* Effect.catchTag(passwords.hash(Redacted.make(DEMO_PASSWORD)), "RateLimited", Effect.die),
    reporter
  )
  yield* nameAdministrator(options)
  yield* addTicketStatuses
  // A row shows its appeal as it is, not how often it was closed before.
  yield* sql`update dialogues set reopenings = 1 where kind = 'chat' and status = 'active' and appeal_id % 4 = 1`
  yield* sql`update instances i set last_ticket_number =
    coalesce((select max(number) from appeals a where a.instance_id = i.id), 0)`
  yield* setSequences
  yield* sql`analyze`
  yield* sql`insert into seed_marker (kind) values (${size})`
  yield* reporter.finished
})

// Removes the rows of a killed seed. The named tables have no reference to an instance, so the cascade misses them.
const clear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate instances, outbox, record_values, projection_statuses, projection_rebuilds, seed_marker
    restart identity cascade`
})

/** No other table references these rows, so the next batch need not wait for them. */
const leaves: ReadonlySet<SeedTable> = new Set([
  "appealMessages",
  "propertyValues",
  "clientState",
  "clientStateHistory",
  "clientActions",
  "sessionMessages",
  "quarantine"
])
const LEAF_INSERTS_MAX = 2

const load = Effect.fnUntraced(function* (
  batches: Iterable<SeedBatch>,
  passwordHash: string,
  shown: Progress
) {
  const running: Array<Fiber.Fiber<void, SqlError.SqlError>> = []
  const keepPlans = planKeeper()
  for (const batch of batches) {
    if (leaves.has(batch.table)) {
      running.push(yield* Effect.forkChild(insert(batch, passwordHash)))
      const oldest = running.length >= LEAF_INSERTS_MAX ? running.shift() : undefined
      if (oldest !== undefined) yield* Fiber.join(oldest)
    } else {
      yield* insert(batch, passwordHash)
      yield* keepPlans(batch.table)
    }
    yield* shown.advance(batch.rows.length)
  }
  yield* Fiber.joinAll(running)
})

// Analyzes a table whenever it has doubled. Otherwise foreign keys are checked by a scan that was planned for a small table:
// 200,000 messages take half a minute instead of two seconds.
const planKeeper = () => {
  const batches = new Map<SeedTable, number>()
  return Effect.fnUntraced(function* (table: SeedTable) {
    const count = (batches.get(table) ?? 0) + 1
    batches.set(table, count)
    if ((count & (count - 1)) !== 0) return
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`analyze ${tableOf(table)}`)
  })
}

const insert = Effect.fnUntraced(function* (batch: SeedBatch, passwordHash: string) {
  const sql = yield* SqlClient.SqlClient
  for (const { parameters, text } of statementsOf(batch)) yield* sql.unsafe(text, parameters)
  if (batch.table === "users") {
    const ids = batch.rows.flatMap((user) => (user.hasDemoPassword ? [user.id] : []))
    yield* sql`update users set password_hash = ${passwordHash} where id = any(${ids}::int8[])`
  }
})

const nameAdministrator = Effect.fnUntraced(function* ({ adminLogin, adminPassword }: SeedOptions) {
  const sql = yield* SqlClient.SqlClient
  if (adminLogin !== undefined) {
    yield* sql`update users set login = ${adminLogin} where login = 'administrator'`
  }
  if (adminPassword !== undefined) {
    const hash = yield* Effect.catchTag((yield* Passwords).hash(adminPassword), "RateLimited", Effect.die)
    yield* sql`update users set password_hash = ${hash} where login = ${adminLogin ?? "administrator"}`
  }
})

const addTicketStatuses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into ticket_statuses (instance_id, name, position, status_group)
    select i.id, s.name, s.position, s."group" from instances i
    cross join json_to_recordset(${JSON.stringify(defaultTicketStatuses)}::text::json)
      as s(name text, position int4, "group" text)`
  yield* sql`insert into ticket_status_versions (instance_id) select id from instances`
})

const sequenceRows = rowsOf(
  Schema.Struct({ table: Schema.String, column: Schema.String, sequence: Schema.String })
)

// The inserted rows have ids, so the sequences must continue after them.
const setSequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sequences = yield* sequenceRows.all(sql`select table_name as "table", column_name as "column",
      pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
    from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'`)
  for (const { column, sequence, table } of sequences) {
    yield* sql`select setval(${sequence}::regclass, coalesce(max(${sql(column)}), 0) + 1, false) from ${sql(table)}`
  }
})
