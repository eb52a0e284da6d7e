// Every route that changes something is refused without its permission and for another instance (contract §1.1, §2), leaves its
// entry in the audit log, without payloads (contract §9, "Audit log"), and is replayed under its key (contract §1.3).
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { endpointOf, makeRefusedWrite } from "../../testing/RefusedWrites.ts"
import { newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const decodeEntries = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      action: Schema.String,
      entity: Schema.NullOr(Schema.String),
      entityId: Schema.NullOr(Schema.String),
      actorId: Schema.NullOr(Schema.Finite),
      details: Schema.Record(Schema.String, Schema.Unknown)
    })
  )
)

/** Routes that change nothing or call other routes (mcp), and routes whose entries Access and InboundHttp test. */
const others = new Set([
  "login",
  "refreshTokens",
  "logout",
  "acceptInvitation",
  "retrieveContext",
  "searchCustomRecords",
  "previewBroadcast",
  "callTools",
  "receiveInbound"
])
const at = "2026-01-01T08:00:00Z"
const SECRET = "таємниця-секрет-secret"

/** Secrets are shown only once. */
const withoutSecrets = (text: string) =>
  text.replaceAll(/"(invitationToken|secret|token)":"[^"]+"/gu, '"$1":null')

layer(RestFixtures)("the audit log", (it) => {
  it.effect(
    "every write is refused to other tenants and without its permission, is audited, and is replayed under its key",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { admin: who } = yield* newInstance
        const done = new Set<string>()
        const entriesOf = (requestId: string) =>
          Effect.flatMap(
            sql`select action, entity, entity_id as "entityId", actor_id::float8 as "actorId", details from audit_log
              where request_id = ${requestId} and decision = 'allowed'`,
            decodeEntries
          )
        const refuse = yield* makeRefusedWrite(who)
        const write = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
          yield* refuse(method, path, body)
          const requestId = randomUUID()
          const headers = { "idempotency-key": randomUUID(), "x-request-id": requestId }
          const answer = yield* who.call(method, path, body, headers)
          assert.isBelow(answer.status, 300, `${method} ${path} ${answer.text}`)
          const entries = yield* entriesOf(requestId)
          assert.isNotEmpty(entries, path)
          // An upload takes no key.
          if (method !== "DELETE" && !path.startsWith("/files?")) {
            const again = yield* who.call(method, path, body, headers)
            const isMarked = again.headers.get("idempotency-replayed") === "true"
            assert.isTrue(isMarked || again.text.includes('"replayed":true'), `${path} ${again.text}`)
            assert.strictEqual(again.headers.get("location"), answer.headers.get("location"), path)
            assert.strictEqual(
              again.text.replaceAll('"replayed":true', '"replayed":false'),
              withoutSecrets(answer.text)
            )
            assert.deepStrictEqual(yield* entriesOf(requestId), entries, path)
          }
          for (const entry of entries) {
            assert.strictEqual(entry.actorId, who.id)
            assert.notInclude(JSON.stringify(entry), SECRET, path)
          }
          done.add(endpointOf(method, path).identifier)
          return { entries, body: answer.body, path }
        })
        const post = (path: string, body: object = {}) => write("POST", path, body)
        const put = (path: string, body: object) => write("PUT", path, body)
        const patch = (path: string, body: object) => write("PATCH", path, body)
        const remove = (path: string) => write("DELETE", path)
        const makeId = (path: string, body: object) =>
          Effect.map(
            post(path, body),
            ({ body: { batch, chat, session, ticket, ...record } }) =>
              (chat ?? ticket ?? session ?? batch ?? record).id
          )
        const version = (path: string) => Effect.map(who.read(path), (record) => Number(record.version))
        const change = Effect.fnUntraced(function* (path: string, body: object) {
          return yield* patch(path, { ...body, expectedVersion: yield* version(path) })
        })
        const changeMany = Effect.fnUntraced(function* (path: string, id: number, members: object) {
          const expectedVersion = yield* version(`${path}/${id}`)
          return yield* patch(path, { changes: [{ id, expectedVersion, ...members }] })
        })
        // The entry has only the text before the change.
        const messages = Effect.fnUntraced(function* (path: string) {
          yield* post(path, { text: SECRET })
          const { id } = yield* who.make(path, { text: "раніше" })
          const edited = yield* patch(`${path}/${id}`, { text: SECRET, expectedVersion: 1 })
          assert.deepStrictEqual(edited.entries[0]?.details, { messageId: id, textBefore: "раніше" })
          yield* who.patch(`${path}/${id}`, { text: "потім", expectedVersion: 2 })
          yield* remove(`${path}/${id}`)
        })

        yield* post(`/files?name=${encodeURIComponent(SECRET)}`, { SECRET })
        const client = yield* makeId("/clients", { name: "Олена" })
        yield* change(`/clients/${client}`, { phone: SECRET })
        const subject = yield* makeId("/subjects", { name: "Р", alias: "billing" })
        yield* change(`/subjects/${subject}`, { name: "Рахунки" })
        const group = yield* makeId("/skill-groups", { name: "Г", subjectIds: [subject] })
        yield* change(`/skill-groups/${group}`, { name: "Група" })
        const login = `u.${client}`
        const user = yield* makeId("/users", { login, firstName: "О", lastName: "К", roles: ["operator"] })
        yield* change(`/users/${user}`, { firstName: "Оля" })
        yield* post(`/users/${user}/invitation`)
        yield* post(`/users/${user}/password`, { password: `${SECRET}-1` })
        yield* put(`/users/${user}/presence`, { presence: "online" })
        yield* post(`/users/${user}/block`)
        yield* post(`/users/${user}/unblock`)
        const tier = { name: "tier", label: "Т", type: "string" }
        const property = yield* makeId("/properties", { entity: "client", ...tier })
        yield* patch(`/properties/${property}`, { label: "Рівень" })
        yield* put(`/clients/${client}/properties`, { values: { tier: SECRET } })
        for (const [entity, path] of [
          ["subject", `/subjects/${subject}`],
          ["operator", `/users/${user}`],
          ["skill_group", `/skill-groups/${group}`]
        ] as const) {
          yield* makeId("/properties", { entity, ...tier })
          yield* put(`${path}/properties`, { values: { tier: SECRET } })
        }
        const connectors = [{ channel: "web", kind: "webhook", url: "https://chat.example.com/in" }]
        const bot = yield* makeId("/bots", { name: "Помічник", connectors })
        yield* patch(`/bots/${bot}`, { name: "Бот" })
        const node = yield* makeId(`/bots/${bot}/nodes`, { name: "Н", connectorAlias: "start" })
        yield* patch(`/bots/${bot}/nodes/${node}`, { name: "Вузол" })
        yield* change(`/clients/${client}`, { identities: [{ channel: "web", chatId: "77" }] })
        const said = { message: SECRET }
        yield* post(`/kw/api/call_node/${bot}/${node}/web/77`, { data: said })
        yield* post("/kw/api/call_node/", {
          bot_id: bot,
          connector_alias: "start",
          channel: "web",
          chat_id: "77",
          data: said
        })
        const templates = "/broadcasts/templates"
        const template = yield* makeId(templates, { name: "Знижка", text: SECRET })
        yield* change(`${templates}/${template}`, { text: `${SECRET}!` })
        const idleTemplate = yield* makeId(templates, { name: "Зайвий" })
        yield* remove(`${templates}/${idleTemplate}`)
        const broadcast = yield* makeId("/broadcasts", {
          name: "Планові роботи",
          botId: bot,
          channel: "web",
          templateId: template,
          audience: { clientIds: [client] },
          variables: { word: SECRET },
          ratePerMinute: 1
        })
        yield* change(`/broadcasts/${broadcast}`, { variables: { word: `${SECRET}!` } })
        for (const step of ["start", "pause", "resume", "cancel"])
          yield* post(`/broadcasts/${broadcast}/${step}`)
        const chat = yield* makeId("/OpChatRooms", { clientId: client, channel: "web" })
        yield* change(`/OpChatRooms/${chat}`, { comment: SECRET })
        yield* changeMany("/OpChatRooms", chat, { comment: `${SECRET}!` })
        yield* messages(`/OpChatRooms/${chat}/messages`)
        const ticket = yield* makeId("/Ticket", { clientId: client, title: SECRET })
        yield* change(`/Ticket/${ticket}`, { description: SECRET })
        yield* changeMany("/Ticket", ticket, { description: `${SECRET}!` })
        yield* messages(`/Ticket/${ticket}/messages`)
        const { statuses, version: present } = yield* who.read("/ticket-statuses")
        const added = [...statuses, { name: "later", position: 99, group: "done" }]
        yield* put("/ticket-statuses", { statuses: added, expectedVersion: present })
        const token = yield* makeId("/auth/external-tokens", { name: "CRM", permissions: ["context.read"] })
        yield* remove(`/auth/external-tokens/${token}`)

        const weekly = [{ day: 1, from: "09:00", to: "18:00" }]
        const calendar = yield* makeId("/statistics/calendars", { name: "Будні", weekly })
        yield* change(`/statistics/calendars/${calendar}`, { name: "Робочі дні" })
        const target = { tfrSec: 60, ttcSec: null, calendarId: calendar }
        yield* put(`/statistics/sla/targets/${subject}`, target)

        const criterion = yield* makeId("/quality/criteria", { name: "Вітання" })
        yield* change(`/quality/criteria/${criterion}`, { description: SECRET })
        const unused = yield* makeId("/quality/criteria", { name: "Зайвий" })
        yield* remove(`/quality/criteria/${unused}`)
        const checklistOf = { name: "Розмова", criterionIds: [criterion] }
        const checklist = yield* makeId("/quality/checklists", checklistOf)
        yield* change(`/quality/checklists/${checklist}`, { name: "Дзвінок" })
        const idle = yield* makeId("/quality/checklists", checklistOf)
        yield* remove(`/quality/checklists/${idle}`)
        const assessed = yield* makeId("/OpChatRooms", { clientId: client, channel: "web" })
        yield* change(`/OpChatRooms/${assessed}`, { status: "closed" })
        const assessment = yield* makeId("/quality/assessments", {
          appealId: assessed,
          checklistId: checklist,
          automatic: [{ criterionId: criterion, result: "met" }]
        })
        const ofAssessment = `/quality/assessments/${assessment}`
        yield* patch(`${ofAssessment}/criteria/${criterion}`, {
          result: "violated",
          comment: SECRET,
          expectedVersion: yield* version(ofAssessment)
        })
        for (const step of ["approve", "dispute", "resolve", "reopen", "void"]) {
          yield* post(`${ofAssessment}/${step}`, { comment: SECRET })
        }

        const fields = [
          { name: "number", type: "STRING", unique: true },
          { name: "note", type: "TEXT" }
        ]
        yield* post("/custom-data/models", { name: "warranties", label: SECRET, fields })
        yield* change("/custom-data/models/warranties", { label: `${SECRET}!` })
        const records = "/custom-data/warranties/records"
        const record = yield* makeId(records, { values: { number: "1", note: SECRET } })
        yield* change(`${records}/${record}`, { values: { note: `${SECRET}!` } })
        yield* post(`${records}/upsert`, {
          keyField: "number",
          records: [{ values: { number: "1", note: SECRET } }]
        })
        yield* remove(`${records}/${record}`)
        yield* remove("/custom-data/models/warranties")

        // Entries of context writes name the client and the receipt.
        const context = `/kw/clients/${client}/context`
        const ofClient = ({ entries, body, path }: Effect.Success<ReturnType<typeof write>>) => {
          for (const { details, entity, entityId } of entries) {
            assert.deepStrictEqual([entity, entityId], ["client", String(client)], path)
            assert.isString(details["receiptId"], path)
            if ("receipt" in body) assert.strictEqual(details["receiptId"], body.receipt.id, path)
          }
          return entries.map(({ action }) => action).toSorted()
        }
        const occurred = { type: "x", occurredAt: at, actorType: "client" }
        const action = { ...occurred, summary: SECRET, payload: { s: SECRET } }
        const stateUpdate = { namespace: "web", expectedVersion: 0, state: { s: SECRET } }
        assert.deepStrictEqual(ofClient(yield* post(`${context}/actions`, { ...action, stateUpdate })), [
          "client.action.register",
          "client.state.put"
        ])
        const state = { expectedVersion: 0, state: { s: SECRET } }
        assert.deepStrictEqual(ofClient(yield* put(`${context}/state/crm`, state)), ["client.state.put"])
        const opened = yield* post("/kw/context/sessions", {
          clientId: client,
          externalSessionId: "s",
          metadata: { s: SECRET }
        })
        assert.deepStrictEqual(ofClient(opened), ["context.session.create"])
        const session = `/kw/context/sessions/${opened.body.session.id}`
        const workingContext = { goals: [SECRET] }
        for (const one of [
          yield* post(`${session}/messages`, { role: "client", content: SECRET }),
          yield* put(`${session}/working-context`, { expectedVersion: 0, workingContext }),
          yield* post(`${session}/close`, { reason: SECRET })
        ])
          assert.lengthOf(ofClient(one), 1)
        const data = { namespace: "imported", state: { s: SECRET } }
        const item = { kind: "state", externalId: "st", clientId: client, data }
        const imported = yield* post("/kw/context/import-batches", { source: "x", items: [item] })
        assert.deepStrictEqual(
          imported.entries.map(({ action, details }) => [action, details["batchId"] ?? null]).toSorted(),
          [
            ["client.state.put", imported.body.batch.id],
            ["context.import", null]
          ]
        )
        const survivor = yield* makeId("/clients", { name: "Оля" })
        yield* post(`/clients/${client}/merge`, { intoId: survivor })
        yield* post(`/clients/${survivor}/erase`)

        const missing: Array<string> = []
        HttpApi.reflect(Api, {
          onGroup: () => undefined,
          onEndpoint: ({ endpoint }) => {
            const { identifier, method } = endpoint
            if (method !== "GET" && !others.has(identifier) && !done.has(identifier)) missing.push(identifier)
          }
        })
        assert.deepStrictEqual(missing, [])
      }),
    600_000
  )
})
