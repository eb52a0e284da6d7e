// Fills a data folder for `pnpm bench search` with the demo and a number of appeals. From a smaller folder with a built index it
// makes a larger one by multiplying clients, appeals, messages and the index.
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { seed } from "../seed/SeedLoader.ts"
import { instancesLayer } from "../wiring/Instances.ts"
import { type Apart, multiplyIndex } from "./SearchIndexCopies.ts"
import { clusterLayer, copyTree, PostgresFixtures, PreparedFolder } from "./PostgresFixtures.ts"

const [folder = "", appeals = "", smaller = "", times = ""] = process.argv.slice(2)

/** Only reads are measured, so writes need no durability. */
const settings = { fsync: "off", max_wal_size: "8GB", maintenance_work_mem: "512MB" }

const begunWith = (source: string, parts: ReadonlyArray<string>) => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  for (const part of parts) copyTree(path.join(source, part), path.join(folder, part))
  return clusterLayer(folder, { connectionsMax: 16, settings })
}

/** The cluster of the folder: a copy of an empty one with all tables, or of the smaller one. */
const cluster =
  smaller === ""
    ? Layer.unwrap(Effect.map(PreparedFolder, ({ path: made }) => begunWith(made, ["postgres"]))).pipe(
        Layer.provide(PostgresFixtures.migratedFolder)
      )
    : Layer.suspend(() => begunWith(smaller, ["postgres", "index", "memory-index", "token-keys"]))

/** More than any id of the demo. */
const apart: Apart = { appeals: 1_000_000, clients: 100_000, messages: 100_000_000, millis: 60_000 }

/** Copies every client of the first instance with appeals and messages, a little later. */
const copied = Effect.fnUntraced(function* (copy: number) {
  const sql = yield* SqlClient.SqlClient
  const [appeal, client, message] = [apart.appeals, apart.clients, apart.messages].map((one) => copy * one)
  yield* sql`insert into clients (instance_id, id, name, language, has_appeals, created_at, updated_at)
    select instance_id, id + ${client}::int8, name, language, has_appeals, created_at, updated_at
    from clients where instance_id = 1 and id < ${apart.clients}::int8`
  yield* sql`insert into appeals (instance_id, id, kind, client_id, subject_id, operator_id, operator_ids, author_id, number,
      title, description, status, status_group, priority, channel, tags, message_count, first_response_at,
      last_message_at, closed_by, created_at, updated_at, closed_at)
    select instance_id, id + ${appeal}::int8, kind, client_id + ${client}::int8, subject_id, operator_id, operator_ids, author_id,
      number + ${appeal}::int8, title, description, status, status_group, priority, channel, tags, message_count,
      first_response_at, last_message_at, closed_by, created_at + ${copy * apart.millis}::int4 * interval '1 millisecond', updated_at, closed_at
    from appeals where instance_id = 1 and id < ${apart.appeals}::int8`
  yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, id, author_type, author_id, text, occurred_at,
      recorded_at, delivery)
    select instance_id, appeal_id + ${appeal}::int8, sequence, id + ${message}::int8, author_type,
      author_id + case author_type when 'client' then ${client}::int8 else 0 end, text, occurred_at, recorded_at, delivery
    from appeal_messages where instance_id = 1 and appeal_id < ${apart.appeals}::int8`
})

// Without triggers and foreign keys, which would take most of the time: no search reads rows that they maintain.
const multiply = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      for (let copy = 1; copy < Number(times); copy++) {
        yield* copied(copy)
        yield* Console.log(`  ${copy + 1} of ${times}`)
      }
    })
  )
  for (const table of ["clients", "appeals", "appeal_messages"])
    yield* sql`select setval(pg_get_serial_sequence(${table}, 'id'), (select max(id) from ${sql(table)}))`
  yield* sql`analyze`
  yield* Console.log("  the index …")
  multiplyIndex(path.join(folder, "index"), Number(times), apart)
})

const fill =
  smaller === ""
    ? seed({ kind: "demo", adminLogin: undefined, adminPassword: undefined, appeals: Number(appeals) })
    : multiply

NodeRuntime.runMain(
  Effect.provide(
    fill,
    instancesLayer.pipe(
      Layer.provideMerge(Layer.unwrap(Effect.map(EmbeddedPostgres, commandLayer))),
      Layer.provide(cluster)
    )
  )
)
