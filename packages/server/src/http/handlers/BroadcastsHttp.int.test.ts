// Broadcasts over HTTP on a real PostgreSQL, where the test advances their queue (contract §9.1).
import { assert, layer } from "@effect/vitest"
import { BroadcastQueue } from "@rapport/core/broadcasts/BroadcastRun.ts"
import { DeliveryLines, type Settlement } from "@rapport/core/delivery/DeliveryLines.ts"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as DeliveryLinesPostgres from "../../postgres/delivery/DeliveryLinesPostgres.ts"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { broadcastQueueLayer, claimLines } from "../../testing/DeliveryFixtures.ts"
import { openTransaction } from "../../testing/LockWaits.ts"
import {
  expectFaults,
  expectStatus,
  member,
  members,
  newInstance,
  RestFixtures
} from "../../testing/RestFixtures.ts"

const webhook = { channel: "web", kind: "webhook", url: "https://chat.example.com/hook" }

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const queue = yield* BroadcastQueue
  const sql = yield* SqlClient.SqlClient
  const client = (name: string, identities: ReadonlyArray<object>, more: object = {}) =>
    admin.makeId("/clients", { name, identities, tags: ["аудиторія"], ...more })
  const bot = yield* admin.makeId("/bots", { name: "Помічник", connectors: [webhook] })
  const template = (text: string) => admin.makeId("/broadcasts/templates", { name: "x", text })
  const broadcast = (more: object) =>
    admin.makeId("/broadcasts", {
      name: "Планові роботи",
      botId: bot,
      channel: "web",
      audience: { filter: { tags: "аудиторія" } },
      ratePerMinute: 6_000,
      ...more
    })
  const take = (id: number, step: string) => admin.post(`/broadcasts/${id}/${step}`)
  const read = (id: number) => admin.read(`/broadcasts/${id}`)
  const results = (id: number) => admin.read(`/broadcasts/${id}/results`)
  const recipients = (id: number) =>
    Effect.map(admin.read(`/broadcasts/${id}/recipients?limit=100&order[id]=asc`), ({ data }) => data)
  /** Advances the queue as if this time had come. */
  const runUntil = Effect.fnUntraced(function* (at: number) {
    while (yield* queue.advance(at)) yield* Effect.yieldNow
  })
  /** Number of its messages that are written and enqueued. */
  const enqueued = (id: number) =>
    selectedCount(sql`select count(*)::float8 as count from broadcast_recipients r join deliveries d on d.instance_id = r.instance_id
      and d.id = r.delivery_id where r.instance_id = ${instance} and r.broadcast_id = ${id}`)
  const now = Clock.currentTimeMillis
  /** Marks the queued deliveries as the delivery worker does. */
  const sent = (id: number, status = "sent") =>
    sql`update deliveries d set status = ${status}, attempts = 1 from broadcast_recipients r
      where r.instance_id = ${instance} and r.broadcast_id = ${id} and d.id = r.delivery_id and d.status = 'queued'`
  return {
    admin,
    bot,
    broadcast,
    client,
    enqueued,
    instance,
    now,
    queue,
    read,
    recipients,
    rest,
    results,
    runUntil,
    sent,
    sql,
    take,
    template
  }
})
const at = (chatId: string, more: object = {}) => ({ channel: "web", chatId, ...more })
const none = { total: 0, queued: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 }
const counts = (more: object) => ({ ...none, ...more })

/** Filters of an audience, which are those of the list of clients. */
const audiences = (id: number): ReadonlyArray<Readonly<Record<string, unknown>>> => [
  { name: "Олена" },
  { name: { in: ["Ann", "Zoe", "нема"] } },
  { email: { isNull: true } },
  { tags: "vip", id: { gte: id } },
  { tags: { nin: ["vip", "боржник"] }, name: { ne: "Zoe" } },
  { createdAt: { lt: "2001-01-01" } }
]
const queryOf = (filter: Readonly<Record<string, unknown>>) =>
  Object.entries(filter)
    .flatMap(([name, value]) =>
      typeof value === "object"
        ? Object.entries(Object(value)).map(([operator, some]) => `filter[${name}][${operator}]=${some}`)
        : [`filter[${name}]=${value}`]
    )
    .join("&")

const fixtures = Layer.provideMerge(broadcastQueueLayer, RestFixtures)

layer(fixtures, { excludeTestServices: true })("a broadcast", (it) => {
  it.effect("a locked client of one broadcast does not delay another broadcast", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* world, yield* world]
      const started = yield* Effect.forEach([one, other], (w) =>
        Effect.gen(function* () {
          const clientId = yield* w.client("Олена", [at(randomUUID())])
          const id = yield* w.broadcast({ templateId: yield* w.template("{{name}}, вітаємо") })
          expectStatus(yield* w.take(id, "start"), 200)
          return { clientId, id }
        })
      )
      const [locked, free] = started as [(typeof started)[0], (typeof started)[0]]
      const release = yield* openTransaction(
        one.sql`select 1 from clients where id = ${locked.clientId} for update`
      )
      const began = yield* one.now
      // The broadcast with the locked client is due first. Both steps end while the client is locked.
      assert.isTrue(yield* one.queue.advance(began))
      assert.isTrue(yield* one.queue.advance(began))
      assert.strictEqual(yield* one.enqueued(locked.id), 0)
      assert.strictEqual(yield* other.enqueued(free.id), 1)
      yield* release
      // Its message is enqueued later.
      yield* one.runUntil(began)
      assert.strictEqual(yield* one.enqueued(locked.id), 0)
      yield* one.runUntil(began + 5_000)
      assert.strictEqual(yield* one.enqueued(locked.id), 1)
      yield* one.take(locked.id, "cancel")
      yield* other.take(free.id, "cancel")
    })
  )

  it.effect("a broadcast reaches each client of its frozen audience once, except opt-outs", () =>
    Effect.gen(function* () {
      const w = yield* world
      const ids = [randomUUID(), randomUUID(), randomUUID()]
      const olena = yield* w.client("Олена", [at(`z${ids[0]}`, { subscribed: false }), at(ids[0] ?? "")], {
        email: "o@example.com"
      })
      const ivan = yield* w.client("Иван {{name}}", [at(ids[1] ?? "")])
      const ann = yield* w.client("Ann", [at(ids[2] ?? "", { subscribed: false })])
      const nobody = yield* w.client("Nobody", [{ channel: "sms", chatId: ids[2] }])
      const templateId = yield* w.template("{{name}}, {{email|—}}: {{when}}")
      const id = yield* w.broadcast({ templateId, variables: { when: "вночі", name: "не я" } })

      const preview = yield* w.take(id, "preview")
      assert.deepStrictEqual(preview.body, {
        total: 4,
        eligible: 2,
        skipped: { not_subscribed: 1, no_identity: 1 },
        samples: [
          { clientId: olena, chatId: ids[0], text: "Олена, o@example.com: вночі" },
          { clientId: ivan, chatId: ids[1], text: "Иван {{name}}, —: вночі" }
        ]
      })
      assert.deepStrictEqual(yield* w.results(id), none)
      const started = yield* w.take(id, "start")
      expectStatus(started, 200)
      assert.deepInclude(started.body, { status: "running", version: 2 })
      assert.strictEqual(started.headers.get("etag"), '"2"')
      const fixed = (yield* w.recipients(id)).map(member("deliveryId"))
      for (const [i, deliveryId] of fixed.entries())
        if (i < 2) assert.match(deliveryId, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab]/u)
        else assert.isNull(deliveryId)
      // A new client and a new text of the template come too late.
      yield* w.client("Late", [at(randomUUID())])
      yield* w.admin.change(`/broadcasts/templates/${templateId}`, { text: "інше" })
      assert.deepStrictEqual(yield* w.results(id), counts({ total: 4, queued: 2, skipped: 2 }))

      yield* w.runUntil((yield* w.now) + 500)
      const written = yield* w.recipients(id)
      assert.deepStrictEqual(written.map(members("clientId", "status", "reason")), [
        [olena, "queued", null],
        [ivan, "queued", null],
        [ann, "skipped", "not_subscribed"],
        [nobody, "skipped", "no_identity"]
      ])
      assert.deepStrictEqual(written.map(member("deliveryId")), fixed)
      assert.strictEqual(yield* w.enqueued(id), 2)
      const texts =
        yield* w.sql`select m.text, m.delivery, m.author_id::float8 as bot, a.is_outgoing, d.kind from appeal_messages m
        join appeals a on a.instance_id = m.instance_id and a.id = m.appeal_id
        join deliveries d on d.instance_id = m.instance_id and d.message_id = m.id
        where m.instance_id = ${w.instance} order by d.sequence`
      const row = { delivery: "queued", bot: w.bot, is_outgoing: true, kind: "broadcast" }
      assert.deepStrictEqual(
        [...texts],
        [
          { text: "Олена, o@example.com: вночі", ...row },
          { text: "Иван {{name}}, —: вночі", ...row }
        ]
      )
      // It ends when the last message is sent. A provider may raise the status of a recipient later.
      yield* w.runUntil((yield* w.now) + 5_000)
      assert.strictEqual((yield* w.read(id)).status, "running")
      yield* w.sent(id)
      assert.deepStrictEqual(yield* w.results(id), counts({ total: 4, sent: 2, skipped: 2 }))
      yield* w.runUntil((yield* w.now) + 10_000)
      const ended = yield* w.read(id)
      assert.deepInclude(ended, { status: "completed", version: 3 })
      assert.isString(ended.completedAt)
      yield* w.sql`update deliveries set status = 'read' where id = ${written[0].deliveryId}::uuid`
      assert.deepStrictEqual((yield* w.recipients(id))[0].status, "read")
      const description = "Forbidden: bot was blocked by the user"
      yield* w.sql`update deliveries set status = 'failed', attempts = 2, reason = 'telegram_403',
          description = ${description} where id = ${written[1].deliveryId}::uuid`
      const refused = { status: "failed", attempts: 2, reason: "telegram_403", description }
      assert.deepInclude((yield* w.recipients(id))[1], refused)
      expectStatus(yield* w.admin.remove(`/broadcasts/templates/${templateId}`), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect("a broadcast has the audience of its filter as in GET /clients, or of its ids", () =>
    Effect.gen(function* () {
      const w = yield* world
      const made: Array<number> = []
      for (const [i, name] of ["Олена", "олена", "Иван Їжак", "Ann", "їжак 5%", "Zoe", "Anna"].entries())
        made.push(
          yield* w.client(name, [at(randomUUID())], {
            ...(i % 3 === 0 ? {} : { email: `olena.${i}@example.com` }),
            tags: [["vip", "новий"], ["vip"], [], ["боржник"]][i % 4]
          })
        )
      // The audience has the survivor of a merge, and no client of another instance.
      const [first, gone, into, fourth, middle = 0] = made
      yield* w.admin.post(`/clients/${gone}/merge`, { intoId: into })
      const other = yield* world
      yield* other.client("Олена", [at(randomUUID())], { tags: ["vip"] })
      const templateId = yield* w.template("Вітаю")
      const reachedClients = Effect.fnUntraced(function* (audience: object) {
        const id = yield* w.broadcast({ templateId, audience })
        const preview = yield* w.take(id, "preview")
        expectStatus(yield* w.take(id, "start"), 200)
        const ids: ReadonlyArray<number> = (yield* w.recipients(id)).map(member("clientId"))
        assert.strictEqual(preview.body.total, ids.length)
        // Otherwise it would run on in the next tests.
        expectStatus(yield* w.take(id, "cancel"), 200)
        return ids.toSorted((a, b) => a - b)
      })
      const sizes = new Set<number>()
      for (const filter of audiences(middle)) {
        const path = `/clients?limit=100&order[id]=asc&${encodeURI(queryOf(filter))}`
        const listed = (yield* w.admin.read(path)).data.map(member("id"))
        assert.deepStrictEqual(yield* reachedClients({ filter }), listed, path)
        sizes.add(listed.length)
      }
      assert.isAbove(sizes.size, 2)
      const some = yield* reachedClients({ clientIds: [fourth, gone, first, into] })
      assert.deepStrictEqual(some, [first, into, fourth])
    })
  )

  it.effect("a broadcast shows and uses members of clients only for callers with clients.read", () =>
    Effect.gen(function* () {
      const w = yield* world
      const clientId = yield* w.client("Олена", [at(randomUUID())], { email: "olena@example.com" })
      const [naming, plain] = [yield* w.template("{{name}}, {{email|}}!"), yield* w.template("Вітаю")]
      const byFilter = { audience: { filter: { email: "olena@example.com" } } }
      const byIds = { audience: { clientIds: [clientId] } }
      const filtered = yield* w.broadcast({ templateId: plain, ...byFilter })
      const named = yield* w.broadcast({ templateId: naming, ...byIds })
      const free = yield* w.broadcast({ templateId: plain, ...byIds })
      const token = yield* w.rest.token(w.admin, ["broadcasts.read", "broadcasts.manage"])
      const analyst = yield* w.rest.user(w.instance, ["analyst"])
      const key = { "idempotency-key": randomUUID() }
      const content = { name: "x", text: "{{phone}}" }
      for (const [method, path, body] of [
        ["POST", `/broadcasts/${free}/preview`],
        ["POST", `/broadcasts/${filtered}/preview`],
        ["POST", `/broadcasts/${filtered}/start`],
        ["POST", `/broadcasts/${named}/start`],
        ["GET", `/broadcasts/${free}/recipients`],
        ["POST", "/broadcasts", { name: "x", ...byFilter }],
        ["PATCH", `/broadcasts/${free}`, { expectedVersion: 1, ...byFilter }],
        ["POST", "/broadcasts/templates", content],
        ["PATCH", `/broadcasts/templates/${plain}`, { expectedVersion: 1, text: content.text }]
      ] as const) {
        const answer = yield* token.call(method, path, body)
        expectStatus(answer, 403, "ACCESS_DENIED")
        assert.include(answer.body.detail, "clients.read")
      }
      const rename = { expectedVersion: 1, name: "Нова назва" }
      const answers = [
        yield* token.get(`/broadcasts/${filtered}`),
        yield* token.get("/broadcasts"),
        yield* analyst.get(`/broadcasts/${filtered}`),
        yield* analyst.get("/broadcasts?fields=id,audience"),
        yield* token.patch(`/broadcasts/${filtered}`, { expectedVersion: 1 }),
        yield* token.patch(`/broadcasts/${filtered}`, rename, key),
        yield* token.patch(`/broadcasts/${filtered}`, rename, key),
        yield* token.post(`/broadcasts/${filtered}/cancel`)
      ]
      for (const { body, status, text } of answers) {
        assert.strictEqual(status, 200, text)
        assert.notInclude(text, "olena@example.com")
        const records: ReadonlyArray<Readonly<Record<string, unknown>>> = body.data ?? [body]
        const ofFilter = records.find(({ id }) => id === filtered)
        assert.deepStrictEqual(ofFilter?.["audience"], {})
      }
      expectStatus(yield* analyst.get(`/broadcasts/${free}/recipients`), 403, "ACCESS_DENIED")
      // The filter is hidden, not lost. An audience by ids needs no other permission.
      assert.deepStrictEqual((yield* w.read(filtered)).audience, byFilter.audience)
      assert.deepStrictEqual((yield* token.read(`/broadcasts/${free}`)).audience, byIds.audience)
      for (const step of ["start", "pause", "resume", "cancel"])
        expectStatus(yield* token.post(`/broadcasts/${free}/${step}`), 200)
      assert.strictEqual((yield* token.read(`/broadcasts/${free}/results`)).total, 1)
    })
  )

  it.effect("a broadcast that cannot start names everything that is missing", () =>
    Effect.gen(function* () {
      const w = yield* world
      const bare = yield* w.admin.makeId("/broadcasts", { name: "x" })
      expectFaults(yield* w.take(bare, "start"), ["botId", "channel", "templateId", "audience"])
      yield* w.client("Олена", [at(randomUUID())])
      const templateId = yield* w.template("{{name}} {{phone}} {{a}} {{b|}} {{c}}")
      const id = yield* w.broadcast({ templateId, variables: { c: [1] } })
      expectFaults(yield* w.take(id, "start"), ["variables.a", "variables.c", "variables.phone"])
      yield* w.admin.change(`/broadcasts/${id}`, { variables: { a: 1, c: "x" } })
      for (const step of ["preview", "start"]) expectFaults(yield* w.take(id, step), ["variables.phone"])
      const variables = { a: 1, c: "x", phone: "—" }
      expectStatus(yield* w.admin.change(`/broadcasts/${id}`, { variables }), 200)
      yield* w.admin.patch(`/bots/${w.bot}`, { connectors: [{ ...webhook, active: false }] })
      expectStatus(yield* w.take(id, "start"), 409, "STATE_NOT_ALLOWED")
      assert.deepStrictEqual(yield* w.results(id), none)
      yield* w.admin.patch(`/bots/${w.bot}`, { connectors: [{ ...webhook, active: true }] })
      expectStatus(yield* w.take(id, "start"), 200)
    })
  )

  it.effect("a broadcast or template with a fault is refused with its paths", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const filter = {
        tags: 5,
        nosuch: 1,
        createdAt: { gt: "yesterday", like: 1 },
        id: { in: [1, "2"] },
        email: { isNull: true }
      }
      const ofFilter = ["tags", "nosuch", "createdAt.gt", "createdAt.like", "id.in"]
      for (const [path, body, faults] of [
        ["/broadcasts", { audience: { filter } }, ofFilter.map((name) => `audience.filter.${name}`)],
        ["/broadcasts", { ratePerMinute: 6_001 }, ["ratePerMinute"]],
        ["/broadcasts", { audience: {} }, ["audience"]],
        ["/broadcasts", { audience: { clientIds: [] } }, ["audience.clientIds"]],
        ["/broadcasts/templates", { text: "{{" }, ["text"]]
      ] as const)
        expectFaults(yield* admin.post(path, { name: "x", ...body }), faults)
    })
  )

  it.effect(
    "a broadcast pauses and resumes without loss or repetition despite crashes",
    () =>
      Effect.gen(function* () {
        const w = yield* world
        const total = 230
        yield* w.sql`with c as (insert into clients (instance_id, name, tags)
          select ${w.instance}, 'Клієнт ' || i, '{аудиторія}' from generate_series(1, ${total}::int4) i returning instance_id, id)
        insert into client_identities (instance_id, channel, chat_id, client_id)
        select instance_id, 'web', 'b' || id, id from c`
        const id = yield* w.broadcast({ templateId: yield* w.template("Вітаю, {{name}}!") })
        expectStatus(yield* w.take(id, "start"), 200)
        const written = selectedCount(
          w.sql`select count(*)::float8 as count from deliveries where instance_id = ${w.instance}`
        )
        let clock = yield* w.now
        // An interrupted advance, as of a process that dies, and concurrent advances of several processes.
        for (let i = 0; i < 12; i++) {
          clock += 700
          const cut = yield* Effect.forkChild(w.queue.advance(clock))
          yield* Effect.sleep(i)
          yield* Fiber.interrupt(cut)
          yield* Effect.all([w.queue.advance(clock), w.queue.advance(clock)], { concurrency: "unbounded" })
          if (i !== 1) continue
          const before = yield* written
          assert.isAbove(before, 0)
          assert.isBelow(before, total)
          assert.strictEqual((yield* w.take(id, "pause")).body.status, "paused")
          expectStatus(yield* w.take(id, "pause"), 409)
          yield* w.runUntil(clock + 60_000)
          assert.strictEqual(yield* written, before)
          assert.strictEqual((yield* w.take(id, "resume")).body.status, "running")
        }
        yield* w.runUntil(clock + 1_000)
        while ((yield* written) < total) yield* w.runUntil((clock += 1_000))
        const [row] =
          yield* w.sql`select count(*)::int4 as recipients, count(distinct delivery_id)::int4 as deliveries,
          (select count(distinct d.chat_id)::int4 from deliveries d where d.instance_id = ${w.instance}) as chats
        from broadcast_recipients where instance_id = ${w.instance}`
        assert.deepStrictEqual(row, { recipients: total, deliveries: total, chats: total })
        assert.strictEqual(yield* written, total)
      }),
    60_000
  )

  it.effect("a scheduled broadcast is cancelled with all its queued recipients", () =>
    Effect.gen(function* () {
      const w = yield* world
      for (let i = 0; i < 3; i++) yield* w.client(`К${i}`, [at(randomUUID())])
      const templateId = yield* w.template("Вітаю")
      const now = yield* w.now
      const scheduledAt = new Date(now + 60_000).toISOString()
      const id = yield* w.broadcast({ templateId, scheduledAt, ratePerMinute: 60 })
      const scheduled = (yield* w.take(id, "start")).body
      assert.deepStrictEqual([scheduled.status, scheduled.startedAt], ["scheduled", null])
      assert.deepStrictEqual((yield* w.take(id, "preview")).body.eligible, 3)
      expectStatus(yield* w.admin.change(`/broadcasts/${id}`, { name: "y" }), 409, "STATE_NOT_ALLOWED")
      yield* w.runUntil(now + 59_000)
      assert.strictEqual((yield* w.read(id)).status, "scheduled")
      // One message a second.
      yield* w.runUntil(now + 60_100)
      assert.strictEqual((yield* w.read(id)).status, "running")
      assert.strictEqual(yield* w.enqueued(id), 1)
      yield* w.runUntil(now + 61_100)
      assert.strictEqual(yield* w.enqueued(id), 2)
      // A worker has claimed the line of the first recipient, and sends the message.
      const [first] = yield* w.recipients(id)
      yield* w.sql`update delivery_lines l set lease = gen_random_uuid(), leased_until = now() + interval '1 minute'
        from deliveries d where d.id = ${first.deliveryId}::uuid and l.instance_id = d.instance_id and l.chat_id = d.chat_id`
      const cancelled = yield* w.take(id, "cancel")
      assert.strictEqual(cancelled.body.status, "cancelled")
      assert.isString(cancelled.body.completedAt)
      assert.deepStrictEqual((yield* w.recipients(id)).map(members("status", "reason")), [
        ["queued", null],
        ["skipped", "cancelled"],
        ["skipped", "cancelled"]
      ])
      yield* w.sent(id)
      assert.deepStrictEqual(yield* w.results(id), counts({ total: 3, sent: 1, skipped: 2 }))
      const due = yield* w.sql`select 1 from delivery_lines
        where instance_id = ${w.instance} and due_at is not null and lease is null`
      assert.lengthOf(due, 0)
      for (const step of ["start", "preview"]) expectStatus(yield* w.take(id, step), 409, "STATE_NOT_ALLOWED")
    })
  )

  it.effect("a cancelled broadcast sends a delivery in flight once and nothing behind it", () =>
    Effect.gen(function* () {
      const w = yield* world
      const lines = yield* Effect.provide(DeliveryLines, DeliveryLinesPostgres.layer)
      for (let i = 0; i < 2; i++) yield* w.client(`К${i}`, [at(randomUUID())])
      const templateId = yield* w.template("Вітаю")
      const now = yield* w.now
      const started = Effect.fnUntraced(function* (from: number) {
        const id = yield* w.broadcast({ templateId })
        expectStatus(yield* w.take(id, "start"), 200)
        yield* w.runUntil(from + 500)
        return id
      })
      const [ahead, behind] = [yield* started(now), yield* started(now + 500)]
      const { deliveries } = yield* claimLines(lines, w.instance)
      const sending = (yield* w.recipients(ahead)).map(member("deliveryId")).toSorted()
      assert.deepStrictEqual(deliveries.map(({ id }) => id).toSorted(), sending)
      for (const id of [behind, ahead]) expectStatus(yield* w.take(id, "cancel"), 200)
      assert.deepStrictEqual(yield* w.results(behind), counts({ total: 2, skipped: 2 }))
      assert.deepStrictEqual(yield* w.results(ahead), counts({ total: 2, queued: 2 }))
      const settlements: ReadonlyArray<Settlement> = [
        { status: "sent", countsAsAttempt: true },
        { status: "queued", countsAsAttempt: true, reason: "no_answer" }
      ]
      yield* lines.settle(
        settlements.flatMap((settlement, i) => {
          const line = deliveries[i]
          return line === undefined ? [] : [{ line, deliveryId: line.id, settlement }]
        })
      )
      assert.deepStrictEqual(yield* w.results(ahead), counts({ total: 2, sent: 1, skipped: 1 }))
      assert.sameDeepMembers((yield* w.recipients(ahead)).map(members("status", "reason", "attempts")), [
        ["sent", null, 1],
        ["skipped", "cancelled", 1]
      ])
      const due = yield* w.sql`select 1 from delivery_lines
        where instance_id = ${w.instance} and (due_at is not null or lease is not null)`
      assert.lengthOf(due, 0)
    })
  )
})
