// Every route × every role × {own, hidden, closed, foreign, unknown}: contract §1.1 (403, 404), §2 (permissions,
// visibility). A route without a row fails the test; no answer, of whatever status, holds a word of a record that the role
// does not see.
import { assert, layer } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { type Role, roles } from "@rapport/contract/Authorization.ts"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { randomUUID } from "node:crypto"
import { expectStatus, Rest, RestFixtures, type Answer, type RestCaller } from "../../testing/RestFixtures.ts"
import {
  type Case,
  cases,
  holds,
  type Kind,
  kinds,
  type Row,
  rows,
  sees,
  UNKNOWN,
  withoutRows
} from "../../testing/RestMatrix.ts"

/** Stands in every text of a record, and nowhere else. */
const canary = (kind: Kind, which: Case): string => `канарка ${kind} ${which}`
const UNKNOWN_UUID = "01990000-0000-7000-8000-000000000000"
const isUuid = (kind: Kind | null): boolean => kind === "session" || kind === "batch" || kind === "call"
/** How a path names no record of the kind; a record of custom data is named with its model. */
const unknownOf = (kind: Kind | null): number | string => {
  if (kind === "model") return "unknown"
  if (kind === "record") return "unknown/records/1"
  if (kind === "node") return `${UNKNOWN}/nodes/1`
  return isUuid(kind) ? UNKNOWN_UUID : UNKNOWN
}
const mayUse = ({ also, needs }: Row, role: Role): boolean =>
  needs.length === 0 || also === role || needs.some((permission) => holds(role, permission))
const codes: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  403: "ACCESS_DENIED",
  404: "NOT_FOUND",
  409: "VERSION_CONFLICT"
}
/** Records by their kind; a token of the caller's own only where they may have one. */
type World = ReadonlyMap<Kind, number | string>

const webhook = { channel: "web", kind: "webhook", url: "https://chat.example.com/" }

/** Makes records as an administrator. */
const makerOf = (admin: RestCaller) => {
  let n = 0
  const make = (path: string, body: object, who = admin) => Effect.map(who.make(path, body), ({ id }) => id)
  const subject = (which: Case) =>
    make("/subjects", { name: canary("subject", which), alias: `s${randomUUID()}` })
  /** Of a closed chat of the subject, whose client is none of the others. */
  const makeAssessment = Effect.fnUntraced(function* (name: string, subjectId: number) {
    const clientId = yield* make("/clients", { name: "x" })
    const times = { createdAt: "2026-01-01T08:00:00Z", closedAt: "2026-01-02T08:00:00Z", status: "closed" }
    const appealId = yield* make("/OpChatRooms", { clientId, subjectId, channel: "web", ...times })
    const criterion = yield* make("/quality/criteria", { name })
    const checklistId = yield* make("/quality/checklists", { name: "x", criterionIds: [criterion] })
    return yield* make("/quality/assessments", { appealId, checklistId })
  })
  const world = Effect.fnUntraced(function* (
    which: Case,
    subjectId: number,
    memberIds: ReadonlyArray<number>,
    user: RestCaller,
    members: object,
    tokenOf: RestCaller,
    needed: ReadonlyArray<Kind>
  ) {
    const text = (kind: Kind) => canary(kind, which)
    const client = yield* make("/clients", { name: text("client") })
    const context = `/kw/clients/${client}/context`
    const at = "2026-01-01T08:00:00Z"
    const appeal = (kind: Kind) => ({
      clientId: client,
      subjectId,
      createdAt: at,
      messages: [{ authorType: "client", text: text(kind), occurredAt: at }],
      ...members
    })
    yield* admin.change(`/users/${user.id}`, { firstName: text("user") })
    // The group, the chat and the ticket decide about the visibility of the client and its other records.
    const group = yield* make("/skill-groups", { name: text("group"), subjectIds: [subjectId], memberIds })
    const chat = yield* make("/OpChatRooms", { ...appeal("chat"), channel: "web", comment: text("chat") })
    const ticket = yield* make("/Ticket", { ...appeal("ticket"), title: text("ticket") })

    const session = yield* Effect.cached(
      Effect.gen(function* () {
        const id = yield* make("/kw/context/sessions", { clientId: client, metadata: { v: text("client") } })
        const action = { type: "x", occurredAt: at, actorType: "client", summary: text("client") }
        yield* make(`${context}/actions`, action)
        const state = { expectedVersion: 0, state: { v: text("client") } }
        expectStatus(yield* admin.put(`${context}/state/crm`, state), 200)
        yield* make(`/kw/context/sessions/${id}/messages`, { role: "client", content: text("client") })
        return id
      })
    )
    const model = yield* Effect.cached(
      Effect.gen(function* () {
        const name = `m${randomUUID().replaceAll("-", "_")}`
        const fields = [{ name: "note", type: "STRING" }]
        yield* make("/custom-data/models", { name, label: text("model"), fields })
        return name
      })
    )
    const bot = yield* Effect.cached(make("/bots", { name: text("bot"), connectors: [webhook] }))
    const node = yield* Effect.cached(
      Effect.flatMap(bot, (id) => make(`/bots/${id}/nodes`, { name: text("node"), connectorAlias: "x" }))
    )
    const template = yield* Effect.cached(make("/broadcasts/templates", { name: text("template") }))
    const makers: Readonly<Record<Kind, Effect.Effect<number | string, never, Rest>>> = {
      client: Effect.as(session, client),
      session,
      user: Effect.succeed(user.id),
      subject: Effect.succeed(subjectId),
      group: Effect.succeed(group),
      chat: Effect.succeed(chat),
      ticket: Effect.succeed(ticket),
      model,
      record: Effect.gen(function* () {
        const name = yield* model
        const id = yield* make(`/custom-data/${name}/records`, { values: { note: text("record") } })
        return `${name}/records/${id}`
      }),
      bot,
      node: Effect.gen(function* () {
        return `${yield* bot}/nodes/${yield* node}`
      }),
      call: Effect.gen(function* () {
        const chatId = randomUUID()
        yield* make("/clients", { name: "x", identities: [{ channel: "web", chatId }] })
        const path = `/kw/api/call_node/${yield* bot}/${yield* node}/web/${chatId}`
        const called = yield* admin.post(path, { data: { message: text("call") } })
        assert.strictEqual(called.status, 200, called.text)
        return called.body.callId
      }),
      template,
      broadcast: Effect.flatMap(template, (templateId) =>
        make("/broadcasts", { name: text("broadcast"), templateId })
      ),
      property: Effect.suspend(() =>
        make("/properties", {
          entity: "client",
          name: `p${admin.id}x${++n}`,
          label: text("property"),
          type: "string"
        })
      ),
      batch: Effect.suspend(() => {
        const item = { kind: "state", externalId: text("client"), clientId: client }
        const items = [{ ...item, data: { namespace: "y", state: {} } }]
        return make("/kw/context/import-batches", { source: "x", items })
      }),
      criterion: make("/quality/criteria", { name: text("criterion") }),
      checklist: make("/quality/checklists", { name: text("checklist") }),
      assessment: makeAssessment(text("assessment"), subjectId),
      calendar: make("/statistics/calendars", { name: text("calendar") }),
      token: make("/auth/external-tokens", { name: text("token"), permissions: ["chats.read"] }, tokenOf)
    }
    const world: World = new Map(
      yield* Effect.forEach(needed, (kind) => Effect.map(makers[kind], (id) => [kind, id] as const))
    )
    return world
  })
  return { subject, world }
}

layer(RestFixtures)("the routes", (it) => {
  it.effect("every route has a row in the access table or a group with a reason", () =>
    Effect.sync(() => {
      const known: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => undefined,
        onEndpoint: ({ endpoint, group }) => {
          if (withoutRows[group.identifier] === undefined) known.push(endpoint.identifier)
        }
      })
      const inTable = new Set(Object.keys(rows).map((name) => name.split(" ")[0] ?? name))
      assert.deepStrictEqual(known.toSorted(), [...inTable].toSorted())
    })
  )

  it.effect(
    "every route answers each role by its permissions and visibility",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const instances = [yield* rest.instance, yield* rest.instance] as const
        const admin = yield* rest.user(instances[0], ["administrator"])
        const foreigner = yield* rest.user(instances[1], ["administrator"])
        const [mine, theirs] = [makerOf(admin), makerOf(foreigner)]
        /** Records of the kinds, in every case. */
        const records = Effect.fnUntraced(function* (
          caller: RestCaller,
          role: Role,
          needed: ReadonlyArray<Kind> = kinds
        ) {
          const operator = rest.user(instances[0], ["operator"])
          const [colleague, stranger, other] = [yield* operator, yield* operator, yield* operator]
          const alien = yield* rest.user(instances[1], ["operator"])
          const busy = { operatorId: stranger.id }
          const done = { ...busy, status: "closed", closedAt: "2026-01-02T08:00:00Z" }
          const owner = holds(role, "tokens.manage") ? caller : admin
          const members = [caller.id, colleague.id]
          const mineOf = Effect.fnUntraced(function* (
            which: Case,
            memberIds: ReadonlyArray<number>,
            user: RestCaller,
            members: object,
            tokenOf: RestCaller
          ) {
            const subjectId = yield* mine.subject(which)
            return yield* mine.world(which, subjectId, memberIds, user, members, tokenOf, needed)
          })
          const alienSubject = yield* theirs.subject("foreign")
          const world: Readonly<Record<Case, World | undefined>> = {
            own: yield* mineOf("own", members, colleague, {}, owner),
            hidden: yield* mineOf("hidden", [], stranger, busy, admin),
            closed: yield* mineOf("closed", [], other, done, admin),
            foreign: yield* theirs.world("foreign", alienSubject, [], alien, {}, foreigner, needed),
            unknown: undefined
          }
          return world
        })

        const words = new Map<number, Set<string>>()
        const check = (name: string, row: Row, role: Role, which: Case, answer: Answer) => {
          const { kind, passed } = row
          const what = `${role} ${name} ${which}: ${answer.status} ${answer.text}`
          const may = mayUse(row, role)
          const isSeen = kind === null || sees(role, row.seenBy ?? kind, kind, which)
          // Faults of the body of a create are reported before the permission is checked.
          const isShape = kind === null && passed === 400
          const isEnded = name === "createChatMessage" && which === "closed"
          const expected = !may && !isShape ? 403 : !isSeen ? (row.unseen ?? 404) : isEnded ? 409 : passed
          assert.strictEqual(answer.status, expected, what)
          if (expected >= 400) {
            const code =
              isEnded && may && isSeen
                ? "STATE_NOT_ALLOWED"
                : ((may && isSeen ? row.code : undefined) ?? codes[expected])
            assert.strictEqual(answer.body.code, code, what)
          }
          if (may && !isSeen && expected >= 400) {
            const text = `${answer.body.detail} ${JSON.stringify(answer.body.errors ?? null)}`
            words.set(expected, (words.get(expected) ?? new Set()).add(text))
          }
          if (may && row.counted === "data") assert.strictEqual(answer.body.data.length > 0, isSeen, what)
          if (may && row.counted === "succeeded")
            assert.strictEqual(answer.body.batch.succeeded > 0, isSeen, what)
          // One assertion for each of the thousands of answers: an assertion costs more than the search.
          const leaked = kinds.flatMap((of) =>
            cases.filter((other) => !sees(role, of, of, other) && answer.text.includes(canary(of, other)))
          )
          assert.isEmpty(leaked, what)
        }

        for (const role of roles) {
          const reader = yield* rest.user(instances[0], [role])
          const read = yield* records(reader, role)
          for (const [name, row] of Object.entries(rows)) {
            const { body, kind, method, path } = row
            // Rows that change records get their own.
            const changes = method !== "GET" && row.passed < 300 && !name.startsWith("retrieve")
            const own = changes && mayUse(row, role)
            const caller = own ? yield* rest.user(instances[0], [role]) : reader
            const made = own && kind !== null ? yield* records(caller, role, [kind]) : read
            for (const which of kind === null ? (["unknown"] as const) : cases) {
              const unknown = unknownOf(kind)
              const id = kind === null ? unknown : (made[which]?.get(kind) ?? unknown)
              const sent = typeof body === "function" ? body(id) : body
              check(name, row, role, which, yield* caller.call(method, path.replace(":id", String(id)), sent))
            }
          }
        }
        for (const [status, texts] of words)
          assert.strictEqual(texts.size, 1, `${status}: ${[...texts].join(" | ")}`)
      }),
    600_000
  )
})
