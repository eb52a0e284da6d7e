// Nothing of an erased client is left: a word of its own is planted in every text that is stored about it, and looked for in a
// dump of the database and in the files of both indexes (contract §9, "Clients").
import { assert, describe, it } from "@effect/vitest"
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { clientLines } from "@rapport/core/clients/ClientData.ts"
import { Effect, Layer, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { migrate } from "../schema/Migrations.ts"
import { MemoryProjector } from "../../projection/ProjectorLayers.ts"
import {
  makeCanaries,
  makeBaseRows,
  untouchedColumns,
  untouchedTables
} from "../../testing/ClientCanaries.ts"
import { databaseOf, installedPostgres, isPostgresMissing } from "../../testing/InstalledPostgres.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { caughtUp, eventually } from "../../testing/ProjectionFixtures.ts"
import { freePort } from "../../testing/SharedDatabaseFixtures.ts"
import { finishErasure } from "../../testing/RestFixtures.ts"
import { embeddedMemoryLayer, embeddedSearchLayer } from "../../testing/SearchLayers.ts"
import { selectedIds } from "../sql/Query.ts"
import { clientDataParts } from "./ClientDataParts.ts"
import { temporaryFileStorage } from "../../testing/FileFixtures.ts"
import { layerOf } from "./ClientDataStorePostgres.ts"
import { analyzeErasedTables } from "./ErasedStatistics.ts"

const WORD = "zqxjk канарка їжак"
const OTHER = "wvnbr сусідка ёлка"
/** Words as bytes of a file, whole and stemmed. */
const traces = ["zqxjk", "канарк"]
const othersWords = ["wvnbr", "сусідк"]

const filesIn = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((name) => fs.statSync(name).isFile())
const tracesIn = (folder: string, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  filesIn(folder).flatMap((name) => {
    const bytes = fs.readFileSync(name)
    return words.filter((word) => bytes.includes(word)).map((word) => `${path.basename(name)}: ${word}`)
  })

const decodeColumns = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, column: Schema.String }))
)
const columnsWith = (word: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* Effect.orDie(
      decodeColumns(
        yield* sql`select c.table_name as table, c.column_name as column from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
          and (c.data_type in ('text', 'character varying', 'json', 'jsonb') or c.udt_name = '_text') order by 1, 2`
      )
    )
    const found: Array<string> = []
    for (const { column, table } of columns) {
      const rows =
        yield* sql`select 1 from ${sql(table)} where ${sql(column)}::text like ${`%${word}%`} limit 1`
      if (rows.length > 0) found.push(`${table}.${column}`)
    }
    return { found, columns }
  })

const statisticsWith = (word: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select tablename, attname from pg_stats where schemaname = 'public'
      and concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text) like ${`%${word}%`}`
  )

const actor = { actorType: "user", actorId: 1 } as const

describe.skipIf(isPostgresMissing)("the erasure of a client", () => {
  it.live(
    "the erasure of a client leaves no word of it in a dump, an index or an unreviewed table",
    () =>
      Effect.gen(function* () {
        const postgres = yield* installedPostgres(yield* freePort)
        yield* postgres.run("createdb", "one")
        const [evidence, memory] = [yield* temporaryFolder, yield* temporaryFolder]
        const database = databaseOf(postgres, "one")
        const services = Layer.mergeAll(embeddedMemoryLayer(memory), layerOf(0)).pipe(
          Layer.provideMerge(embeddedSearchLayer(evidence)),
          Layer.provideMerge([database, temporaryFileStorage])
        )
        yield* Effect.provide(migrate, database, { local: true })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* ClientDataStore
          const base = yield* makeBaseRows
          const { instanceId } = base
          const erased = yield* makeCanaries(base, WORD)
          const other = yield* makeCanaries(base, OTHER)
          const followed = Effect.andThen(
            caughtUp,
            Effect.flatMap(MemoryProjector, (projector) => projector.caughtUp(() => Effect.void))
          )
          yield* followed
          yield* sql`analyze`
          assert.isNotEmpty(yield* statisticsWith("zqxjk"))

          // Every table is decided on, and every text of those of clients holds the word.
          const before = yield* columnsWith("zqxjk")
          const ofClients = new Set(clientDataParts.map(({ table }) => table))
          const undecided = before.columns.filter(({ column, table }) => {
            if (!ofClients.has(table)) return untouchedTables[table] === undefined
            return (
              untouchedColumns[table]?.includes(column) !== true &&
              !before.found.includes(`${table}.${column}`)
            )
          })
          assert.deepStrictEqual(undecided, [])
          assert.isNotEmpty(tracesIn(evidence, traces))
          assert.isNotEmpty(tracesIn(memory, traces))
          const kept = (yield* columnsWith("wvnbr")).found

          const client = (yield* store.find(instanceId, erased.mergedId)) ?? assert.fail("no client")
          assert.deepStrictEqual(client.ids, [erased.clientId, erased.mergedId])
          const lines = (yield* Stream.mkString(yield* clientLines(store, client))).trimEnd().split("\n")
          const exported = lines.map((line): { readonly kind: string } => JSON.parse(line))
          assert.notInclude(lines.join(""), "wvnbr")
          assert.deepStrictEqual(
            [...new Set(exported.map(({ kind }) => kind))].toSorted(),
            clientDataParts.map(({ kind }) => kind).toSorted()
          )
          assert.lengthOf(
            exported.filter(({ kind }) => kind === "message"),
            901
          )

          assert.isUndefined(yield* store.beginErasure(instanceId + 1, erased.clientId, actor))
          const begun = yield* store.beginErasure(instanceId, erased.mergedId, actor)
          assert.deepInclude(begun, { clientId: erased.clientId, status: "running", finishedAt: null })
          assert.isUndefined(yield* store.find(instanceId, erased.clientId))
          // Some slices, then another process goes on: nothing is kept in memory.
          for (let slice = 0; slice < 9; slice++) yield* store.erase({ id: erased.clientId, instanceId })
          assert.isNotEmpty((yield* columnsWith("zqxjk")).found)
          // A message that an operator was writing leaves by a line, whose like has gone already; the identity has, too.
          assert.deepStrictEqual(
            yield* sql`select 1 from client_identities where client_id = ${erased.clientId}`,
            []
          )
          yield* sql`insert into delivery_lines (instance_id, bot_id, channel, chat_id)
            values (${instanceId}, ${base.bot}, 'late', ${`${WORD} late`})`
          yield* sql`insert into deliveries (instance_id, id, kind, bot_id, channel, chat_id, client_id, appeal_id, message_id, text)
            select ${instanceId}, gen_random_uuid(), 'operator', ${base.bot}, 'late', ${`${WORD} late`}, ${erased.clientId},
              appeal_id, id, ${WORD} from appeal_messages where appeal_id = ${erased.appealIds[0] ?? 0} and sequence = 300`
          const finished = yield* Effect.provide(finishErasure(instanceId, erased.clientId), layerOf(0), {
            local: true
          })
          assert.deepInclude(finished, { clientId: erased.clientId, status: "finished", part: null })
          assert.isAbove(finished?.erased ?? 0, 1_350)
          assert.isUndefined(yield* store.erase({ id: erased.clientId, instanceId }))
          assert.deepStrictEqual(yield* store.unfinished([]), { next: null, oldestMillis: 0 })
          // A repeat returns the same and does nothing.
          const again = yield* store.beginErasure(instanceId, erased.clientId, actor)
          assert.deepStrictEqual([again?.finishedAt, again?.erased], [finished?.finishedAt, finished?.erased])

          yield* followed
          assert.deepStrictEqual((yield* columnsWith("zqxjk")).found, [])
          // Answers about properties and deleted models name no client, so those of the other client are erased too.
          assert.deepStrictEqual((yield* columnsWith("wvnbr")).found, kept)
          // PostgreSQL itself keeps samples of the columns.
          assert.isAbove(yield* analyzeErasedTables, 10)
          assert.deepStrictEqual(yield* statisticsWith("zqxjk"), [])
          assert.isNotEmpty(yield* statisticsWith("wvnbr"))
          assert.strictEqual(yield* analyzeErasedTables, 0)
          const dump = yield* postgres.run("pg_dump", "one")
          for (const trace of traces) assert.notInclude(dump, trace)
          for (const trace of othersWords) assert.include(dump, trace)
          for (const folder of [evidence, memory])
            yield* eventually(
              Effect.sync(() => tracesIn(folder, traces)),
              (found) => found.length === 0
            )
          for (const folder of [evidence, memory]) assert.isNotEmpty(tracesIn(folder, othersWords))

          assert.deepStrictEqual(
            yield* sql`select action, actor_type, actor_id::int4, entity_id, address, details::text from audit_log
              where instance_id = ${instanceId} and action = 'client.erase'`,
            [
              {
                action: "client.erase",
                actor_type: "user",
                actor_id: 1,
                entity_id: String(erased.clientId),
                address: null,
                details: "{}"
              }
            ]
          )
          assert.deepStrictEqual(
            yield* sql`select kind, status, status_group, message_count from appeals
              where client_id = ${erased.clientId} order by kind, message_count`,
            [
              { kind: "chat", status: "closed", status_group: "done", message_count: 1 },
              { kind: "chat", status: "closed", status_group: "done", message_count: 450 },
              { kind: "ticket", status: "closed", status_group: "done", message_count: 450 }
            ]
          )
          // A record that referred to a record of the client keeps no reference; that of the other client does.
          assert.deepStrictEqual(
            yield* sql`select values::text from custom_records where id = ${erased.lineId}`,
            [{ values: "{}" }]
          )
          assert.notDeepEqual(
            yield* sql`select values::text from custom_records where id = ${other.lineId}`,
            [{ values: "{}" }]
          )
        }).pipe(Effect.provide(services, { local: true }))
      }),
    120_000
  )

  it.live(
    "the erasure of a client ends however much data the client and the instance's receipts have",
    () =>
      Effect.gen(function* () {
        const postgres = yield* installedPostgres(yield* freePort)
        const database = databaseOf(postgres, "postgres")
        yield* Effect.provide(migrate, database, { local: true })
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* ClientDataStore
          const { instanceId } = yield* makeBaseRows
          const [clientId = 0, otherId = 0] = yield* selectedIds(
            sql`insert into clients (instance_id, name) values (${instanceId}, 'Їжак'), (${instanceId}, 'Ёж')
              returning id::float8 as id`
          )
          yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group, channel, closed_at)
            select ${instanceId}, 'chat', ${clientId}, 'closed', 'done', 'web', now() from generate_series(1, 20000)`
          // Of the client's chats, and then states of another client, as long as they may be.
          yield* sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
            select ${instanceId}, 'user/1', 'chat.message', 'own ' || a.id, gen_random_uuid(), 'x', now(),
              json_build_object('message', json_build_object('appealId', a.id, 'text', 'Привіт'))
            from appeals a where a.client_id = ${clientId} limit 4000`
          yield* sql`insert into receipts (instance_id, principal, operation, key, id, fingerprint, committed_at, answer)
            select ${instanceId}, 'user/1', 'client.state.put', 'state ' || n, gen_random_uuid(), 'x', now(),
              json_build_object('action', long.value, 'state',
                json_build_object('clientId', ${otherId}::int8, 'state', long.value))
            from generate_series(1, 300) n,
              (select json_object_agg('member ' || m, 'значення ' || m) as value from generate_series(1, 2000) m) long`
          yield* store.beginErasure(instanceId, clientId, actor)
          const slices = new Array<string | null>()
          const slice = Effect.tap(store.erase({ id: clientId, instanceId }), (done) =>
            Effect.sync(() => void slices.push(done?.part ?? null))
          )
          const finished = yield* Effect.repeat(slice, { until: (done) => done?.status !== "running" })
          assert.deepInclude(finished, { status: "finished", erased: 4_000 })
          // Two passes over 300 receipts of 20 KiB each, a few dozen in one statement.
          assert.isAbove(slices.filter((part) => part === "receipts").length, 8)
          assert.deepStrictEqual(
            yield* sql`select operation, count(*)::int4 as count from receipts group by 1`,
            [{ operation: "client.state.put", count: 300 }]
          )
          const kept = yield* store.find(instanceId, otherId)
          const lines = yield* Stream.mkString(yield* clientLines(store, kept ?? assert.fail("no client")))
          assert.lengthOf(lines.trimEnd().split("\n"), 301)
        }).pipe(
          Effect.provide(Layer.provideMerge(layerOf(0), Layer.merge(database, temporaryFileStorage)), {
            local: true
          })
        )
      }),
    120_000
  )
})
