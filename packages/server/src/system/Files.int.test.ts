// Uploads over a real socket: the limit of their size, flat memory, and a process that is killed in the middle.
import { assert, it, layer } from "@effect/vitest"
import { FILE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures, startService } from "../testing/ServerFixtures.ts"

const MEBIBYTE = 1024 * 1024
const decodeFile = Schema.decodeUnknownPromise(Schema.Struct({ id: Schema.String, sha256: Schema.String }))

/** A body that comes in chunks of 1 MiB, without Content-Length. */
const streamOf = (bytes: number) => {
  let left = bytes
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left === 0) return controller.close()
      const size = Math.min(left, MEBIBYTE)
      left -= size
      controller.enqueue(new Uint8Array(size).fill(7))
    }
  })
}

const upload = (call: RunningServer["Service"]["call"], body: NonNullable<RequestInit["body"]>) =>
  call("/kw/api/v1/files?name=a.bin", { login: "operator", method: "POST", body, duplex: "half" })

layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "60 seconds" })("an upload", (it) => {
  it.effect("an upload takes 25 MiB and no byte more, with and without Content-Length", () =>
    Effect.gen(function* () {
      const { call } = yield* RunningServer
      yield* Effect.promise(async () => {
        const whole = new Uint8Array(FILE_BYTES_MAX).fill(7)
        const sha256 = createHash("sha256").update(whole).digest("hex")
        for (const body of [whole, streamOf(FILE_BYTES_MAX)]) {
          const answer = await upload(call, body)
          assert.strictEqual(answer.status, 201)
          const file = await decodeFile(await answer.json())
          assert.strictEqual(file.sha256, sha256)
          const read = await call(`/kw/api/v1/files/${file.id}`, { login: "operator" })
          const bytes = new Uint8Array(await read.arrayBuffer())
          assert.strictEqual(createHash("sha256").update(bytes).digest("hex"), sha256)
        }
        const above = FILE_BYTES_MAX + 1
        assert.strictEqual((await upload(call, new Uint8Array(above))).status, 413)
        assert.strictEqual((await upload(call, streamOf(above))).status, 413)
      })
    })
  )

  it.effect("8 parallel uploads need bounded memory", () =>
    Effect.gen(function* () {
      const { call, process } = yield* RunningServer
      const memory = () =>
        Number(/^VmRSS:\s+(\d+) kB$/mu.exec(fs.readFileSync(`/proc/${process.pid}/status`, "utf8"))?.[1]) /
        1024
      yield* Effect.promise(async () => {
        await upload(call, streamOf(FILE_BYTES_MAX))
        const before = memory()
        let most = before
        const timer = setInterval(() => (most = Math.max(most, memory())), 20)
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => upload(call, streamOf(FILE_BYTES_MAX)))
        )
        clearInterval(timer)
        assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
        // 200 MiB arrived.
        assert.isBelow(most - before, 150, "MiB more")
      })
    })
  )
})

layer(ServerFixtures.searchable(), { excludeTestServices: true, timeout: "60 seconds" })(
  "a message with a file",
  (it) => {
    it.effect.each([
      ["chat", "relevant_appeals"],
      ["session", "relevant_client_memory"]
    ] as const)(
      "a message of a %s is found by the name of its file, and a pack shows the file with its size",
      ([kind, target]) =>
        Effect.gen(function* () {
          const { call, send } = yield* RunningServer
          const file = yield* Effect.promise(async () => {
            const name = encodeURIComponent("водоспад-invoice.pdf")
            const answer = await call(`/kw/api/v1/files?name=${name}`, {
              login: "administrator",
              method: "POST",
              headers: { "content-type": "application/pdf" },
              body: new Uint8Array(120_000)
            })
            return decodeFile(await answer.json())
          })
          const isSession = kind === "session"
          const path = isSession ? "/kw/context/sessions" : "/kw/api/v1/OpChatRooms"
          const { body: made } = yield* send({ path, body: { clientId: 501, channel: "web" } })
          const written = yield* send({
            path: `${path}/${(made.session ?? made.chat).id}/messages`,
            body: { ...(isSession ? { role: "client" } : {}), attachments: [file.id] }
          })
          assert.strictEqual(written.status, 201, written.text)
          const read = send({
            path: "/kw/chatrooms/context/retrieve",
            body: {
              scope: { entity: "client", id: 501 },
              targets: [target],
              sections: ["evidence"],
              query: "водоспад",
              timeoutMs: 5_000
            }
          })
          yield* eventually(read, ({ text }) => text.includes("[file водоспад-invoice.pdf 120 kB]"))
        })
    )
  }
)

it.live(
  "a process that is killed in the middle of an upload leaves nothing visible, and its successor no bytes",
  () =>
    Effect.gen(function* () {
      const folder = (yield* PreparedFolder).path
      const settings = { RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder }
      const { origin, process, tokenOf } = yield* startService(settings)
      const token = yield* Effect.promise(() => tokenOf("operator"))
      const uploads = path.join(folder, "uploads")
      const request = http.request(`${origin}/kw/api/v1/files?name=a.bin`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-length": 2 * MEBIBYTE }
      })
      request.on("error", () => {})
      request.write(new Uint8Array(MEBIBYTE))
      yield* eventually(
        Effect.sync(() => fs.readdirSync(uploads).map((name) => fs.statSync(path.join(uploads, name)).size)),
        ([size = 0]) => size > 0
      )
      yield* process.stop("SIGKILL")
      yield* startService(settings)
      assert.deepStrictEqual(fs.readdirSync(uploads), [])
      assert.isFalse(fs.existsSync(path.join(folder, "files")))
    }).pipe(Effect.scoped, Effect.provide(PostgresFixtures.smallFolder)),
  120_000
)
