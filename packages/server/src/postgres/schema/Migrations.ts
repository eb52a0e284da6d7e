// The migrations in order; each runs once, in the migrator's transaction, in the first of several processes.
import { Effect, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { type DatabaseUnsuitable, orUnsuitable, requireSuitable } from "./SuitableDatabase.ts"
import { baseline } from "./0001_baseline.ts"
import { customData } from "./0060_custom_data.ts"
import { mergedClients } from "./0062_merged_clients.ts"
import { delivery } from "./0070_delivery.ts"
import { botChats } from "./0071_bot_chats.ts"
import { broadcasts } from "./0072_broadcasts.ts"
import { inbound } from "./0075_inbound.ts"
import { clientErasure } from "./0085_client_erasure.ts"
import { instanceUsage } from "./0086_instance_usage.ts"
import { recordTexts } from "./0097_record_texts.ts"
import { deliveryParts } from "./0098_delivery_parts.ts"
import { unusedIndexes } from "./0099_unused_indexes.ts"
import { recordTextsBeside } from "./0116_record_texts_beside.ts"
import { recordIndexing } from "./0126_record_indexes.ts"
import { appealsWithMessages } from "./0149_appeals_with_messages.ts"
import { recordChanges } from "./0155_record_changes.ts"
import { recordValuesGo } from "./0156_record_values_go.ts"
import { recordLetters } from "./0171_record_letters.ts"
import { rowsOfMergedClients } from "./0172_rows_of_merged_clients.ts"
import { batchSourcesGo } from "./0173_batch_sources_go.ts"
import { erasedAppeals } from "./0174_erased_appeals.ts"
import { skippedDeliveries } from "./0185_skipped_deliveries.ts"
import { failureDescriptions } from "./0186_failure_descriptions.ts"
import { fixedDeliveries } from "./0187_fixed_deliveries.ts"
import { ticketAuthors } from "./0190_ticket_authors.ts"
import { foldedTexts } from "./0195_folded_texts.ts"
import { foldedLogins } from "./0196_folded_logins.ts"
import { recordValues } from "./0210_record_values.ts"

const run = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})

const migrations = {
  "0001_baseline": run(baseline),
  "0060_custom_data": run(customData),
  "0062_merged_clients": run(mergedClients),
  "0070_delivery": run(delivery),
  "0071_bot_chats": run(botChats),
  "0072_broadcasts": run(broadcasts),
  "0075_inbound": run(inbound),
  "0085_client_erasure": run(clientErasure),
  "0086_instance_usage": run(instanceUsage),
  "0097_record_texts": run(recordTexts),
  "0098_delivery_parts": run(deliveryParts),
  "0099_unused_indexes": run(unusedIndexes),
  "0116_record_texts_beside": run(recordTextsBeside),
  "0126_record_indexes": run(recordIndexing),
  "0149_appeals_with_messages": run(appealsWithMessages),
  "0155_record_changes": run(recordChanges),
  "0156_record_values_go": run(recordValuesGo),
  "0171_record_letters": run(recordLetters),
  "0172_rows_of_merged_clients": run(rowsOfMergedClients),
  "0173_batch_sources_go": run(batchSourcesGo),
  "0174_erased_appeals": run(erasedAppeals),
  "0185_skipped_deliveries": run(skippedDeliveries),
  "0186_failure_descriptions": run(failureDescriptions),
  "0187_fixed_deliveries": run(fixedDeliveries),
  "0190_ticket_authors": run(ticketAuthors),
  "0195_folded_texts": run(foldedTexts),
  "0196_folded_logins": run(foldedLogins),
  "0210_record_values": run(recordValues)
}

/**
 * Runs what the database lacks and returns it; processes that start at once migrate once
 * (docs/contract.md §11), the others wait: to be run on a connection without a lock timeout.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  DatabaseNewer | DatabaseUnsuitable | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.suspend(() =>
  requireSuitable.pipe(Effect.andThen(refuseNewer), Effect.andThen(runMigrations(migrations)))
)

/**
 * All in one transaction, the table of migrations among them: a database that they do not fit is left unchanged. The lock lets
 * processes that start together create that table once.
 */
const runMigrations = Effect.fnUntraced(function* (loaded: Partial<typeof migrations>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.pipe(
    Effect.andThen(Migrator.make({})({ loader: Migrator.fromRecord(loaded), table: "migrations" })),
    sql.withTransaction
  )
}, orUnsuitable)

const MIGRATION_LOCK = 7_200_001

/**
 * Brings an empty database to the version that had these migrations (`NNNN_name`) and no others: what a backup of it
 * fits. Fails where this program does not know one of them.
 */
export const migrateTo = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>
): Effect.fn.Return<
  void,
  DatabaseNewer | DatabaseUnsuitable | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> {
  yield* requireSuitable
  const unknown = names.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0)
    return yield* new DatabaseNewer({
      message: `the backup is of a later version of the program (${unknown.join(", ")}): restore it with that version`
    })
  yield* runMigrations(
    Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name)))
  )
})

/** A later version of the program has migrated the database: this one does not understand it. Ends the process with 1. */
export class DatabaseNewer extends Schema.TaggedError<DatabaseNewer>()("DatabaseNewer", {
  message: Schema.String
}) {}

/** Fails where the database has migrations that this program does not know (docs/contract.md §12). */
export const refuseNewer: Effect.Effect<void, DatabaseNewer | SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [{ here }] = yield* Effect.orDie(
      decodeHere(yield* sql`select to_regclass('migrations') is not null as here`)
    )
    if (!here) return
    const known = Object.keys(migrations).map((name) => Number.parseInt(name, 10))
    const found = yield* Effect.orDie(
      decodeNames(
        yield* sql`select migration_id as id, name from migrations where migration_id <> all(${known}::int4[])
          order by migration_id`
      )
    )
    if (found.length === 0) return
    const names = found.map(({ id, name }) => `${String(id).padStart(4, "0")}_${name}`).join(", ")
    return yield* new DatabaseNewer({
      message: `the database was migrated by a later version of the program (${names}): start that version`
    })
  })

/** Names of the migrations that the database lacks; all of them in a database that never saw one. */
export const pendingMigrations: Effect.Effect<
  ReadonlyArray<string>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select to_regclass('migrations') is not null as here`
  const [{ here }] = yield* Effect.orDie(decodeHere(rows))
  const latest = here
    ? (yield* Effect.orDie(
        decodeLatest(yield* sql`select coalesce(max(migration_id), 0)::int4 as latest from migrations`)
      ))[0].latest
    : 0
  return Object.keys(migrations).filter((name) => Number.parseInt(name, 10) > latest)
})

const decodeNames = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
)
const decodeHere = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ here: Schema.Boolean })]))
const decodeLatest = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ latest: Schema.Int })]))
