// Every route that changes something leaves its entry in the audit log, without payloads (contract §9, "Audit log").
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
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

type Call = readonly [operation: string, method: string, path: string, body: object]

layer(RestFixtures)("the audit log", (it) => {
  it.effect(
    "the audit log has an entry of each route that writes, with actor and action, and no payload",
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
        const write = Effect.fnUntraced(function* ([operation, method, path, body]: Call) {
          const requestId = randomUUID()
          const answer = yield* who.call(method, path, method === "DELETE" ? undefined : body, {
            "idempotency-key": randomUUID(),
            "x-request-id": requestId
          })
          assert.isBelow(answer.status, 300, `${operation} ${answer.text}`)
          const entries = yield* entriesOf(requestId)
          assert.isNotEmpty(entries, operation)
          for (const entry of entries) {
            assert.strictEqual(entry.actorId, who.id)
            assert.notInclude(JSON.stringify(entry), SECRET, operation)
          }
          done.add(operation)
          return { entries, body: answer.body, operation }
        })
        const version = Effect.fnUntraced(function* (path: string) {
          return (yield* who.read(path)).version as number
        })
        const change = Effect.fnUntraced(function* (operation: string, path: string, body: object) {
          return yield* write([operation, "PATCH", path, { ...body, expectedVersion: yield* version(path) }])
        })
        const changeMany = Effect.fnUntraced(function* (
          operation: string,
          path: string,
          id: number,
          members: object
        ) {
          const expectedVersion = yield* version(`${path}/${id}`)
          return yield* write([operation, "PATCH", path, { changes: [{ id, expectedVersion, ...members }] }])
        })
        // The entry has only the text before the change.
        const messages = Effect.fnUntraced(function* (kind: "Chat" | "Ticket", path: string) {
          yield* write([`create${kind}Message`, "POST", path, { text: SECRET }])
          const { message } = (yield* who.post(path, { text: "раніше" })).body
          const one = `${path}/${message.id}`
          const edited = yield* write([
            `update${kind}Message`,
            "PATCH",
            one,
            { text: SECRET, expectedVersion: 1 }
          ])
          assert.deepStrictEqual(edited.entries[0]?.details, { messageId: message.id, textBefore: "раніше" })
          yield* who.patch(one, { text: "потім", expectedVersion: 2 })
          yield* write([`delete${kind}Message`, "DELETE", one, {}])
        })
        const made = Effect.fnUntraced(function* (operation: string, path: string, body: object) {
          const { body: answer } = yield* write([operation, "POST", path, body])
          return (answer.chat ?? answer.ticket ?? answer.session ?? answer.batch ?? answer).id
        })

        yield* write(["uploadFile", "POST", `/files?name=${encodeURIComponent(SECRET)}`, { SECRET }])
        const client = yield* made("createClient", "/clients", { name: "Олена" })
        yield* change("updateClient", `/clients/${client}`, { phone: SECRET })
        const subject = yield* made("createSubject", "/subjects", { name: "Р", alias: "billing" })
        yield* change("updateSubject", `/subjects/${subject}`, { name: "Рахунки" })
        const group = yield* made("createSkillGroup", "/skill-groups", { name: "Г", subjectIds: [subject] })
        yield* change("updateSkillGroup", `/skill-groups/${group}`, { name: "Група" })
        const user = yield* made("createUser", "/users", {
          login: `u.${client}`,
          firstName: "О",
          lastName: "К",
          roles: ["operator"]
        })
        yield* change("updateUser", `/users/${user}`, { firstName: "Оля" })
        yield* write(["inviteUser", "POST", `/users/${user}/invitation`, {}])
        yield* write(["setUserPassword", "POST", `/users/${user}/password`, { password: `${SECRET}-1` }])
        yield* write(["setUserPresence", "PUT", `/users/${user}/presence`, { presence: "online" }])
        yield* write(["blockUser", "POST", `/users/${user}/block`, {}])
        yield* write(["unblockUser", "POST", `/users/${user}/unblock`, {}])
        const property = yield* made("createProperty", "/properties", {
          entity: "client",
          name: "tier",
          label: "Т",
          type: "string"
        })
        yield* write(["updateProperty", "PATCH", `/properties/${property}`, { label: "Рівень" }])
        yield* write([
          "setClientProperties",
          "PUT",
          `/clients/${client}/properties`,
          { values: { tier: SECRET } }
        ])
        for (const [entity, operation, path] of [
          ["subject", "setSubjectProperties", `/subjects/${subject}`],
          ["operator", "setUserProperties", `/users/${user}`],
          ["skill_group", "setSkillGroupProperties", `/skill-groups/${group}`]
        ] as const) {
          yield* made("createProperty", "/properties", { entity, name: "tier", label: "Т", type: "string" })
          yield* write([operation, "PUT", `${path}/properties`, { values: { tier: SECRET } }])
        }
        const connectors = [{ channel: "web", kind: "webhook", url: "https://chat.example.com/in" }]
        const bot = yield* made("createBot", "/bots", { name: "Помічник", connectors })
        yield* write(["updateBot", "PATCH", `/bots/${bot}`, { name: "Бот" }])
        const node = yield* made("createBotNode", `/bots/${bot}/nodes`, {
          name: "Н",
          connectorAlias: "start"
        })
        yield* write(["updateBotNode", "PATCH", `/bots/${bot}/nodes/${node}`, { name: "Вузол" }])
        yield* change("updateClient", `/clients/${client}`, {
          identities: [{ channel: "web", chatId: "77" }]
        })
        const said = { message: SECRET }
        yield* write(["callNode", "POST", `/kw/api/call_node/${bot}/${node}/web/77`, { data: said }])
        yield* write([
          "callNodeByAlias",
          "POST",
          "/kw/api/call_node/",
          { bot_id: bot, connector_alias: "start", channel: "web", chat_id: "77", data: said }
        ])
        const templates = "/broadcasts/templates"
        const template = yield* made("createMessageTemplate", templates, { name: "Знижка", text: SECRET })
        yield* change("updateMessageTemplate", `${templates}/${template}`, { text: `${SECRET}!` })
        const idleTemplate = yield* made("createMessageTemplate", templates, { name: "Зайвий" })
        yield* write(["deleteMessageTemplate", "DELETE", `${templates}/${idleTemplate}`, {}])
        const broadcast = yield* made("createBroadcast", "/broadcasts", {
          name: "Планові роботи",
          botId: bot,
          channel: "web",
          templateId: template,
          audience: { clientIds: [client] },
          variables: { secret: SECRET },
          ratePerMinute: 1
        })
        yield* change("updateBroadcast", `/broadcasts/${broadcast}`, { variables: { secret: `${SECRET}!` } })
        for (const step of ["start", "pause", "resume", "cancel"])
          yield* write([`${step}Broadcast`, "POST", `/broadcasts/${broadcast}/${step}`, {}])
        const chat = yield* made("createChat", "/OpChatRooms", { clientId: client, channel: "web" })
        yield* change("updateChat", `/OpChatRooms/${chat}`, { comment: SECRET })
        yield* changeMany("updateChats", "/OpChatRooms", chat, { comment: `${SECRET}!` })
        yield* messages("Chat", `/OpChatRooms/${chat}/messages`)
        const ticket = yield* made("createTicket", "/Ticket", { clientId: client, title: SECRET })
        yield* change("updateTicket", `/Ticket/${ticket}`, { description: SECRET })
        yield* changeMany("updateTickets", "/Ticket", ticket, { description: `${SECRET}!` })
        yield* messages("Ticket", `/Ticket/${ticket}/messages`)
        const { statuses, version: present } = yield* who.read("/ticket-statuses")
        const added = [...statuses, { name: "later", position: 99, group: "done" }]
        yield* write([
          "setTicketStatuses",
          "PUT",
          "/ticket-statuses",
          { statuses: added, expectedVersion: present }
        ])
        const token = yield* made("createExternalToken", "/auth/external-tokens", {
          name: "CRM",
          permissions: ["context.read"]
        })
        yield* write(["deleteExternalToken", "DELETE", `/auth/external-tokens/${token}`, {}])

        const weekly = [{ day: 1, from: "09:00", to: "18:00" }]
        const calendar = yield* made("createCalendar", "/statistics/calendars", {
          name: "Будні",
          timezone: "Europe/Kyiv",
          weekly,
          holidays: []
        })
        const { body: calendars } = yield* who.get("/statistics/calendars")
        const [{ version: calendarVersion }] = calendars.data ?? calendars
        yield* write([
          "updateCalendar",
          "PATCH",
          `/statistics/calendars/${calendar}`,
          { name: "Робочі дні", expectedVersion: calendarVersion }
        ])
        const target = { tfrSec: 60, ttcSec: null, calendarId: calendar }
        yield* write(["setSlaTarget", "PUT", `/statistics/sla/targets/${subject}`, target])

        const criterion = yield* made("createCriterion", "/quality/criteria", { name: "Вітання" })
        yield* change("updateCriterion", `/quality/criteria/${criterion}`, { description: SECRET })
        const unused = yield* made("createCriterion", "/quality/criteria", { name: "Зайвий" })
        yield* write(["deleteCriterion", "DELETE", `/quality/criteria/${unused}`, {}])
        const checklistOf = { name: "Розмова", criterionIds: [criterion] }
        const checklist = yield* made("createChecklist", "/quality/checklists", checklistOf)
        yield* change("updateChecklist", `/quality/checklists/${checklist}`, { name: "Дзвінок" })
        const idle = yield* made("createChecklist", "/quality/checklists", checklistOf)
        yield* write(["deleteChecklist", "DELETE", `/quality/checklists/${idle}`, {}])
        const assessed = yield* made("createChat", "/OpChatRooms", { clientId: client, channel: "web" })
        yield* change("updateChat", `/OpChatRooms/${assessed}`, { status: "closed" })
        const assessment = yield* made("createAssessment", "/quality/assessments", {
          appealId: assessed,
          checklistId: checklist,
          automatic: [{ criterionId: criterion, result: "met" }]
        })
        const ofAssessment = `/quality/assessments/${assessment}`
        yield* write([
          "setAssessmentResult",
          "PATCH",
          `${ofAssessment}/criteria/${criterion}`,
          { result: "violated", comment: SECRET, expectedVersion: yield* version(ofAssessment) }
        ])
        for (const step of ["approve", "dispute", "resolve", "reopen", "void"]) {
          yield* write([`${step}Assessment`, "POST", `${ofAssessment}/${step}`, { comment: SECRET }])
        }

        const fields = [
          { name: "number", type: "STRING", unique: true },
          { name: "note", type: "TEXT" }
        ]
        yield* write([
          "createCustomModel",
          "POST",
          "/custom-data/models",
          { name: "warranties", label: SECRET, fields }
        ])
        yield* change("updateCustomModel", "/custom-data/models/warranties", { label: `${SECRET}!` })
        const records = "/custom-data/warranties/records"
        const record = yield* made("createCustomRecord", records, { values: { number: "1", note: SECRET } })
        yield* change("updateCustomRecord", `${records}/${record}`, { values: { note: `${SECRET}!` } })
        yield* write([
          "upsertCustomRecords",
          "POST",
          `${records}/upsert`,
          { keyField: "number", records: [{ values: { number: "1", note: SECRET } }] }
        ])
        yield* write(["deleteCustomRecord", "DELETE", `${records}/${record}`, {}])
        yield* write(["deleteCustomModel", "DELETE", "/custom-data/models/warranties", {}])

        // Entries of context writes name the client and the receipt.
        const context = `/kw/clients/${client}/context`
        const ofClient = ({ entries, body, operation }: Effect.Success<ReturnType<typeof write>>) => {
          for (const { details, entity, entityId } of entries) {
            assert.deepStrictEqual([entity, entityId], ["client", String(client)], operation)
            assert.isString(details["receiptId"], operation)
            if ("receipt" in body) assert.strictEqual(details["receiptId"], body.receipt.id, operation)
          }
          return entries.map(({ action }) => action).toSorted()
        }
        const action = {
          type: "x",
          occurredAt: at,
          actorType: "client",
          summary: SECRET,
          payload: { s: SECRET }
        }
        const stateUpdate = { namespace: "web", expectedVersion: 0, state: { s: SECRET } }
        assert.deepStrictEqual(
          ofClient(
            yield* write(["registerClientAction", "POST", `${context}/actions`, { ...action, stateUpdate }])
          ),
          ["client.action.register", "client.state.put"]
        )
        const state = { expectedVersion: 0, state: { s: SECRET } }
        assert.deepStrictEqual(
          ofClient(yield* write(["setClientState", "PUT", `${context}/state/crm`, state])),
          ["client.state.put"]
        )
        const opened = yield* write([
          "createSession",
          "POST",
          "/kw/context/sessions",
          { clientId: client, externalSessionId: "s", metadata: { s: SECRET } }
        ])
        assert.deepStrictEqual(ofClient(opened), ["context.session.create"])
        const session = `/kw/context/sessions/${opened.body.session.id}`
        for (const call of [
          ["addSessionMessage", "POST", `${session}/messages`, { role: "client", content: SECRET }],
          [
            "setWorkingContext",
            "PUT",
            `${session}/working-context`,
            { expectedVersion: 0, workingContext: { goals: [SECRET] } }
          ],
          ["closeSession", "POST", `${session}/close`, { reason: SECRET }]
        ] as const)
          assert.lengthOf(ofClient(yield* write(call)), 1)
        const data = { namespace: "imported", state: { s: SECRET } }
        const item = { kind: "state", externalId: "st", clientId: client, data }
        const imported = yield* write([
          "createImportBatch",
          "POST",
          "/kw/context/import-batches",
          { source: "x", items: [item] }
        ])
        assert.deepStrictEqual(
          imported.entries.map(({ action, details }) => [action, details["batchId"] ?? null]).toSorted(),
          [
            ["client.state.put", imported.body.batch.id],
            ["context.import", null]
          ]
        )
        const survivor = yield* made("createClient", "/clients", { name: "Оля" })
        yield* write(["mergeClient", "POST", `/clients/${client}/merge`, { intoId: survivor }])
        yield* write(["eraseClient", "POST", `/clients/${survivor}/erase`, {}])

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
    120_000
  )

  it.effect("the audit log has no entry of a write that was refused or replayed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin: who } = yield* newInstance
      const send = (method: string, path: string, body: object, key: string = randomUUID()) =>
        who.call(method, path, body, { "idempotency-key": key })
      const client = (yield* send("POST", "/clients", { name: "Олена" })).body.id
      const path = `/kw/clients/${client}/context/state/crm`
      const state = { expectedVersion: 0, state: { a: 1 } }
      const counted = Effect.map(
        sql`select 1 from audit_log where entity = 'client' and entity_id = ${String(client)} and action = 'client.state.put'`,
        (rows) => rows.length
      )
      yield* send("PUT", path, state, "k")
      assert.strictEqual(yield* counted, 1)
      yield* send("PUT", path, state, "k")
      yield* send("PUT", path, state)
      assert.strictEqual(yield* counted, 1)
    })
  )
})
