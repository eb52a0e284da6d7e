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
  runConcurrently,
  untilFinal,
  type RestCaller,
  member
} from "../../testing/RestFixtures.ts"

const patch = (who: RestCaller, path: string, record: { id: number; version: number }, change: object) =>
  who.patch(`${path}/${record.id}`, { expectedVersion: record.version, ...change })

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  let n = 0
  const client = admin.makeId("/clients", { name: "Олена" })
  const subject = Effect.suspend(() => admin.makeId("/subjects", { name: "s", alias: `s${++n}` }))
  const group = (subjectIds: ReadonlyArray<number>, memberIds: ReadonlyArray<number>) =>
    admin.make("/skill-groups", { name: "g", subjectIds, memberIds })
  const chat = (clientId: number, more: object = {}, who = admin) =>
    who.post("/OpChatRooms", { clientId, channel: "web", ...more })
  return { rest, instance, admin, client, subject, group, chat }
})

const at = (minute: number) => `2026-01-01T10:${String(minute).padStart(2, "0")}:00.000Z`

layer(RestFixtures, { excludeTestServices: true })("chats and tickets", (it) => {
  it.effect("a chat without operator waits since its creation and is returned under its name", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const c = yield* client
      const made = yield* chat(c)
      expectStatus(made, 201)
      assert.strictEqual(made.body.replayed, false)
      const { createdAt, id, ...members } = made.body.chat
      const usual = { priority: "normal", isOutgoing: false, tags: [], customFields: {}, version: 1 }
      const counted = { messageCount: 0, searchCoverage: "complete", operatorIds: [], skillGroupIds: [] }
      const times = { waitingSince: createdAt, updatedAt: createdAt, firstResponseAt: null, closedAt: null }
      const own = { clientId: c, channel: "web", status: "waiting", externalId: null, source: null }
      const unassigned = { operatorId: null, subjectId: null, botId: null, chatId: null, comment: null }
      const later = { lastMessageAt: null, closedBy: null, postponedUntil: null }
      assert.deepStrictEqual(members, { ...usual, ...counted, ...times, ...own, ...unassigned, ...later })
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
      const opened = made.body.chat
      assert.deepInclude(opened, {
        createdAt: at(0),
        waitingSince: at(3),
        firstResponseAt: at(2),
        lastMessageAt: at(4),
        messageCount: 5,
        operatorIds: [a.id, b.id]
      })
      const closed = yield* chat(c, { closedAt: at(9), messages })
      const ended = { status: "closed", closedAt: at(9), createdAt: at(0), waitingSince: null }
      assert.deepInclude(closed.body.chat, ended)
      // Messages before createdAt or after closedAt keep their times.
      const around = yield* chat(c, { createdAt: at(2), closedAt: at(3), messages })
      assert.deepInclude(around.body.chat, { createdAt: at(2), closedAt: at(3), lastMessageAt: at(4) })
      const include = "include=client,operator,subject,skillGroups,lastMessage"
      const [row] = (yield* admin.read(`/OpChatRooms/list?filter[id]=${opened.id}&${include}`)).data
      const { client: of, lastMessage, operator, skillGroups, subject, ...bare } = row
      assert.deepStrictEqual([of, subject, skillGroups], [{ id: c, name: "Олена" }, null, []])
      assert.deepInclude(operator, { id: b.id, displayName: "Олена Їжакевич" })
      assert.deepInclude(lastMessage, { text: "ви тут?", occurredAt: at(4) })
      assert.deepStrictEqual(bare, opened)
    })
  )

  it.effect("an invalid history is refused with every fault, and no chat is created", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
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
        subjectId: 2 ** 53 - 1
      })
      expectStatus(future, 400, "INVALID_REQUEST")
      const ofMessages = [0, 1].flatMap((i) => [`messages[${i}].authorId`, `messages[${i}].occurredAt`])
      assert.sameMembers([...pathsOf(future)], ["createdAt", ...ofMessages, "subjectId"])
      assert.strictEqual((yield* admin.read("/OpChatRooms/list")).total, 0)
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

  it.effect("a chat stores what its status implies, and a transition that is not allowed is 409", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      let record = (yield* chat(yield* client)).body.chat
      const { createdAt } = record
      const step = (change: object) => patch(admin, "/OpChatRooms", record, change)
      expectStatus(yield* step({ status: "postponed" }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      for (const [change, expected] of [
        [{ operatorId: admin.id }, { status: "active", waitingSince: null }],
        // The present status is no change.
        [{ status: "active" }, { status: "active", version: 2 }],
        [{ status: "postponed", comment: "завтра" }, { status: "postponed" }],
        [{ operatorId: null }, { status: "waiting", operatorId: null, waitingSince: createdAt }],
        [
          { status: "closed", comment: null },
          { closedBy: admin.id, waitingSince: null, comment: null }
        ],
        [{ tags: ["після"] }, { status: "closed", tags: ["після"] }]
      ] as const) {
        record = (yield* step(change)).body
        assert.deepInclude(record, expected)
      }
      for (const change of [{ status: null }, { tags: null }, { priority: null }, { closedAt: at(1) }])
        expectStatus(yield* step(change), 400, "INVALID_REQUEST")
    })
  )

  it.effect("one of two operators who take the same chat concurrently gets it", () =>
    Effect.gen(function* () {
      const { chat, client, group, instance, rest, subject } = yield* world
      const s = yield* subject
      const two = [
        yield* rest.user(instance, ["operator"]),
        yield* rest.user(instance, ["operator"])
      ] as const
      yield* group([s], [two[0].id, two[1].id])
      const record = (yield* chat(yield* client, { subjectId: s })).body.chat
      const take = (u: RestCaller) => patch(u, "/OpChatRooms", record, { operatorId: u.id })
      const answers = yield* Effect.forEach(two, take, { concurrency: 2 })
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
      const ofClient = { authorType: "client", externalMessageId: "m1" }
      const first = yield* admin.post(path, { ...ofClient, text: "раз", occurredAt: at(1) })
      expectStatus(first, 201)
      const { id: _, recordedAt: __, ...message } = first.body.message
      const own = {
        ...ofClient,
        appealId: record.id,
        sequence: 1,
        authorId: c,
        text: "раз",
        occurredAt: at(1)
      }
      const usual = { delivery: "none", visibility: "public", attachments: [], version: 1 }
      assert.deepStrictEqual(message, { ...own, ...usual, editedAt: null, deletedAt: null })
      const again = yield* admin.post(path, { ...ofClient, text: "інше" })
      expectStatus(again, 200)
      assert.deepStrictEqual(again.body, { replayed: true, message: first.body.message })
      const { authorId, occurredAt, sequence } = yield* admin.make(path, { text: "два" })
      assert.deepStrictEqual([sequence, authorId], [2, admin.id])
      const now = yield* admin.read(`/OpChatRooms/${record.id}`)
      assert.deepInclude(now, {
        messageCount: 2,
        operatorIds: [admin.id],
        waitingSince: null,
        version: 1,
        firstResponseAt: occurredAt,
        lastMessageAt: occurredAt
      })
      const operator = yield* rest.user(instance, ["operator"])
      yield* patch(admin, "/OpChatRooms", now, { operatorId: operator.id })
      expectStatus(yield* operator.post(path, { text: "я" }), 201)
      for (const body of [{ authorType: "client" }, { authorId: admin.id }, { occurredAt: at(1) }])
        expectStatus(yield* operator.post(path, { text: "не я", ...body }), 403, "ACCESS_DENIED")
      for (const body of [
        { text: "" },
        { text: "x".repeat(65_537) },
        { text: "x", occurredAt: "2999-01-01T00:00:00Z" }
      ])
        expectStatus(yield* admin.post(path, body), 400, "INVALID_REQUEST")
      yield* patch(admin, "/OpChatRooms", { ...now, version: 2 }, { status: "closed" })
      expectStatus(yield* admin.post(path, { text: "?", externalMessageId: "m1" }), 200)
      expectStatus(yield* admin.post(path, { text: "?" }), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect("50 concurrent messages have no gaps, and one external id appears once", () =>
    Effect.gen(function* () {
      const { admin, chat, client } = yield* world
      const { id } = (yield* chat(yield* client)).body.chat
      const answers = yield* runConcurrently(50, (i) =>
        untilFinal(
          admin.post(
            `/OpChatRooms/${id}/messages`,
            { text: `m${i}`, ...(i % 5 === 0 ? { externalMessageId: "one" } : {}) },
            { "idempotency-key": `${i}` }
          )
        )
      )
      const sequences = new Set(answers.map(({ body }) => Number(body.message.sequence)))
      assert.deepStrictEqual(
        [...sequences].toSorted((a, b) => a - b),
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
      const dueAt = "2027-01-01T00:00:00+02:00"
      const made = yield* admin.make("/Ticket", { clientId: c, title: "Роутер", chatIds: [one.id], dueAt })
      const { createdAt: _, id, updatedAt: __, ...members } = made
      const dueInUtc = "2026-12-31T22:00:00.000Z"
      const own = { number: 1, title: "Роутер", clientId: c, chatIds: [one.id], dueAt: dueInUtc }
      const by = { authorType: "client", authorId: admin.id, operatorId: null, channel: null, source: null }
      const usual = { priority: "normal", description: null, tags: [], customFields: {}, version: 1 }
      const status = {
        status: "new",
        statusPosition: 1,
        statusGroup: "new",
        closedAt: null,
        externalId: null
      }
      const derived = { subjectId: null, skillGroupIds: [], searchCoverage: "complete" }
      assert.deepStrictEqual(members, { ...own, ...by, ...usual, ...status, ...derived })
      const many = yield* runConcurrently(10, (i) =>
        untilFinal(admin.post("/Ticket", { clientId: c, title: `t${i}` }, { "idempotency-key": `${i}` }))
      )
      assert.sameMembers(
        many.map(({ body }) => body.ticket.number),
        [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
      )
      const step = (record: { id: number; version: number }, change: object) =>
        patch(admin, "/Ticket", record, change)
      const resolved = yield* step({ id, version: 1 }, { status: "resolved" })
      assert.deepInclude(resolved.body, { statusGroup: "done", statusPosition: 4 })
      assert.isNotNull(resolved.body.closedAt)
      expectStatus(yield* step(resolved.body, { status: "open" }), 409, "STATUS_TRANSITION_NOT_ALLOWED")
      expectFaults(yield* step(resolved.body, { status: "nope" }), ["status"])
      const closed = yield* step(resolved.body, { status: "closed", dueAt: null })
      assert.deepInclude(closed.body, { closedAt: resolved.body.closedAt, dueAt: null })
      const times = { createdAt: at(0), closedAt: at(5) }
      const importTicket = (more: object) =>
        admin.post("/Ticket", { clientId: c, title: "o", ...times, ...more })
      assert.deepInclude((yield* importTicket({ status: "closed" })).body.ticket, times)
      assert.deepInclude((yield* importTicket({})).body.ticket, { status: "resolved", closedAt: at(5) })
      expectFaults(yield* importTicket({ status: "waiting" }), ["closedAt"])
      const list = "/Ticket/list?order[status]=desc&order[id]=asc&limit=3&include=chats,author"
      const [found, ...others] = (yield* admin.read(`${list}&q=${encodeURIComponent("РОУТ")}`)).data
      assert.isEmpty(others)
      assert.deepStrictEqual(
        [found.id, found.author.id, found.chats.map(member("id"))],
        [id, admin.id, [one.id]]
      )
    })
  )

  it.effect("ticket statuses are replaced as a whole, and a used one cannot be removed", () =>
    Effect.gen(function* () {
      const { admin, client } = yield* world
      const { statuses: present } = yield* admin.read("/ticket-statuses")
      assert.deepStrictEqual(present.map(member("name")), ["new", "open", "waiting", "resolved", "closed"])
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
      expectFaults(bad, ["statuses[1].name", "statuses[1].position", "statuses"])
      const fresh = yield* admin.make("/Ticket", { clientId: yield* client, title: "t" })
      assert.strictEqual(fresh.status, "new")
      // Positions are integers of the contract: above 2^31 too.
      const far = [two[0], { ...two[1], position: 2 ** 31 }, { ...more[2], position: 2 ** 53 - 1 }]
      const moved = yield* put(2, far)
      expectStatus(moved, 200)
      assert.deepStrictEqual(moved.body.statuses.map(member("position")), [10, 2 ** 31, 2 ** 53 - 1])
      expectStatus(yield* admin.get("/Ticket/list?order[status]=desc"), 200)
      // closedAt is the first time in the group done; it stays when the group changes back.
      const read = admin.read(`/Ticket/${fresh.id}`)
      const moveToGroup = (expectedVersion: number, group: string) =>
        put(expectedVersion, [two[0], two[1], { name: "new", position: 5, group }])
      assert.isNull((yield* read).closedAt)
      expectStatus(yield* moveToGroup(3, "done"), 200)
      const closed = yield* read
      assert.strictEqual(closed.statusGroup, "done")
      assert.isString(closed.closedAt)
      expectStatus(yield* moveToGroup(4, "new"), 200)
      expectStatus(yield* moveToGroup(5, "done"), 200)
      assert.strictEqual((yield* read).closedAt, closed.closedAt)
    })
  )

  it.effect("a blocked user gets no appeal, and the open ones are reassigned or wait again", () =>
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
      assert.strictEqual((yield* admin.get(`/users/${a.id}`)).body.status, "active")
      expectStatus(yield* block(a, { reassignTo: b.id }), 200)
      assert.deepInclude(yield* read, { operatorId: b.id, operatorIds: [a.id, b.id] })
      expectStatus(yield* block(b, {}), 200)
      const back = yield* read
      assert.deepInclude(back, { operatorId: null, status: "waiting", waitingSince: back.createdAt })
      // Only an active user who may answer gets an appeal.
      for (const { id: operatorId } of [a, yield* rest.user(instance, ["light_agent"])])
        expectStatus(yield* chat(c, { operatorId }), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect(
    "only a caller with appeals.import sends a longer body with a history, which counts as an import",
    () =>
      Effect.gen(function* () {
        const { admin, chat, client, instance, rest } = yield* world
        const c = yield* client
        const operator = yield* rest.user(instance, ["operator"])
        expectStatus(yield* chat(c, { createdAt: at(0) }, operator), 403, "ACCESS_DENIED")
        const message = { authorType: "client", text: "ї".repeat(65_000), occurredAt: at(0) }
        const messages = Array.from({ length: 20 }, () => message)
        for (const [who, status, bucket] of [
          [admin, 201, "appeal-imports"],
          [operator, 413, "rest"]
        ] as const) {
          const answer = yield* chat(c, { messages }, who)
          expectStatus(answer, status)
          assert.match(answer.headers.get("ratelimit-policy") ?? "", new RegExp(`^"${bucket}";`, "u"))
        }
        const long = yield* admin.post("/OpChatRooms", `{"clientId":${c}${" ".repeat(6_307_840)}}`)
        expectStatus(long, 413, "PAYLOAD_TOO_LARGE")
        const longClient = `{"name":"Олена","createdAt":"${at(0)}"${" ".repeat(BODY_BYTES_MAX)}}`
        expectStatus(yield* admin.post("/clients", longClient), 413, "PAYLOAD_TOO_LARGE")
      })
  )
})
