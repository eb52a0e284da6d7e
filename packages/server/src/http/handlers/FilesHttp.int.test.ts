// Files over HTTP: who may upload and see them, names, ranges and conditions (contract §7, "Files").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { anonymous } from "../../testing/InboundFixtures.ts"
import {
  expectFaults,
  expectStatus,
  newInstance,
  pathsOf,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const NAME = "рахунок №17 (сплата).txt"
const TEXT = "Рахунок на оплату: 17 грн"
const bytes = Buffer.from(TEXT)
const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`
const text = { "content-type": "text/plain; charset=utf-8" }

const pathFor = (name: string) => `/files?name=${encodeURIComponent(name)}`

/** Rest answers with JSON or text; a file of plain text is read as it is. */
const uploadFile = Effect.fnUntraced(function* (who: RestCaller, name = NAME) {
  const answer = yield* who.post(pathFor(name), TEXT, text)
  expectStatus(answer, 201)
  return answer
})

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  return { admin, instance, rest, who: yield* rest.user(instance, ["operator"]) }
})

layer(RestFixtures)("files", (it) => {
  it.effect("an upload returns what was stored, and a download returns the same bytes with a safe name", () =>
    Effect.gen(function* () {
      const { who } = yield* world
      const { body, headers } = yield* uploadFile(who)
      const { id, ...stored } = body
      const file = { name: NAME, mediaType: "text/plain; charset=utf-8", bytes: bytes.length }
      assert.deepStrictEqual(stored, { ...file, sha256: etag.slice(1, -1) })
      assert.strictEqual(headers.get("location"), `/kw/api/v1/files/${id}`)
      const answer = yield* who.get(`/files/${body.id}`, { accept: "image/*" })
      expectStatus(answer, 200)
      assert.strictEqual(answer.text, TEXT)
      const expected: Readonly<Record<string, string>> = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": String(bytes.length),
        "content-disposition":
          `attachment; filename="_______ _17 (______).txt"; filename*=UTF-8''` +
          "%D1%80%D0%B0%D1%85%D1%83%D0%BD%D0%BE%D0%BA%20%E2%84%9617%20%28%D1%81%D0%BF%D0%BB%D0%B0%D1%82%D0%B0%29.txt",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "private, no-cache",
        "accept-ranges": "bytes",
        etag
      }
      for (const [name, value] of Object.entries(expected))
        assert.strictEqual(answer.headers.get(name), value, name)
      const head = yield* who.call("HEAD", `/files/${body.id}`)
      expectStatus(head, 200)
      assert.strictEqual(head.text, "")
      assert.strictEqual(head.headers.get("content-length"), String(bytes.length))
    })
  )

  it.effect("a download follows one range, and conditions by its hash", () =>
    Effect.gen(function* () {
      const { who } = yield* world
      const { body } = yield* uploadFile(who)
      const get = (headers: Readonly<Record<string, string>>) => who.get(`/files/${body.id}`, headers)
      const size = bytes.length
      for (const [range, first, last] of [
        ["bytes=0-1", 0, 1],
        ["bytes=4-", 4, size - 1],
        ["bytes=-6", size - 6, size - 1],
        [`bytes=2-${size + 10}`, 2, size - 1],
        [`bytes=-${size + 10}`, 0, size - 1]
      ] as const) {
        const answer = yield* get({ range })
        expectStatus(answer, 206)
        assert.strictEqual(answer.headers.get("content-range"), `bytes ${first}-${last}/${size}`)
        assert.strictEqual(answer.headers.get("content-length"), String(last - first + 1))
        assert.strictEqual(answer.text, bytes.subarray(first, last + 1).toString())
      }
      for (const range of ["bytes=1-0", "bytes=0-1,3-4", "lines=0-1", "bytes=-", "bytes=a-b"])
        assert.deepStrictEqual([range, (yield* get({ range })).status], [range, 200])
      for (const range of [`bytes=${size}-`, "bytes=-0"]) {
        const answer = yield* get({ range })
        expectStatus(answer, 416, "RANGE_NOT_SATISFIABLE")
        assert.strictEqual(answer.headers.get("content-range"), `bytes */${size}`)
      }
      for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
        const answer = yield* get({ "if-none-match": condition })
        expectStatus(answer, 304)
        assert.deepStrictEqual([answer.text, answer.headers.get("etag")], ["", etag])
      }
      expectStatus(yield* get({ "if-none-match": '"other"' }), 200)
      expectStatus(yield* get({ range: "bytes=0-1", "if-range": etag }), 206)
      expectStatus(yield* get({ range: "bytes=0-1", "if-range": '"other"' }), 200)
    })
  )

  it.effect("only the uploader sees a file that no message has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, rest, who } = yield* world
      const { body } = yield* uploadFile(who)
      const token = yield* rest.token(admin, ["chats.manage", "chats.read"])
      const ofToken = yield* uploadFile(token)
      const foreign = yield* rest.user(yield* rest.instance, ["administrator"])
      for (const [other, id] of [
        [admin, body.id],
        [foreign, body.id],
        [token, body.id],
        [admin, ofToken.body.id],
        [who, "01999e2c-5a3b-7c11-8d2e-3f4a5b6c7d8e"]
      ] as const)
        expectStatus(yield* other.get(`/files/${id}`), 404, "NOT_FOUND")
      expectStatus(yield* token.get(`/files/${ofToken.body.id}`), 200)
      expectStatus(yield* who.get(`/files/${body.id.toUpperCase()}`), 200)
      expectStatus(yield* who.get("/files/1"), 400)
      yield* sql`update files set expires_at = now() where id = ${body.id}::uuid`
      expectStatus(yield* who.get(`/files/${body.id}`), 404)
    })
  )

  it.effect("refuses names, types and bodies that are no file, in the order of checks", () =>
    Effect.gen(function* () {
      const { instance, rest, who } = yield* world
      const reader = yield* rest.user(instance, ["analyst"])
      for (const name of ["", " ", "a/b", "a\\b", "a\nb", "a\0b", "x".repeat(256)]) {
        const answer = yield* who.post(pathFor(name), TEXT, text)
        expectStatus(answer, 400, "INVALID_REQUEST")
        assert.include(pathsOf(answer), "name", JSON.stringify(name))
      }
      expectStatus(yield* who.post("/files", TEXT, text), 400)
      expectStatus(yield* who.post(`${pathFor("a")}&b=1`, TEXT, text), 400)
      const empty = yield* who.post(pathFor("a"), "", text)
      expectFaults(empty, [""])
      assert.strictEqual(empty.body.detail, "the body must not be empty")
      for (const headers of [
        { "content-type": "text" },
        { "content-type": "text/plain\u00e9" },
        { "content-type": `text/${"x".repeat(255)}` },
        { ...text, "content-encoding": "gzip" }
      ])
        expectStatus(yield* who.post(pathFor("a"), TEXT, headers), 415)
      const large = { ...text, "content-length": String(25 * 1024 * 1024 + 1) }
      expectStatus(yield* who.post(pathFor("a"), TEXT, large), 413)
      expectStatus(yield* reader.post(pathFor("a"), TEXT, large), 413)
      expectStatus(yield* rest.call(anonymous, "POST", pathFor("a"), TEXT, large), 401)
    })
  )
})
