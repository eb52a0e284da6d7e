// A service whose disk is full, or whose instance is above its quota, over HTTP: reads go on, what is refused is typed
// (contract §11).
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { signedHeaders } from "../delivery/WebhookSignature.ts"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { startService } from "../testing/ServerFixtures.ts"
import type { HttpAnswer, HttpRequest } from "../testing/WriterFixtures.ts"

const startPreparedService = (environment: Readonly<Record<string, string>>) =>
  Effect.flatMap(PreparedFolder, ({ path }) => startService({ RAPPORT_DATA_DIR: path, ...environment }))

/** Repeats a write until the service has measured its disk or the rows of the instance. */
const awaits = (write: Effect.Effect<HttpAnswer>, status: number) =>
  eventually(write, (answer) => answer.status === status)
const clients = "/kw/api/v1/clients"
const live = 180_000

it.live(
  "every write on a full disk is 503 storage_full, while reads work",
  () =>
    Effect.gen(function* () {
      const { send } = yield* startPreparedService({ RAPPORT_FREE_MB: "900000000" })
      const refused = yield* awaits(send({ path: clients, body: { name: "Їжак" } }), 503)
      assert.deepInclude(refused.body, { code: "SEARCH_UNAVAILABLE", reason: "storage_full" })
      assert.match(refused.body.title, /\bdisk\b/u)
      assert.match(refused.body.detail, /^the disk of the service is full/u)
      const statusOf = (request: HttpRequest) => Effect.map(send(request), ({ status }) => status)
      assert.strictEqual(yield* statusOf({ path: `${clients}/501` }), 200)
      const read = { scope: { entity: "client", id: 501 } }
      assert.strictEqual(yield* statusOf({ path: "/kw/chatrooms/context/retrieve", body: read }), 200)
      const change = { method: "PATCH", body: { expectedVersion: 1, name: "x" } }
      assert.strictEqual(yield* statusOf({ path: `${clients}/501`, ...change }), 503)
      // What makes space is accepted.
      assert.strictEqual(yield* statusOf({ path: `${clients}/503/erase`, method: "POST" }), 404)
    }).pipe(Effect.scoped, Effect.provide(PostgresFixtures.smallFolder, { local: true })),
  live
)

it.live(
  "only an instance above its quota gets 409 QUOTA_EXCEEDED for writes that add data",
  () =>
    Effect.gen(function* () {
      const { call, send } = yield* startPreparedService({ RAPPORT_QUOTA_ROWS: "500" })
      const refused = yield* awaits(send({ path: clients, body: { name: "Їжак" } }), 409)
      assert.strictEqual(refused.code, "QUOTA_EXCEEDED")
      // A signed message of a client is refused like a message of a user; the provider retries.
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
      const connectors = [{ channel: "web", kind: "webhook", url: "https://example.com/hook", secret }]
      for (const [path, body] of [
        [`${clients}/501`, { expectedVersion: 1, name: "Ёж" }],
        ["/kw/api/v1/bots/1", { connectors }]
      ] as const)
        assert.strictEqual((yield* send({ method: "PATCH", path, body })).status, 200)
      for (const [path, body] of [
        ["subjects", { name: "Доставка", alias: "quota" }],
        ["skill-groups", { name: "Третя", subjectIds: [], memberIds: [] }],
        ["auth/external-tokens", { name: "ще", permissions: ["clients.read"] }],
        ["OpChatRooms", { clientId: 501, channel: "web" }]
      ] as const)
        assert.deepInclude(yield* send({ path: `/kw/api/v1/${path}`, body }), {
          status: 409,
          code: "QUOTA_EXCEEDED"
        })
      const body = JSON.stringify({
        type: "message.received",
        data: { chatId: "q-1", text: "Є хто?", externalMessageId: "q-1" }
      })
      const now = yield* Clock.currentTimeMillis
      const signed = signedHeaders([Redacted.make(secret)], { id: "q-1", body }, now)
      const headers = { "content-type": "application/json", ...signed }
      const inbound = yield* Effect.promise(() =>
        call("/kw/api/inbound/1/web", { method: "POST", body, headers })
      )
      assert.strictEqual(inbound.status, 409)
      assert.include(yield* Effect.promise(() => inbound.text()), "QUOTA_EXCEEDED")
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(PostgresFixtures.smallFolder), { local: true })),
  live
)
