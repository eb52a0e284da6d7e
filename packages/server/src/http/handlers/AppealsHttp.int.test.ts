// Chats and tickets over HTTP on a real PostgreSQL: contract §7, with the visibility of §2.
import { assert, layer } from "@effect/vitest"
import { BODY_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import {
  expectFaults,
  expectStatus,
  newInstance,
  pathsOf,
  RestFixtures,
  type Answer,
  type RestCaller,
  member
} from "../../testing/RestFixtures.ts"

const patch = (who: RestCaller, path: string, record: { id: number; version: number }, change: object) =>
  who.patch(`${path}/${record.id}`, { expectedVersion: record.version, ...change })

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  let n = 0
  const client = Effect.map(admin.make("/clients", { name: "Олена" }), ({ id }) => Number(id))
  const subject = Effect.suspend(() =>
    Effect.map(admin.make("/subjects", { name: "s", alias: `s${++n}` }), ({ id }) => Number(id))
  )
  const group = (subjectIds: ReadonlyArray<number>, memberIds: ReadonlyArray<number>) =>
    admin.make("/skill-groups", { name: "g", subjectIds, memberIds })
  const chat = (clientId: number, more: object = {}, who = admin) =>
    who.post("/OpChatRooms", { clientId, channel: "web", ...more })
  return { rest, instance, admin, client, subject, group, chat }
})

const at = (minute: number) => `2026-01-01T10:${String(minute).padStart(2, "0")}:00.000Z`

const policy = (answer: Answer) => answer.headers.get("ratelimit-policy")?.split(";")[0]

layer(RestFixtures)("chats and tickets", (it) => {
  it.effect("a chat without operator waits since its creation and is returned under its name", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const c = yield* client
      const made = yield* chat(c)
      expectStatus(made, 201)
      assert.strictEqual(made.body.replayed, false)
      const { createdAt, id, ...members } = made.body.chat
      assert.deepStrictEqual(members, {
        chatId: null,
        channel: "web",
        botId: null,
        clientId: c,
        operatorId: null,
        operatorIds: [],
        subjectId: null,
        skillGroupIds: [],
        status: "waiting",
        priority: "normal",
        isOutgoing: false,
        tags: [],
        comment: null,
        customFields: {},
        messageCount: 0,
        searchCoverage: "complete",
        waitingSince: createdAt,
        firstResponseAt: null,
        lastMessageAt: null,
        closedBy: null,
        postponedUntil: null,
        updatedAt: createdAt,
        closedAt: null,
        externalId: null,
        source: null,
        version: 1
      })
      assert.strictEqual(made.headers.get("location"), `/kw/api/v1/OpChatRooms/${id}`)
      assert.strictEqual(made.headers.get("etag"), '"1"')
      const read = yield* admin.get(`/OpChatRooms/${id}`)
      assert.deepStrictEqual(read.body, made.body.chat)
      expectStatus(yield* admin.get(`/Ticket/${id}`), 404, "NOT_FOUND")
    })
  )

  it.effect("a history keeps its own times and records participation, waiting and the first response", () =>
    Effect.gen(function* () {
      const { admin, chat, client, instance, rest } = yield* world
      const c = yield* client
      const [a, b] = [yield* rest.user(instance, ["operator"]), yield* rest.user(instance, ["operator"])]
      const messages = [
        { authorType: "bot", text: "вітаю", occurredAt: at(0) },
        { authorType: "client", text: "не працює", occurredAt: at(1), externalMessageId: "e1" },
        { authorType: "operator", authorId: a.id, text: "дивлюсь", occurredAt: at(2) },
        { authorType: "client", text: "дякую", occurredAt: at(3) },
        { authorType: "client", text: "ви тут?", occurredAt: at(4) }
      ]
      const made = yield* chat(c, { createdAt: at(0), messages, operatorId: b.id, status: "active" })
      expectStatus(made, 201)
      const { body } = made
      assert.deepStrictEqual(
        [body.chat.createdAt, body.chat.waitingSince, body.chat.firstResponseAt, body.chat.lastMessageAt],
        [at(0), at(3), at(2), at(4)]
      )
      assert.deepStrictEqual([body.chat.messageCount, body.chat.operatorIds], [5, [a.id, b.id]])
      const closed = yield* chat(c, { closedAt: at(9), messages })
      assert.deepStrictEqual(
        [
          closed.body.chat.status,
          closed.body.chat.closedAt,
          closed.body.chat.createdAt,
          closed.body.chat.waitingSince
        ],
        ["closed", at(9), at(0), null]
      )
      // Messages before createdAt or after closedAt keep their times.
      const around = yield* chat(c, { createdAt: at(2), closedAt: at(3), messages })
      expectStatus(around, 201)
      assert.deepStrictEqual(
        [around.body.chat.createdAt, around.body.chat.closedAt, around.body.chat.lastMessageAt],
        [at(2), at(3), at(4)]
      )
      const list = yield* admin.get(
        `/OpChatRooms/list?filter[id]=${body.chat.id}&include=client,operator,subject,skillGroups,lastMessage`
      )
      const row = list.body.data[0]
      assert.deepStrictEqual(row.client, { id: c, name: "Олена" })
      assert.deepStrictEqual([row.operator.id, row.operator.displayName], [b.id, "First Last"])
      assert.deepStrictEqual([row.subject, row.skillGroups], [null, []])
      assert.deepStrictEqual([row.lastMessage.text, row.lastMessage.occurredAt], ["ви тут?", at(4)])
      const { client: _, lastMessage: __, operator: ___, skillGroups: ____, subject: _____, ...bare } = row
      assert.deepStrictEqual(bare, body.chat)
    })
  )

  it.effect("an invalid history is refused with every fault, and no chat is created", () =>
    Effect.gen(function* () {
      const { admin, chat, client, instance, rest } = yield* world
      const c = yield* client
      const later = "2999-01-01T00:00:00Z"
      const disorder = yield* chat(c, {
        createdAt: at(5),
        closedAt: at(4),
        messages: [
          { authorType: "client", text: "b", occurredAt: at(2), externalMessageId: "x" },
          { authorType: "client", text: "a", occurredAt: at(1), externalMessageId: "x" }
        ]
      })
      expectFaults(disorder, ["closedAt", "messages[1].occurredAt", "messages[1].externalMessageId"])
      for (const status of ["waiting", "active", "postponed"]) {
        const going = yield* chat(c, { createdAt: at(0), closedAt: at(4), status })
        expectFaults(going, ["closedAt"])
      }
      const future = yield* chat(c, {
        createdAt: later,
        messages: [
          { authorType: "operator", authorId: 2 ** 53 - 1, text: "b", occurredAt: later },
          { authorType: "system", authorId: 1, text: "b", occurredAt: later }
        ],
        subjectId: 2 ** 53 - 1,
        botId: 1
      })
      expectStatus(future, 400, "INVALID_REQUEST")
      assert.deepStrictEqual(pathsOf(future).toSorted(), [
        "botId",
        "createdAt",
        "messages[0].authorId",
        "messages[0].occurredAt",
        "messages[1].authorId",
        "messages[1].occurredAt",
        "subjectId"
      ])
      const operator = yield* rest.user(instance, ["operator"])
      expectStatus(yield* chat(c, { createdAt: at(0) }, operator), 403, "ACCESS_DENIED")
      assert.strictEqual((yield* admin.read("/OpChatRooms/list")).total, 0)
    })
  )

  it.effect("operatorId must name an active user who may answer, else 409", () =>
    Effect.gen(function* () {
      const { admin, chat, client, instance, rest } = yield* world
      const c = yield* client
      const agent = yield* rest.user(instance, ["light_agent"])
      const blocked = yield* rest.user(instance, ["operator"])
      yield* admin.post(`/users/${blocked.id}/block`)
      const foreign = yield* rest.user(yield* rest.instance, ["operator"])
      expectStatus(yield* chat(c, { operatorId: agent.id }), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* chat(c, { operatorId: blocked.id }), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* chat(c, { operatorId: foreign.id }), 400, "INVALID_REQUEST")
      assert.strictEqual((yield* chat(c, { operatorId: admin.id })).body.chat.status, "active")
    })
  )

  it.effect("operators keep access to chats they took part in, and are assigned to chats they open", () =>
    Effect.gen(function* () {
      const { chat, client, group, instance, rest, subject } = yield* world
      const s = yield* subject
      const operator = yield* rest.user(instance, ["operator"])
      const other = yield* rest.user(instance, ["operator"])
      yield* group([s], [operator.id])
      const c = yield* client
      const mine = (yield* chat(c, { subjectId: s })).body.chat
      // An operator who took part in a chat sees it after it is assigned to another.
      const taken = yield* patch(operator, "/OpChatRooms", mine, { operatorId: operator.id })
      assert.deepStrictEqual([taken.body.status, taken.body.operatorIds], ["active", [operator.id]])
      const given = yield* patch(operator, "/OpChatRooms", taken.body, { operatorId: other.id })
      assert.deepStrictEqual(given.body.operatorIds, [operator.id, other.id])
      expectStatus(yield* operator.get(`/OpChatRooms/${mine.id}`), 200)
      const opened = yield* chat(c, {}, operator)
      assert.deepStrictEqual([opened.body.chat.operatorId, opened.body.chat.status], [operator.id, "active"])
    })
  )

  it.effect("a chat becomes active, postponed and closed, and waits again without an operator", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const path = "/OpChatRooms"
      let record = (yield* chat(yield* client)).body.chat
      const step = (change: object) => patch(admin, path, record, change)
      for (const status of ["postponed"])
        expectStatus(yield* step({ status }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      record = (yield* step({ operatorId: admin.id })).body
      assert.deepStrictEqual([record.status, record.waitingSince], ["active", null])
      expectStatus(yield* step({ status: "waiting" }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      assert.strictEqual(
        (yield* step({ status: "active" })).body.version,
        2,
        "the present status is no change"
      )
      record = (yield* step({ status: "postponed", comment: "завтра" })).body
      record = (yield* step({ operatorId: null })).body
      assert.deepStrictEqual([record.status, record.operatorId], ["waiting", null])
      assert.strictEqual(record.waitingSince, record.createdAt)
      record = (yield* step({ status: "closed", comment: null })).body
      assert.deepStrictEqual([record.closedBy, record.waitingSince, record.comment], [admin.id, null, null])
      expectStatus(yield* step({ status: "postponed" }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      expectStatus(
        yield* admin.post(`${path}/${record.id}/messages`, { text: "?" }),
        409,
        "STATE_NOT_ALLOWED"
      )
      expectStatus(yield* step({ tags: ["після"] }), 200)
      for (const change of [{ status: null }, { tags: null }, { priority: null }, { closedAt: at(1) }])
        expectStatus(yield* step(change), 400, "INVALID_REQUEST")
    })
  )

  it.effect("one of two operators who take the same chat concurrently gets it", () =>
    Effect.gen(function* () {
      const { chat, client, group, instance, rest, subject } = yield* world
      const s = yield* subject
      const two = [yield* rest.user(instance, ["operator"]), yield* rest.user(instance, ["operator"])]
      yield* group(
        [s],
        two.map((u) => u.id)
      )
      const record = (yield* chat(yield* client, { subjectId: s })).body.chat
      const answers = yield* Effect.forEach(
        two,
        (u) => patch(u, "/OpChatRooms", record, { operatorId: u.id }),
        {
          concurrency: 2
        }
      )
      const codes = answers.map((a) => a.status).toSorted()
      assert.isTrue(codes[0] === 200 && (codes[1] === 409 || codes[1] === 404), String(codes))
    })
  )

  it.effect("a message is last in its chat, and a repeated externalMessageId returns the first", () =>
    Effect.gen(function* () {
      const { admin, chat, client, instance, rest } = yield* world
      const c = yield* client
      const record = (yield* chat(c)).body.chat
      const path = `/OpChatRooms/${record.id}/messages`
      const first = yield* admin.post(path, {
        authorType: "client",
        text: "раз",
        occurredAt: at(1),
        externalMessageId: "m1"
      })
      expectStatus(first, 201)
      const { id: _, recordedAt: __, ...message } = first.body.message
      assert.deepStrictEqual(message, {
        appealId: record.id,
        sequence: 1,
        authorType: "client",
        authorId: c,
        text: "раз",
        occurredAt: at(1),
        externalMessageId: "m1",
        delivery: "none",
        visibility: "public",
        attachments: [],
        version: 1,
        editedAt: null,
        deletedAt: null
      })
      const again = yield* admin.post(path, {
        authorType: "client",
        text: "інше",
        externalMessageId: "m1"
      })
      assert.deepStrictEqual(
        [again.status, again.body.replayed, again.body.message],
        [200, true, first.body.message]
      )
      const answered = yield* admin.post(path, { text: "два" })
      assert.deepStrictEqual([answered.body.message.sequence, answered.body.message.authorId], [2, admin.id])
      const now = yield* admin.read(`/OpChatRooms/${record.id}`)
      assert.deepStrictEqual(
        [
          now.messageCount,
          now.operatorIds,
          now.waitingSince,
          now.version,
          now.firstResponseAt,
          now.lastMessageAt
        ],
        [2, [admin.id], null, 1, answered.body.message.occurredAt, answered.body.message.occurredAt]
      )
      const operator = yield* rest.user(instance, ["operator"])
      yield* patch(admin, "/OpChatRooms", now, { operatorId: operator.id })
      expectStatus(yield* operator.post(path, { text: "я" }), 201)
      for (const body of [{ authorType: "client" }, { authorId: admin.id }, { occurredAt: at(1) }])
        expectStatus(yield* operator.post(path, { text: "не я", ...body }), 403, "ACCESS_DENIED")
      expectStatus(yield* operator.post(path, { text: "" }), 400, "INVALID_REQUEST")
      expectStatus(yield* operator.post(path, { text: "x".repeat(65_537) }), 400, "INVALID_REQUEST")
      expectStatus(
        yield* admin.post(path, { text: "x", occurredAt: "2999-01-01T00:00:00Z" }),
        400,
        "INVALID_REQUEST"
      )
      yield* patch(admin, "/OpChatRooms", { ...now, version: 2 }, { status: "closed" })
      assert.strictEqual((yield* admin.post(path, { text: "?", externalMessageId: "m1" })).status, 200)
      expectStatus(yield* admin.post(path, { text: "?" }), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect("50 concurrent messages have no gaps, and one external id appears once", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const { id } = (yield* chat(yield* client)).body.chat
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) =>
          admin.post(`/OpChatRooms/${id}/messages`, {
            text: `m${i}`,
            ...(i % 5 === 0 ? { externalMessageId: "one" } : {})
          }),
        { concurrency: 50 }
      )
      const fresh = answers.filter((a) => a.status === 201)
      assert.strictEqual(fresh.length, 41)
      assert.deepStrictEqual(
        fresh.map((a) => a.body.message.sequence).toSorted((a, b) => a - b),
        Array.from({ length: 41 }, (_, i) => i + 1)
      )
      assert.strictEqual((yield* admin.read(`/OpChatRooms/${id}`)).messageCount, 41)
    })
  )

  it.effect("tickets have rising numbers and statuses that go forward only", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const c = yield* client
      const one = (yield* chat(c)).body.chat
      const made = yield* admin.post("/Ticket", {
        clientId: c,
        title: "Роутер",
        chatIds: [one.id],
        dueAt: "2027-01-01T00:00:00+02:00"
      })
      expectStatus(made, 201)
      const { createdAt: _, id, updatedAt: __, ...members } = made.body.ticket
      assert.deepStrictEqual(members, {
        number: 1,
        title: "Роутер",
        description: null,
        clientId: c,
        authorType: "client",
        authorId: admin.id,
        operatorId: null,
        subjectId: null,
        skillGroupIds: [],
        status: "new",
        statusPosition: 1,
        statusGroup: "new",
        priority: "normal",
        channel: null,
        searchCoverage: "complete",
        chatIds: [one.id],
        customFields: {},
        tags: [],
        dueAt: "2026-12-31T22:00:00.000Z",
        closedAt: null,
        externalId: null,
        source: null,
        version: 1
      })
      const many = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, i) => i),
        (i) => admin.post("/Ticket", { clientId: c, title: `t${i}` }),
        { concurrency: 10 }
      )
      assert.deepStrictEqual(
        many.map((a) => a.body.ticket.number).toSorted((a, b) => a - b),
        Array.from({ length: 10 }, (_, i) => i + 2)
      )
      const step = (record: { id: number; version: number }, change: object) =>
        patch(admin, "/Ticket", record, change)
      const resolved = yield* step({ id, version: 1 }, { status: "resolved" })
      assert.deepStrictEqual([resolved.body.statusGroup, resolved.body.statusPosition], ["done", 4])
      assert.isNotNull(resolved.body.closedAt)
      expectStatus(yield* step(resolved.body, { status: "open" }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      const nope = yield* step(resolved.body, { status: "nope", chatIds: [2 ** 53 - 1] })
      expectFaults(nope, ["chatIds[0]", "status"])
      const closed = yield* step(resolved.body, { status: "closed", dueAt: null })
      assert.deepStrictEqual([closed.body.closedAt, closed.body.dueAt], [resolved.body.closedAt, null])
      const old = yield* admin.post("/Ticket", {
        clientId: c,
        title: "o",
        status: "closed",
        createdAt: at(0),
        closedAt: at(5)
      })
      assert.deepStrictEqual([old.body.ticket.createdAt, old.body.ticket.closedAt], [at(0), at(5)])
      const times = { clientId: c, title: "o", createdAt: at(0), closedAt: at(5) }
      const ended = yield* admin.post("/Ticket", times)
      assert.deepStrictEqual([ended.body.ticket.status, ended.body.ticket.closedAt], ["resolved", at(5)])
      assert.deepStrictEqual(pathsOf(yield* admin.post("/Ticket", { ...times, status: "waiting" })), [
        "closedAt"
      ])
      const list = yield* admin.get(
        `/Ticket/list?order[status]=desc&order[id]=asc&limit=3&include=chats,author&q=${encodeURIComponent("РОУТ")}`
      )
      assert.deepStrictEqual(list.body.data.map(member("id")), [id])
      assert.strictEqual(list.body.data[0].author.id, admin.id)
      assert.deepStrictEqual(list.body.data[0].chats.map(member("id")), [one.id])
    })
  )

  it.effect("the author of a ticket sees it", () =>
    Effect.gen(function* () {
      const { client, instance, rest } = yield* world
      const operator = yield* rest.user(instance, ["operator"])
      const c = yield* client
      const made = yield* operator.post("/Ticket", { clientId: c, title: "t" })
      expectStatus(made, 201)
      expectStatus(yield* operator.get(`/Ticket/${made.body.ticket.id}`), 200)
      const other = yield* rest.user(instance, ["operator"])
      expectStatus(yield* other.get(`/Ticket/${made.body.ticket.id}`), 404, "NOT_FOUND")
    })
  )

  it.effect("ticket statuses are replaced as a whole, and a used one cannot be removed", () =>
    Effect.gen(function* () {
      const { admin, client } = yield* world
      const present = yield* admin.get("/ticket-statuses")
      assert.deepStrictEqual(present.body.statuses.map(member("name")), [
        "new",
        "open",
        "waiting",
        "resolved",
        "closed"
      ])
      const put = (expectedVersion: number, statuses: ReadonlyArray<unknown>) =>
        admin.put("/ticket-statuses", { expectedVersion, statuses })
      const two = [
        { name: "нове", position: 10, group: "new" },
        { name: "готово", position: 20, group: "done" }
      ]
      yield* admin.post("/Ticket", { clientId: yield* client, title: "t" })
      expectStatus(yield* put(1, two), 409, "STATE_NOT_ALLOWED")
      const more = [...two, { name: "new", position: 5, group: "new" }]
      const set = yield* put(1, more)
      assert.deepStrictEqual([set.body.version, set.body.statuses[0].name], [2, "new"])
      expectStatus(yield* put(1, more), 409, "VERSION_CONFLICT")
      const bad = yield* put(2, [two[0], { ...two[0] }])
      assert.deepStrictEqual(pathsOf(bad), ["statuses[1].name", "statuses[1].position", "statuses"])
      const fresh = yield* admin.post("/Ticket", { clientId: yield* client, title: "t" })
      assert.strictEqual(fresh.body.ticket.status, "new")
      // Positions are integers of the contract: above 2^31 too.
      const far = [
        ...more.slice(0, 1),
        { ...two[1], position: 2 ** 31 },
        { ...more[2], position: 2 ** 53 - 1 }
      ]
      const moved = yield* put(2, far)
      expectStatus(moved, 200)
      assert.deepStrictEqual(moved.body.statuses.map(member("position")), [10, 2 ** 31, 2 ** 53 - 1])
      expectStatus(yield* admin.get("/Ticket/list?order[status]=desc"), 200)
      // closedAt is the first time in the group done; it stays when the group changes back.
      const read = Effect.map(
        admin.get(`/Ticket/${fresh.body.ticket.id}`),
        ({ body }): Record<string, unknown> => body
      )
      const grouped = (expectedVersion: number, group: string) =>
        put(expectedVersion, [two[0], two[1], { name: "new", position: 5, group }])
      assert.strictEqual((yield* read)["closedAt"], null)
      expectStatus(yield* grouped(3, "done"), 200)
      const closed = yield* read
      assert.strictEqual(closed["statusGroup"], "done")
      assert.isString(closed["closedAt"])
      expectStatus(yield* grouped(4, "new"), 200)
      expectStatus(yield* grouped(5, "done"), 200)
      assert.strictEqual((yield* read)["closedAt"], closed["closedAt"])
    })
  )

  it.effect("blocking a user reassigns their open appeals or returns them to the queue", () =>
    Effect.gen(function* () {
      const { admin, chat, client, group, instance, rest } = yield* world
      const [a, b, stranger] = [
        yield* rest.user(instance, ["operator"]),
        yield* rest.user(instance, ["operator"]),
        yield* rest.user(instance, ["operator"])
      ]
      yield* group([], [a.id, b.id])
      const c = yield* client
      const one = (yield* chat(c, { operatorId: a.id })).body.chat
      const read = admin.read(`/OpChatRooms/${one.id}`)
      const block = (user: RestCaller, body: object) => admin.post(`/users/${user.id}/block`, body)
      expectStatus(yield* block(a, { reassignTo: stranger.id }), 409, "STATE_NOT_ALLOWED")
      expectStatus(yield* block(a, { reassignTo: 2 ** 53 - 1 }), 400, "INVALID_REQUEST")
      assert.strictEqual((yield* admin.get(`/users/${a.id}`)).body.status, "active")
      expectStatus(yield* block(a, { reassignTo: b.id }), 200)
      assert.deepStrictEqual([(yield* read).operatorId, (yield* read).operatorIds], [b.id, [a.id, b.id]])
      expectStatus(yield* block(b, {}), 200)
      const back = yield* read
      assert.deepStrictEqual(
        [back.operatorId, back.status, back.waitingSince],
        [null, "waiting", back.createdAt]
      )
    })
  )

  it.effect("a chat with a history counts as an import and has the larger limit of the body", () =>
    Effect.gen(function* () {
      const { admin, chat, client, instance, rest } = yield* world
      const c = yield* client
      assert.strictEqual(policy(yield* chat(c)), '"rest"')
      assert.strictEqual(policy(yield* chat(c, { createdAt: at(0) })), '"appeal-imports"')
      assert.strictEqual(policy(yield* chat(c, { createdAt: "nonsense" })), '"appeal-imports"')
      assert.strictEqual(policy(yield* chat(c, { comment: 'has "createdAt" in it' })), '"rest"')
      const operator = yield* rest.user(instance, ["operator"])
      assert.strictEqual(policy(yield* chat(c, { createdAt: at(0) }, operator)), '"rest"')
      const text = "ї".repeat(65_000)
      const messages = Array.from({ length: 20 }, (_, i) => ({
        authorType: "client",
        text,
        occurredAt: at(i)
      }))
      expectStatus(yield* chat(c, { messages }), 201)
      expectStatus(yield* chat(c, { messages }, operator), 413, "PAYLOAD_TOO_LARGE")
      const long = yield* admin.post("/OpChatRooms", `{"clientId":${c}${" ".repeat(6_307_840)}}`)
      expectStatus(long, 413, "PAYLOAD_TOO_LARGE")
      const longClient = yield* admin.post(
        "/clients",
        `{"name":"Олена","createdAt":"${at(0)}"${" ".repeat(BODY_BYTES_MAX)}}`
      )
      expectStatus(longClient, 413, "PAYLOAD_TOO_LARGE")
    })
  )
})
