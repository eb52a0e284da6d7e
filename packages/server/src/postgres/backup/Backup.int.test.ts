// A backup during writes, and its restore into an empty folder and into another PostgreSQL: it has every acknowledged
// write (docs/operations.md, "Backup and restore").
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { restore } from "./Backup.ts"
import { temporaryFileStorage } from "../../testing/FileFixtures.ts"
import { installedPostgres, isPostgresMissing } from "../../testing/InstalledPostgres.ts"
import {
  clusterIn,
  PostgresFixtures,
  PreparedFolder,
  temporaryFolder
} from "../../testing/PostgresFixtures.ts"
import { eventually } from "../../testing/ProjectionFixtures.ts"
import { RunningServer, runProgram, ServerFixtures, startService } from "../../testing/ServerFixtures.ts"
import { freePort } from "../../testing/SharedDatabaseFixtures.ts"

const keys = Buffer.alloc(32, 7).toString("base64url")
const unlimited = { RAPPORT_LIMIT_CONTEXT_WRITES_PER_MINUTE: "1000000" }
const TYPE = "backup.test"
/** Characters that a row's text escapes, and those that a line of the file does. */
const SUMMARY = 'Повернення коштів, "оплата" (1,2) \\ \n\t{NULL} — їжак, счёт, refund'

type Call = RunningServer["Service"]["call"]
type Send = RunningServer["Service"]["send"]

const decodeMade = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({ rows: Schema.Int, bytes: Schema.Int, notIncluded: Schema.Array(Schema.String) })
  )
)

/** Writes actions until it is stopped; `acknowledged` are the ids that were answered so far. */
const startWriting = Effect.fnUntraced(function* (send: Send, summary = SUMMARY) {
  const state = { acknowledged: new Array<string>(), isStopped: false }
  const body = { type: TYPE, occurredAt: "2026-01-01T00:00:00Z", actorType: "system", summary }
  const one = Effect.gen(function* () {
    while (!state.isStopped) {
      const answer = yield* send({ path: "/kw/clients/501/context/actions", key: randomUUID(), body })
      assert.strictEqual(answer.status, 201, answer.text)
      state.acknowledged.push(answer.body.action.id)
    }
  })
  const writing = yield* Effect.forkScoped(Effect.all([one, one], { concurrency: 2, discard: true }))
  const stop = Effect.sync(() => (state.isStopped = true))
  return { state, stop: Effect.andThen(stop, Fiber.join(writing)) }
})

/** The actions that `startWriting` wrote, over HTTP. */
const readActions = Effect.fnUntraced(function* (send: Send) {
  const found: Array<{ readonly id: string; readonly summary: string | null }> = []
  for (let more = ""; ;) {
    const path = `/kw/clients/501/context/actions?filter[type]=${TYPE}&limit=100${more}`
    const { body } = yield* send({ path })
    found.push(...body.data)
    if (body.nextCursor === null) return found
    more = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
})

/** Finds by the index of appeals and by that of client memory. */
const search = (send: Send, query = "рахунок refund") =>
  send({
    path: "/kw/chatrooms/context/retrieve",
    body: {
      scope: { entity: "client", id: 501 },
      targets: ["relevant_appeals", "relevant_client_memory"],
      sections: ["evidence"],
      query,
      timeoutMs: 5_000
    }
  })
const appealsOf = (text: string) => [...text.matchAll(/"appealId":(\d+),"appealType"/gu)].map(([, id]) => id)

const FILE = "Рахунок № 17"
const decodeFile = Schema.decodeUnknownPromise(Schema.Struct({ id: Schema.String }))

const uploadFile = (call: Call) =>
  Effect.promise(async () => {
    const answer = await call("/kw/api/v1/files?name=invoice.txt", {
      login: "administrator",
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: FILE
    })
    return (await decodeFile(await answer.json())).id
  })

const downloadFile = (call: Call, id: string) =>
  Effect.promise(async () => {
    const answer = await call(`/kw/api/v1/files/${id}`, { login: "administrator" })
    return answer.text()
  })

const linesOf = (file: string) => gunzipSync(fs.readFileSync(file)).toString("utf8").split("\n")
/** A backup of these lines with a valid checksum. */
const wholeFile = (lines: ReadonlyArray<string>) => {
  const text = lines.map((line) => `${line}\n`).join("")
  const sha256 = createHash("sha256").update(text).digest("hex")
  return gzipSync(`${text}${JSON.stringify({ rows: 0, sha256 })}\n`)
}

/** The rows with their tables, and the sequences; PostgreSQL puts rows in no order. */
const contentOf = (file: string): ReadonlyArray<string> => {
  let table = ""
  return linesOf(file)
    .slice(1, -2)
    .map((line) => {
      if (line.startsWith('{"table"')) table = line
      return table + line
    })
    .toSorted()
}

/** What a restore ends or holds is not as it was. */
const isKept = (line: string) =>
  !["refresh_families", "delivery_lines", "broadcasts"].some((table) =>
    line.startsWith(`{"table":"${table}"}`)
  )

/** The data of the service when `rapport backup` was called; writes continue before, during and after it. */
const taken = Effect.gen(function* () {
  const { call, send } = yield* RunningServer
  const folder = (yield* PreparedFolder).path
  const file = path.join(yield* temporaryFolder, "rapport.gz")
  const fileId = yield* uploadFile(call)
  const { state, stop } = yield* startWriting(send)
  yield* eventually(
    Effect.sync(() => state.acknowledged.length),
    (count) => count > 20
  )
  const before = [...state.acknowledged]
  const made = yield* runProgram(["backup", file, "--json"], { RAPPORT_DATA_DIR: folder })
  const during = state.acknowledged.length - before.length
  yield* stop
  assert.strictEqual(made.code, 0, made.stderr)
  assert.isAbove(during, 0, "nothing was written during the backup")
  const { bytes, notIncluded, rows } = yield* decodeMade(made.stdout)
  assert.strictEqual(bytes, fs.statSync(file).size)
  assert.strictEqual(linesOf(file).filter((line) => line.startsWith('{"row"')).length, rows)
  assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
  assert.include(notIncluded[0], path.join(folder, "token-keys"))
  const text = linesOf(file).join("\n")
  assert.notInclude(text, fs.readFileSync(path.join(folder, "token-keys"), "utf8").trim())
  assert.notInclude(text, fs.readFileSync(path.join(folder, "postgres/rapport-password"), "utf8").trim())
  const found = yield* eventually(search(send), ({ text }) => appealsOf(text).length > 0)
  return { file, fileId, acknowledged: before, appeals: appealsOf(found.text) }
})

/** Restores, takes a backup of what was restored, and serves it. */
const holdsAll = Effect.fnUntraced(function* (
  { acknowledged, appeals, file, fileId }: Effect.Success<typeof taken>,
  environment: Readonly<Record<string, string>>
) {
  const restored = yield* runProgram(["restore", file, "--json"], environment)
  assert.strictEqual(restored.code, 0, restored.stderr)
  const again = `${file}.${randomUUID()}`
  const second = yield* runProgram(["backup", again], environment)
  assert.strictEqual(second.code, 0, second.stderr)
  const [before, after] = [contentOf(file), contentOf(again)]
  assert.deepStrictEqual(after.filter(isKept), before.filter(isKept))
  assert.strictEqual(after.length, before.length)
  const { call, send } = yield* startService({ RAPPORT_TOKEN_KEYS: keys, ...environment })
  assert.strictEqual(yield* downloadFile(call, fileId), FILE)
  const actions = yield* readActions(send)
  assert.includeMembers(
    actions.map(({ id }) => id),
    [...acknowledged]
  )
  assert.isTrue(actions.every(({ summary }) => summary === SUMMARY))
  // The indexes of the place that was restored are built from it.
  const found = yield* eventually(search(send), ({ text }) => appealsOf(text).length >= appeals.length)
  assert.deepStrictEqual(appealsOf(found.text), [...appeals])
  // Ids go on where they were, and what follows from a write follows again.
  const { state, stop } = yield* startWriting(send, "водоспад")
  yield* eventually(
    Effect.sync(() => state.acknowledged.length),
    (count) => count > 2
  )
  yield* stop
  // The clients of the seed have their ids from it, so the sequence gave out none.
  assert.strictEqual((yield* send({ path: "/kw/api/v1/clients", body: { name: "Нова" } })).status, 201)
  yield* eventually(search(send, "водоспад"), ({ text }) => text.includes('"text":"водоспад'))
})

const running = ServerFixtures.running(unlimited).pipe(Layer.provideMerge(PostgresFixtures.smallFolder))

layer(running, { excludeTestServices: true, timeout: "120 seconds" })("a backup", (it) => {
  it.effect(
    "a backup made during writes is restored completely, in an empty folder and in another PostgreSQL",
    () =>
      Effect.gen(function* () {
        const made = yield* taken
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* holdsAll(made, { RAPPORT_DATA_DIR: yield* temporaryFolder })
          })
        )
        if (isPostgresMissing) return
        const { port, run } = yield* installedPostgres(yield* freePort)
        yield* run("createdb", "restored")
        yield* holdsAll(made, {
          RAPPORT_DATA_DIR: yield* temporaryFolder,
          DATABASE_URL: `postgres://rapport@127.0.0.1:${port}/restored`
        })
      }),
    300_000
  )

  it.effect(
    "a backup is refused where it would overwrite data or is incomplete",
    () =>
      Effect.gen(function* () {
        const folder = (yield* PreparedFolder).path
        const here = { RAPPORT_DATA_DIR: folder }
        const file = path.join(yield* temporaryFolder, "rapport.gz")
        assert.strictEqual((yield* runProgram(["backup", file], here)).code, 0)
        const kept = fs.readFileSync(file)
        const overwriting = yield* runProgram(["backup", file], here)
        assert.deepInclude(overwriting, { code: 1, stdout: "" })
        assert.include(overwriting.stderr, "exists already")
        assert.deepStrictEqual(fs.readFileSync(file), kept)
        assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["rapport.gz"])

        // The database of the running service is full.
        const filled = yield* runProgram(["restore", file], here)
        assert.deepInclude(filled, { code: 1, stdout: "" })
        assert.include(filled.stderr, "overwrites nothing")

        const empty = yield* temporaryFolder
        const absent = yield* runProgram(["restore", "/nowhere"], { RAPPORT_DATA_DIR: empty })
        assert.deepInclude(absent, { code: 1, stdout: "" })
        assert.strictEqual((yield* runProgram(["restore"], { RAPPORT_DATA_DIR: empty })).code, 2)
        const lines = linesOf(file)
        const header = lines[0] ?? ""
        const text = lines.join("\n")
        const wrong: ReadonlyArray<readonly [Buffer, string]> = [
          [kept.subarray(0, kept.length / 2), "unexpected end of file"],
          [gzipSync(text.replace("рахунок", "рахунко")), "not whole"],
          [
            gzipSync(text.replace('"0001_baseline"', '"0001_baseline","9000_of_tomorrow"')),
            "9000_of_tomorrow"
          ],
          [
            gzipSync(text.replace(header, header.replace('"name":"login"', '"name":"logon"'))),
            "other tables"
          ],
          [
            wholeFile([header, `{"file":{"instanceId":1,"id":"../../outside","data":"eA=="}}`]),
            "damaged or not whole"
          ],
          [Buffer.from("-- PostgreSQL database dump"), "incorrect header check"],
          [gzipSync("{}\n"), "no backup"],
          [gzipSync("x".repeat(80 * 1024 * 1024)), "a line is too long"],
          [gzipSync(`${header}\n${"x".repeat(80 * 1024 * 1024)}`), "a line is too long"]
        ]
        yield* Effect.gen(function* () {
          for (const [bytes, said] of wrong) {
            fs.writeFileSync(file, bytes)
            assert.include((yield* Effect.flip(restore(file))).message, said)
          }
          // Nothing of them is left: the whole one fits.
          fs.writeFileSync(file, kept)
          assert.isAbove((yield* restore(file)).rows, 1_000)
        }).pipe(Effect.provide(Layer.merge(clusterIn(empty), temporaryFileStorage), { local: true }))
      }),
    180_000
  )
})
