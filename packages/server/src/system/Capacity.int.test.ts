// A service whose disk is full, or whose instance is above its quota, over HTTP: reads go on, what is refused is typed
// (contract §11).
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { signedHeaders } from "../delivery/WebhookSignature.ts"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { connect, startProcess } from "../testing/ServerFixtures.ts"

const started = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { path } = yield* PreparedFolder
    const service = yield* startProcess(["serve"], { PORT: "0", RAPPORT_DATA_DIR: path, ...environment })
    const { call } = connect(service, yield* Effect.promise(() => service.ready()))
    return (method: string, at: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
      Effect.promise(async () => {
        const init = {
          method,
          login: "administrator",
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } })
        }
        const answer = await call(at, init)
        const text = await answer.text()
        const problem: Problem = JSON.parse(text)
        return [answer.status, problem.code, problem.reason, `${problem.title}: ${problem.detail}`] as const
      })
  })
interface Problem {
  readonly code?: string
  readonly reason?: string
  readonly title?: string
  readonly detail?: string
}
const awaits = (call: Effect.Effect<readonly [number, ...Array<unknown>]>, status: number) =>
  call.pipe(
    Effect.delay("250 millis"),
    Effect.repeat({ until: ([found]) => found === status }),
    Effect.timeout("60 seconds")
  )
const clients = "/kw/api/v1/clients"
const live = 180_000

it.live(
  "every write on a full disk is 503 storage_full, while reads work",
  () =>
    Effect.gen(function* () {
      const call = yield* started({ RAPPORT_FREE_MB: "900000000" })
      const write = call("POST", clients, { name: "Їжак" })
      const refused = yield* awaits(write, 503)
      assert.deepStrictEqual(refused.slice(0, 3), [503, "SEARCH_UNAVAILABLE", "storage_full"])
      assert.match(String(refused[3]), /\bdisk\b.*: the disk of the service is full/u)
      assert.strictEqual((yield* call("GET", `${clients}/501`))[0], 200)
      const read = { scope: { entity: "client", id: 501 } }
      assert.strictEqual((yield* call("POST", "/kw/chatrooms/context/retrieve", read))[0], 200)
      assert.strictEqual((yield* call("PATCH", `${clients}/501`, { expectedVersion: 1, name: "x" }))[0], 503)
      // What makes space is taken.
      assert.strictEqual((yield* call("POST", `${clients}/503/erase`))[0], 404)
    }).pipe(Effect.scoped, Effect.provide(PostgresFixtures.smallFolder, { local: true })),
  live
)

it.live(
  "only an instance above its quota gets 409 QUOTA_EXCEEDED for writes that add data",
  () =>
    Effect.gen(function* () {
      const call = yield* started({ RAPPORT_QUOTA_ROWS: "500" })
      const write = call("POST", clients, { name: "Їжак" })
      assert.deepStrictEqual((yield* awaits(write, 409)).slice(0, 2), [409, "QUOTA_EXCEEDED"])
      assert.strictEqual((yield* call("PATCH", `${clients}/501`, { expectedVersion: 1, name: "Ёж" }))[0], 200)
      for (const [path, body] of [
        ["subjects", { name: "Доставка", alias: "quota" }],
        ["skill-groups", { name: "Третя", subjectIds: [], memberIds: [] }],
        ["auth/external-tokens", { name: "ще", permissions: ["clients.read"] }]
      ] as const)
        assert.deepStrictEqual((yield* call("POST", `/kw/api/v1/${path}`, body)).slice(0, 2), [
          409,
          "QUOTA_EXCEEDED"
        ])
      // A signed message of a client is refused like a message of a user; the provider tries again.
      const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
      const connectors = [{ channel: "web", kind: "webhook", url: "https://example.com/hook", secret }]
      assert.strictEqual((yield* call("PATCH", "/kw/api/v1/bots/1", { connectors }))[0], 200)
      const body = {
        type: "message.received",
        data: { chatId: "q-1", text: "Є хто?", externalMessageId: "q-1" }
      }
      const signed = signedHeaders(
        [Redacted.make(secret)],
        { id: "q-1", body: JSON.stringify(body) },
        yield* Clock.currentTimeMillis
      )
      assert.deepStrictEqual((yield* call("POST", "/kw/api/inbound/1/web", body, signed)).slice(0, 2), [
        409,
        "QUOTA_EXCEEDED"
      ])
      const chat = { clientId: 501, channel: "web" }
      assert.deepStrictEqual((yield* call("POST", "/kw/api/v1/OpChatRooms", chat)).slice(0, 2), [
        409,
        "QUOTA_EXCEEDED"
      ])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(PostgresFixtures.smallFolder), { local: true })),
  live
)
