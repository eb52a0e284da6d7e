// Every member of a body that names a record × {hidden, foreign, unknown}: refused with its path in the same words, and nothing
// of the record shows (contract §1.1, NOT_FOUND).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { expectFaults, newInstance, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"
import { UNKNOWN } from "../../testing/RestMatrix.ts"

const CANARY = "канарка"
type Kind = "client" | "subject" | "group" | "user" | "chat" | "bot" | "template" | "criterion" | "calendar"
type Records = Readonly<Record<Kind, number>>

/** `at` is as in errors[].path; `:chat` and the like in a route are replaced by the id of the own record. */
type Reference = readonly [of: Kind, at: string, route: string, body: (own: Records, id: number) => object]

const expectedVersion = 1
const at = "2026-01-01T00:00:00Z"
const actions = "POST /kw/clients/:client/context/actions"
const action = { type: "x", occurredAt: at, actorType: "client" }
const chat = (own: Records) => ({ clientId: own.client, channel: "web" })
const ticket = (own: Records) => ({ clientId: own.client, title: "x" })
const message = { authorType: "bot", text: "x", occurredAt: at }
const user = () => ({ firstName: "x", lastName: "x", roles: ["operator"], login: randomUUID() })
const name = "x"
const references: ReadonlyArray<Reference> = [
  ["client", "clientId", "POST /OpChatRooms", (_, id) => ({ clientId: id, channel: "web" })],
  ["subject", "subjectId", "POST /OpChatRooms", (own, id) => ({ ...chat(own), subjectId: id })],
  ["user", "operatorId", "POST /OpChatRooms", (own, id) => ({ ...chat(own), operatorId: id })],
  ["bot", "botId", "POST /OpChatRooms", (own, id) => ({ ...chat(own), botId: id })],
  [
    "bot",
    "messages[0].authorId",
    "POST /OpChatRooms",
    (own, id) => ({ ...chat(own), messages: [{ ...message, authorId: id }] })
  ],
  ["bot", "botId", "POST /broadcasts", (_, id) => ({ name, botId: id })],
  ["template", "templateId", "POST /broadcasts", (_, id) => ({ name, templateId: id })],
  [
    "client",
    "audience.clientIds[1]",
    "POST /broadcasts",
    (own, id) => ({ name, audience: { clientIds: [own.client, id] } })
  ],
  ["client", "clientId", "POST /Ticket", (_, id) => ({ clientId: id, title: "x" })],
  ["subject", "subjectId", "POST /Ticket", (own, id) => ({ ...ticket(own), subjectId: id })],
  [
    "user",
    "authorId",
    "POST /Ticket",
    (own, id) => ({ ...ticket(own), authorType: "operator", authorId: id })
  ],
  ["chat", "chatIds[0]", "POST /Ticket", (own, id) => ({ ...ticket(own), chatIds: [id] })],
  ["subject", "subjectId", "PATCH /OpChatRooms/:chat", (_, id) => ({ expectedVersion, subjectId: id })],
  ["client", "intoId", "POST /clients/:client/merge", (_, id) => ({ intoId: id })],
  ["subject", "parentId", "POST /subjects", (_, id) => ({ name, alias: "x1", parentId: id })],
  ["subject", "subjectIds[0]", "POST /skill-groups", (_, id) => ({ name, subjectIds: [id] })],
  ["user", "memberIds[0]", "POST /skill-groups", (_, id) => ({ name, memberIds: [id] })],
  [
    "subject",
    "subjectIds[0]",
    "PATCH /skill-groups/:group",
    (_, id) => ({ expectedVersion, subjectIds: [id] })
  ],
  ["group", "skillGroupIds[0]", "POST /users", (_, id) => ({ ...user(), skillGroupIds: [id] })],
  ["user", "reassignTo", "POST /users/:user/block", (_, id) => ({ reassignTo: id })],
  ["criterion", "criterionIds[0]", "POST /quality/checklists", (_, id) => ({ name, criterionIds: [id] })],
  ["calendar", "calendarId", "PUT /statistics/sla/targets/:subject", (_, id) => ({ calendarId: id })],
  ["subject", "subjectId", actions, (_, id) => ({ ...action, subjectId: id })],
  ["chat", "appealId", actions, (_, id) => ({ ...action, appealId: id })],
  ["client", "clientId", "POST /kw/context/sessions", (_, id) => ({ clientId: id })],
  ["chat", "appealId", "POST /kw/context/sessions", (own, id) => ({ clientId: own.client, appealId: id })]
]

const makeRecords = Effect.fnUntraced(function* (admin: RestCaller, member: RestCaller) {
  const { makeId: make } = admin
  const subject = yield* make("/subjects", { name: CANARY, alias: `s${randomUUID()}` })
  const group = yield* make("/skill-groups", { name: CANARY, subjectIds: [subject], memberIds: [member.id] })
  const client = yield* make("/clients", { name: CANARY })
  const of = { clientId: client, subjectId: subject, channel: "web", comment: CANARY }
  const records: Records = {
    subject,
    group,
    client,
    user: member.id,
    chat: yield* make("/OpChatRooms", of),
    bot: yield* make("/bots", { name: CANARY }),
    template: yield* make("/broadcasts/templates", { name: CANARY }),
    criterion: yield* make("/quality/criteria", { name: CANARY }),
    calendar: yield* make("/statistics/calendars", { name: CANARY })
  }
  return records
})

layer(RestFixtures)("a record named in a body", (it) => {
  it.effect("an id in a body is refused with the same text if it is hidden, foreign or unknown", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const { admin: foreigner } = yield* newInstance
      const operator = yield* rest.user(instance, ["operator"])
      const own = yield* makeRecords(admin, operator)
      const hidden = yield* makeRecords(admin, yield* rest.user(instance, ["operator"]))
      const foreign = yield* makeRecords(foreigner, yield* rest.user(foreigner.instanceId, ["operator"]))

      const ownId = (_: string, kind: string) => String(new Map(Object.entries(own)).get(kind))
      for (const [of, at, route, body] of references) {
        const [method = "", path = ""] = route.replace(/:(\w+)/u, ownId).split(" ")
        // An operator does not see the appeals of other groups, nor their clients, and writes no broadcast.
        const isHidden = (of === "chat" || of === "client") && path !== "/broadcasts"
        for (const [who, ids] of [
          [admin, [foreign[of], UNKNOWN]],
          ...(isHidden ? [[operator, [hidden[of], foreign[of], UNKNOWN]] as const] : [])
        ] as ReadonlyArray<readonly [RestCaller, ReadonlyArray<number>]>) {
          const details = new Set<string>()
          for (const id of ids) {
            const answer = yield* who.call(method, path, body(own, id))
            expectFaults(answer, [at], route)
            assert.notInclude(answer.text, CANARY, route)
            details.add(`${answer.body.detail} ${JSON.stringify(answer.body.errors)}`)
          }
          assert.strictEqual(details.size, 1, `${route} ${at}: ${[...details].join(" | ")}`)
        }
      }
    })
  )
})
