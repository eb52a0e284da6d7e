// Deliveries and sessions after a restore: a restored service sends nothing twice and accepts no session that was
// logged out, also next to the original service (docs/operations.md, "Backup and restore").
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { eventually } from "../../testing/ProjectionFixtures.ts"
import { receiver } from "../../testing/ReceiverFixtures.ts"
import { RunningServer, runProgram, ServerFixtures, startService } from "../../testing/ServerFixtures.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as they came
type Body = any
const environment = { RAPPORT_WEBHOOK_ALLOW_PRIVATE: "true" }
const api = "/kw/api/v1"

const Restored = Schema.fromJsonString(
  Schema.Struct({
    ended: Schema.Struct({ sessions: Schema.Int, invitations: Schema.Int }),
    held: Schema.Struct({ deliveries: Schema.Int, broadcasts: Schema.Int }),
    unreadableConnectors: Schema.Int,
    tokens: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })),
    users: Schema.Array(Schema.Struct({ login: Schema.String, status: Schema.String }))
  })
)
const decodeRestored = Schema.decodeUnknownEffect(Restored)

const requester =
  ({ send }: RunningServer["Service"]) =>
  (method: string, path: string, body?: object) =>
    send({ method, path, ...(body === undefined ? {} : { body }) })
type Request = ReturnType<typeof requester>

/** A client with one chat of the channel. */
const createClient = (request: Request, chatId: string) =>
  Effect.map(
    request("POST", `${api}/clients`, { name: chatId, identities: [{ channel: "restored", chatId }] }),
    ({ body }) => body.id as number
  )

/** A queued call, a half-sent broadcast, a scheduled broadcast, an invitation, a token and a session. */
const makeState = Effect.fnUntraced(function* (request: Request, url: string) {
  const send = Effect.fnUntraced(function* (method: string, place: string, body?: object) {
    const answer = yield* request(method, place, body)
    assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
    return answer.body as Body
  })
  const bot = yield* send("POST", `${api}/bots`, {
    name: "Помічник",
    connectors: [{ channel: "restored", kind: "webhook", url }]
  })
  const node = yield* send("POST", `${api}/bots/${bot.id}/nodes`, { name: "x", connectorAlias: "hello" })
  for (const chatId of ["called", "again"]) yield* createClient(request, chatId)
  const clientIds = [yield* createClient(request, "first"), yield* createClient(request, "second")]
  const callNode = `/kw/api/call_node/${bot.id}/${node.id}/restored`
  const { callId } = yield* send("POST", `${callNode}/called`, { message: "Ваше замовлення в дорозі" })
  const { id: templateId } = yield* send("POST", `${api}/broadcasts/templates`, { name: "x", text: "Новини" })
  const broadcast = Effect.fnUntraced(function* (more: object) {
    const body = { name: "Новини", botId: bot.id, channel: "restored", templateId, audience: { clientIds } }
    const { id } = yield* send("POST", `${api}/broadcasts`, { ...body, ...more })
    yield* send("POST", `${api}/broadcasts/${id}/start`)
    return id as number
  })
  const running = yield* broadcast({ ratePerMinute: 1 })
  const scheduled = yield* broadcast({ scheduledAt: "2100-01-01T00:00:00Z" })
  const { invitationToken } = yield* send("POST", `${api}/users`, {
    login: "запрошена",
    firstName: "Ганна",
    lastName: "Їжак",
    roles: ["operator"]
  })
  const { token } = yield* send("POST", `${api}/auth/external-tokens`, {
    name: "CRM",
    permissions: ["clients.read"]
  })
  const session = yield* send("POST", `${api}/auth/login`, {
    login: "administrator",
    password: "rapport-demo"
  })
  return { callId, callNode, invitationToken, running, scheduled, session, token }
})

const deliveryIds = (request: Request, id: number) =>
  Effect.map(
    request("GET", `${api}/broadcasts/${id}/recipients?order[id]=asc`),
    ({ body }) => body.data.map((one: Body) => one.deliveryId) as ReadonlyArray<string>
  )
const statusOf = (request: Request, id: number) =>
  Effect.map(request("GET", `${api}/broadcasts/${id}`), ({ body }) => body.status as string)

const running = ServerFixtures.running(environment).pipe(Layer.provideMerge(PostgresFixtures.smallFolder))

layer(running, { excludeTestServices: true, timeout: "120 seconds" })("a restored backup", (it) => {
  it.effect(
    "a restored backup sends nothing before it is released, keeps delivery ids, and ends sessions and invitations",
    () =>
      Effect.gen(function* () {
        let isDown = true
        const webhook = yield* receiver((_, response) => {
          // The original service retries after an hour.
          response.writeHead(isDown ? 503 : 204, isDown ? { "retry-after": "3600" } : {}).end()
        })
        const before = requester(yield* RunningServer)
        const state = yield* makeState(before, webhook.origin)
        // The receiver refused the call and the first message of the broadcast; the second one is queued a minute later.
        yield* eventually(
          Effect.sync(() => webhook.received.length),
          (count) => count === 2
        )
        const ids = yield* deliveryIds(before, state.running)
        const later = yield* deliveryIds(before, state.scheduled)
        assert.lengthOf(new Set([...ids, ...later, state.callId]), 5)

        const original = (yield* PreparedFolder).path
        const file = path.join(yield* temporaryFolder, "rapport.gz")
        const backup = yield* runProgram(["backup", file], { RAPPORT_DATA_DIR: original })
        assert.strictEqual(backup.code, 0, backup.stderr)
        // Else the original would send the second message when its minute is over.
        yield* before("POST", `${api}/broadcasts/${state.running}/pause`)
        isDown = false

        const folder = yield* temporaryFolder
        const settings = { ...environment, RAPPORT_DATA_DIR: folder }
        const restored = yield* runProgram(["restore", file, "--json"], settings)
        assert.strictEqual(restored.code, 0, restored.stderr)
        const {
          ended,
          held: onHold,
          tokens,
          unreadableConnectors,
          users
        } = yield* decodeRestored(restored.stdout)
        assert.deepStrictEqual(onHold, { deliveries: 2, broadcasts: 2 })
        assert.isAbove(ended.sessions, 0)
        assert.strictEqual(ended.invitations, 1)
        assert.include(
          tokens.map(({ name }) => name),
          "CRM"
        )
        assert.include(
          users.map(({ login }) => login),
          "administrator"
        )
        assert.isTrue(users.every(({ status }) => status === "active"))
        // The keys of the original folder are not copied yet.
        assert.isAbove(unreadableConnectors, 0)
        const doctor = yield* runProgram(["doctor"], settings)
        assert.match(doctor.stdout, /WARNING\s+held messages\s+a restore holds 2 messages and 2 broadcasts/u)
        assert.match(doctor.stdout, /WARNING\s+connector secrets/u)
        fs.copyFileSync(path.join(original, "token-keys"), path.join(folder, "token-keys"))
        const known = yield* runProgram(["doctor"], settings)
        assert.match(known.stdout, /OK\s+connector secrets/u)

        const service = yield* startService(settings)
        const statusAt = (path: string, init: RequestInit) =>
          Effect.promise(async () => (await service.call(path, init)).status)
        const bearer = { authorization: `Bearer ${state.session.accessToken}` }
        assert.strictEqual(yield* statusAt(`${api}/clients`, { headers: bearer }), 401)
        const { refreshToken } = state.session
        const { invitationToken: token } = state
        const json = { method: "POST", headers: { "content-type": "application/json" } }
        for (const [place, body] of [
          ["refresh", { refreshToken }],
          ["invitations/accept", { token, password: "довгий пароль 77" }]
        ] as const)
          assert.strictEqual(
            yield* statusAt(`${api}/auth/${place}`, { ...json, body: JSON.stringify(body) }),
            401,
            place
          )
        const external = { "x-auth-token": state.token }
        assert.strictEqual(yield* statusAt(`${api}/clients`, { headers: external }), 200)

        // A new message arrives; anything that was due before it would have arrived too.
        const after = requester(service)
        const again = yield* after("POST", `${state.callNode}/again`, { message: "Нове" })
        const arrivedIds = () => webhook.received.map(({ headers }) => String(headers["webhook-id"]))
        yield* eventually(Effect.sync(arrivedIds), (all) => all.includes(again.body.callId))
        assert.deepStrictEqual(arrivedIds().slice(2), [again.body.callId])
        for (const id of [state.running, state.scheduled])
          assert.strictEqual(yield* statusOf(after, id), "paused")

        const released = yield* runProgram(["delivery", "release", "--json"], settings)
        assert.strictEqual(released.code, 0, released.stderr)
        assert.deepStrictEqual(JSON.parse(released.stdout), onHold)
        yield* eventually(Effect.sync(arrivedIds), (all) => all.length === 6)
        assert.sameMembers(arrivedIds().slice(3), [state.callId, ...ids])
        assert.strictEqual(yield* statusOf(after, state.scheduled), "scheduled")
        assert.deepStrictEqual(yield* deliveryIds(after, state.scheduled), later)
        assert.include((yield* runProgram(["delivery", "release"], settings)).stdout, "nothing is held")
      }),
    240_000
  )
})
