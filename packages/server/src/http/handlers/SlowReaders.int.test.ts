// Files for a reader that stops in the middle: what it has not taken is not read from the database yet, and memory stays flat
// (contract §9.2, §9.3).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as net from "node:net"
import { SharedDatabaseFixtures, startOnShared } from "../../testing/SharedDatabaseFixtures.ts"

/** Files of 12 MB and more: what the sockets of both sides hold is less. Texts of all records are 65 MB in memory, more than a process may grow. */
const DIALOGUES = 100_000
const RECORDS = 24_000
const TEXT = "Довгий опис замовлення, the same in English. ".repeat(30)
const GROWTH_BYTES_MAX = 48 * 2 ** 20

/** Resident memory of a process, bytes; 0 where the system does not show it. */
const residentBytes = (pid: number): number => {
  const file = `/proc/${pid}/statm`
  return fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8").split(" ")[1]) * 4_096 : 0
}

const doNothing = () => Promise.resolve()
const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Read {
  readonly text: string
  readonly peakBytes: number
}

/** Reads the beginning, stops, and reads on when `meanwhile` has run and the server has nothing more to send. */
const readSlowly = async (
  origin: string,
  pid: number,
  path: string,
  token: string,
  meanwhile: () => Promise<unknown>
): Promise<Read> => {
  const { hostname, port } = new URL(origin)
  const socket = net.connect(Number(port), hostname)
  const parts: Array<Buffer> = []
  let peakBytes = 0
  const look = () => (peakBytes = Math.max(peakBytes, residentBytes(pid)))
  const watch = setInterval(look, 20)
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  socket.on("data", (part) => {
    parts.push(part)
    begun.resolve()
  })
  socket.once("end", () => ended.resolve())
  socket.once("error", ended.reject)
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  )
  await begun.promise
  socket.pause()
  await wait(1_500)
  await meanwhile()
  socket.resume()
  await ended.promise
  clearInterval(watch)
  look()
  return { text: Buffer.concat(parts).toString("utf8"), peakBytes }
}

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "files for a slow reader",
  (it) => {
    it.effect(
      "a file for a slow reader is read from the database as it is taken",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          // By the flags of the start, what nobody keeps any more takes as much as the bound before it is collected.
          const { origin, process, send, tokenOf } = yield* startOnShared(
            {},
            "--max-semi-space-size=1",
            "--heap-growing-percent=5"
          )
          const token = yield* Effect.promise(() => tokenOf("administrator"))
          // Rows of chats that there are not: making those would take minutes.
          yield* sql`alter table dialogues drop constraint dialogues_instance_id_appeal_id_fkey`
          yield* sql`insert into dialogues (instance_id, appeal_id, created_at, messages, own_messages, status,
              status_group, channel, operator_ids, kind, priority, is_outgoing)
            select 1, 5000000 + n, timestamptz '2019-01-01' + n * interval '1 minute', 1, 0, 'active', 'open',
              'channel of a slow reader, which makes its lines longer', '{}', 'chat', 'normal', false
            from generate_series(1, ${DIALOGUES}::int4) n`
          const made = yield* send({
            path: "/kw/api/v1/custom-data/models",
            body: { name: "slow", fields: [{ name: "text", type: "TEXT" }] }
          })
          assert.strictEqual(made.status, 201)
          // An export reads no searchable values, and writing those of all records would take a minute.
          yield* sql`alter table custom_records disable trigger user`
          yield* sql`insert into custom_records (instance_id, model_id, values, created_at)
            select m.instance_id, m.id, jsonb_build_object(m.fields->0->>'id', ${TEXT}::text),
              timestamptz '2020-01-01' + n * interval '1 second'
            from custom_models m, generate_series(1, ${RECORDS}::int4) n where m.name = 'slow'`
          yield* sql`alter table custom_records enable trigger user`
          const end = `select max(id) from custom_records where model_id = (select id from custom_models where name = 'slow')`
          const files = [
            ...["csv", "ndjson"].map(
              (format) =>
                [
                  `/kw/api/v1/custom-data/slow/records/export?format=${format}&order[createdAt]=asc`,
                  sql`update custom_records set values = (select jsonb_build_object(m.fields->0->>'id', 'changed meanwhile')
                    from custom_models m where m.name = 'slow') where id = (${sql.literal(end)})`,
                  RECORDS + (format === "csv" ? 1 : 0)
                ] as const
            ),
            [
              "/kw/api/v1/statistics/dialogues/rows?from=2019-01-01&to=2019-12-31&format=csv&order[createdAt]=asc",
              sql`update dialogues set channel = 'changed meanwhile' where instance_id = 1 and appeal_id = ${5_000_000 + DIALOGUES}`,
              DIALOGUES + 1
            ]
          ] as const
          // What a process needs that has never written such a file is no growth.
          yield* Effect.promise(() => readSlowly(origin, process.pid, files[0][0], token, doNothing))
          for (const [path, change, lines] of files) {
            yield* sql`update custom_records set values = (select jsonb_build_object(m.fields->0->>'id', ${TEXT}::text)
              from custom_models m where m.name = 'slow') where id = (${sql.literal(end)})`
            const before = residentBytes(process.pid)
            const run = yield* Effect.context()
            const read = yield* Effect.promise(() =>
              readSlowly(origin, process.pid, path, token, () => Effect.runPromiseWith(run)(change))
            )
            assert.match(read.text, /^HTTP\/1\.1 200 /u)
            assert.include(read.text, "changed meanwhile", `${path}: the end was read before it was taken`)
            const taken = read.text.match(/\n(?:\d+,|\{"id":)/gu)?.length ?? 0
            assert.strictEqual(taken, lines - (path.includes("csv") ? 1 : 0), path)
            assert.isAbove(read.text.length, 12_000_000, "a file that the sockets would hold shows nothing")
            assert.isBelow(read.peakBytes - before, GROWTH_BYTES_MAX, path)
          }
        }).pipe(Effect.scoped),
      300_000
    )
  }
)
