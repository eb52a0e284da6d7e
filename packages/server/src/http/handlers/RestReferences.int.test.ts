// Every member of a body that names a record × {hidden, foreign, unknown}: refused with its path in the same words, and nothing
// of the record shows (contract §1.1, NOT_FOUND).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { expectFaults, Rest, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"
import { UNKNOWN } from "../../testing/RestMatrix.ts"

const CANARY = "канарка"
type Kind = "client" | "subject" | "group" | "user" | "chat" | "bot" | "template"
type Records = Readonly<Record<Kind, number>>

interface Reference {
  readonly of: Kind
  readonly method: string
  /** `:chat` and the like are replaced by the id of the own record. */
  readonly path: string
  readonly body: (own: Records, id: number) => object
  /** As in errors[].path. */
  readonly at: string
}
const reference = (
  of: Kind,
  at: string,
  method: string,
  path: string,
  body: Reference["body"]
): Reference => ({ of, at, method, path, body })
const pathOf = (path: string, own: Records) =>
  path.replace(/:(\w+)/u, (_, kind: string) =>
    String(Object.entries(own).find(([name]) => name === kind)?.[1])
  )

const expectedVersion = 1
const at = "2026-01-01T00:00:00Z"
const actions = "/kw/clients/:client/context/actions"
const action = { type: "x", occurredAt: at, actorType: "client" }
const chat = (own: Records) => ({ clientId: own.client, channel: "web" })
const ticket = (own: Records) => ({ clientId: own.client, title: "x" })
const user = { firstName: "x", lastName: "x", roles: ["operator"] }
const references: ReadonlyArray<Reference> = [
  reference("client", "clientId", "POST", "/OpChatRooms", (_, id) => ({ clientId: id, channel: "web" })),
  reference("subject", "subjectId", "POST", "/OpChatRooms", (own, id) => ({ ...chat(own), subjectId: id })),
  reference("user", "operatorId", "POST", "/OpChatRooms", (own, id) => ({ ...chat(own), operatorId: id })),
  reference("bot", "botId", "POST", "/OpChatRooms", (own, id) => ({ ...chat(own), botId: id })),
  reference("bot", "messages[0].authorId", "POST", "/OpChatRooms", (own, id) => ({
    ...chat(own),
    messages: [{ authorType: "bot", authorId: id, text: "x", occurredAt: at }]
  })),
  reference("bot", "botId", "POST", "/broadcasts", (_, id) => ({ name: "x", botId: id })),
  reference("template", "templateId", "POST", "/broadcasts", (_, id) => ({ name: "x", templateId: id })),
  reference("client", "clientId", "POST", "/Ticket", (_, id) => ({ clientId: id, title: "x" })),
  reference("subject", "subjectId", "POST", "/Ticket", (own, id) => ({ ...ticket(own), subjectId: id })),
  reference("user", "authorId", "POST", "/Ticket", (own, id) => ({
    ...ticket(own),
    authorType: "operator",
    authorId: id
  })),
  reference("chat", "chatIds[0]", "POST", "/Ticket", (own, id) => ({ ...ticket(own), chatIds: [id] })),
  reference("subject", "subjectId", "PATCH", "/OpChatRooms/:chat", (_, id) => ({
    expectedVersion,
    subjectId: id
  })),
  reference("client", "intoId", "POST", "/clients/:client/merge", (_, id) => ({ intoId: id })),
  reference("subject", "parentId", "POST", "/subjects", (_, id) => ({
    name: "x",
    alias: "x1",
    parentId: id
  })),
  reference("subject", "subjectIds[0]", "POST", "/skill-groups", (_, id) => ({
    name: "x",
    subjectIds: [id]
  })),
  reference("user", "memberIds[0]", "POST", "/skill-groups", (_, id) => ({ name: "x", memberIds: [id] })),
  reference("subject", "subjectIds[0]", "PATCH", "/skill-groups/:group", (_, id) => ({
    expectedVersion,
    subjectIds: [id]
  })),
  reference("group", "skillGroupIds[0]", "POST", "/users", (_, id) => ({
    ...user,
    login: randomUUID(),
    skillGroupIds: [id]
  })),
  reference("user", "reassignTo", "POST", "/users/:user/block", (_, id) => ({ reassignTo: id })),
  reference("subject", "subjectId", "POST", actions, (_, id) => ({ ...action, subjectId: id })),
  reference("chat", "appealId", "POST", actions, (_, id) => ({ ...action, appealId: id })),
  reference("client", "clientId", "POST", "/kw/context/sessions", (_, id) => ({ clientId: id })),
  reference("chat", "appealId", "POST", "/kw/context/sessions", (own, id) => ({
    clientId: own.client,
    appealId: id
  }))
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
    template: yield* make("/broadcasts/templates", { name: CANARY })
  }
  return records
})

layer(RestFixtures)("a record named in a body", (it) => {
  it.effect("an id in a body is refused with the same text if it is hidden, foreign or unknown", () =>
    Effect.gen(function* () {
      const rest = yield* Rest
      const instances = [yield* rest.instance, yield* rest.instance] as const
      const admin = yield* rest.user(instances[0], ["administrator"])
      const foreigner = yield* rest.user(instances[1], ["administrator"])
      const operator = yield* rest.user(instances[0], ["operator"])
      const own = yield* makeRecords(admin, operator)
      const hidden = yield* makeRecords(admin, yield* rest.user(instances[0], ["operator"]))
      const foreign = yield* makeRecords(foreigner, yield* rest.user(instances[1], ["operator"]))

      for (const { at, body, method, of, path } of references) {
        // An operator does not see the appeals of other groups, nor their clients.
        const isHidden = of === "chat" || of === "client"
        for (const [who, ids] of [
          [admin, [foreign[of], UNKNOWN]],
          ...(isHidden ? [[operator, [hidden[of], foreign[of], UNKNOWN]] as const] : [])
        ] as ReadonlyArray<readonly [RestCaller, ReadonlyArray<number>]>) {
          const details = new Set<string>()
          for (const id of ids) {
            const key = { "idempotency-key": randomUUID() }
            const answer = yield* who.call(method, pathOf(path, own), body(own, id), key)
            expectFaults(answer, [at], `${method} ${path}`)
            assert.notInclude(answer.text, CANARY, path)
            details.add(`${answer.body.detail} ${JSON.stringify(answer.body.errors)}`)
          }
          assert.strictEqual(details.size, 1, `${method} ${path} ${at}: ${[...details].join(" | ")}`)
        }
      }
    })
  )
})
