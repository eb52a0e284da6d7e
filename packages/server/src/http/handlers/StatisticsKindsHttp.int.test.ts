// Statistics of tickets, priorities, outgoing chats and satisfaction, with figures computed by hand, and dates of a time zone
// (contract §9.3).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  expectFaults,
  expectStatus,
  member,
  members,
  newInstance,
  RestFixtures
} from "../../testing/RestFixtures.ts"

const day = (time: string) => `2026-03-02T${time}:00Z`
const range = "from=2026-03-01&to=2026-04-01"

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const operator = yield* rest.user(instance, ["operator"])
  const subject = yield* admin.makeId("/subjects", { name: "Рахунки", alias: "billing" })
  const client = yield* admin.makeId("/clients", { name: "Олена" })
  const get = (path: string) => admin.read(`/statistics/${path}`)
  const message = (authorType: "client" | "operator" | "bot", time: string) => ({
    authorType,
    text: "Добрий день",
    occurredAt: day(time),
    ...(authorType === "operator" ? { authorId: operator.id } : {})
  })
  const of = { clientId: client, subjectId: subject }
  const ticket = (body: object) =>
    admin.makeId("/Ticket", { ...of, title: "Роутер", operatorId: operator.id, ...body })
  const chat = (body: object) => admin.makeId("/OpChatRooms", { ...of, channel: "web", ...body })
  return { rest, instance, admin, operator, subject, client, get, message, ticket, chat }
})

/** Three tickets: answered after 30 minutes and solved after 4 hours, unanswered, and opened by the operator. */
const threeTickets = Effect.gen(function* () {
  const made = yield* world
  const { chat, message, ticket } = made
  const solved = yield* ticket({
    createdAt: day("08:00"),
    closedAt: day("12:00"),
    priority: "urgent",
    messages: [message("client", "08:05"), message("operator", "08:30"), message("operator", "11:00")]
  })
  const waiting = yield* ticket({ createdAt: day("09:00"), messages: [message("client", "09:00")] })
  const opened = yield* ticket({
    createdAt: day("10:00"),
    authorType: "operator",
    authorId: made.operator.id,
    messages: [message("operator", "10:01"), message("client", "11:00"), message("operator", "11:10")]
  })
  yield* chat({ createdAt: day("08:00"), messages: [message("client", "08:00")] })
  return { ...made, solved, waiting, opened }
})

layer(RestFixtures)("the statistics of tickets and outgoing chats", (it) => {
  it.effect("the reports with kind=ticket have the rows and priorities of tickets, and follow changes", () =>
    Effect.gen(function* () {
      const { admin, get, opened, solved, waiting } = yield* threeTickets
      const { rows: byPriority } = yield* get(`dialogues?${range}&kind=ticket&groupBy=priority`)
      assert.deepStrictEqual(byPriority.map(member("key")), [{ priority: "normal" }, { priority: "urgent" }])
      assert.deepStrictEqual(byPriority.map(member("metrics")).map(member("count")), [2, 1])
      const rows = (more: string) => get(`dialogues/rows?${range}&kind=ticket&${more}`)
      const names = [
        "appealId",
        "kind",
        "status",
        "statusGroup",
        "priority",
        "isOutgoing",
        "tfrSec",
        "ttcSec"
      ]
      // Answered 30 minutes after the creation, and 10 minutes after the client of the opened ticket wrote.
      assert.deepStrictEqual((yield* rows("order[appealId]=asc")).data.map(members(...names)), [
        [solved, "ticket", "resolved", "done", "urgent", false, 1_800, 14_400],
        [waiting, "ticket", "new", "new", "normal", false, null, null],
        [opened, "ticket", "new", "new", "normal", true, 600, null]
      ])
      for (const filter of ["filter[priority]=urgent", "filter[isOutgoing]=true"])
        assert.strictEqual((yield* rows(filter)).total, 1, filter)
      // Changes follow.
      const changed = yield* admin.change(`/Ticket/${waiting}`, { priority: "high", status: "resolved" })
      expectStatus(changed, 200)
      const { data } = yield* rows(`filter[appealId]=${waiting}`)
      const ttcSec = (Date.parse(changed.body.closedAt) - Date.parse(day("09:00"))) / 1_000
      assert.deepInclude(data[0], { priority: "high", statusGroup: "done", ttcSec })
    })
  )

  it.effect("a target has overrides for tickets and priorities", () =>
    Effect.gen(function* () {
      const { admin, get, subject } = yield* threeTickets
      const target = {
        tfrSec: 60,
        ttcSec: null,
        calendarId: null,
        overrides: [
          { kind: "ticket", priority: null, tfrSec: 600, ttcSec: null },
          { kind: "ticket", priority: "urgent", tfrSec: 1_799, ttcSec: 14_400 }
        ]
      }
      const path = `/statistics/sla/targets/${subject}`
      assert.deepStrictEqual((yield* admin.put(path, target)).body, target)
      assert.deepStrictEqual(yield* admin.read(path), target)

      // Urgent: answered a second too late, solved in time. Normal: one unanswered for months, one after just 600 seconds.
      const tickets = yield* get(`sla?${range}&kind=ticket`)
      assert.deepStrictEqual(tickets.rows, [
        {
          key: { subjectId: subject },
          metrics: {
            tfr: { targetSec: null, met: 1, breached: 2, running: 0, metRate: 0.333333 },
            ttc: { targetSec: 14_400, met: 1, breached: 0, running: 0, metRate: 1 }
          }
        }
      ])
      const byPriority = yield* get(`sla?${range}&kind=ticket&groupBy=priority`)
      assert.deepStrictEqual(byPriority.rows, [
        {
          key: { subjectId: subject, priority: "normal" },
          metrics: {
            tfr: { targetSec: 600, met: 1, breached: 1, running: 0, metRate: 0.5 },
            ttc: null
          }
        },
        {
          key: { subjectId: subject, priority: "urgent" },
          metrics: {
            tfr: { targetSec: 1_799, met: 0, breached: 1, running: 0, metRate: 0 },
            ttc: { targetSec: 14_400, met: 1, breached: 0, running: 0, metRate: 1 }
          }
        }
      ])
      const chats = yield* get(`sla?${range}`)
      assert.deepStrictEqual(chats.rows[0].metrics, {
        tfr: { targetSec: 60, met: 0, breached: 1, running: 0, metRate: 0 },
        ttc: null
      })
      const breached = yield* get(`dialogues/rows?${range}&kind=ticket&filter[tfrTarget]=breached`)
      assert.strictEqual(breached.total, 2)

      const [bare, full] = [
        { kind: "ticket", tfrSec: 60 },
        { kind: "ticket", priority: null, tfrSec: 61 }
      ]
      expectFaults(yield* admin.put(path, { overrides: [bare, full] }), ["overrides[1]"])
    })
  )

  it.effect("an outgoing chat waits for an answer only after its client wrote", () =>
    Effect.gen(function* () {
      const { admin, chat, get, message, subject } = yield* world
      const group = yield* admin.makeId("/skill-groups", { name: "g", subjectIds: [subject] })
      yield* admin.put(`/statistics/sla/targets/${subject}`, { tfrSec: 300, ttcSec: 3_600 })
      yield* chat({ createdAt: day("08:00"), isOutgoing: true, messages: [message("bot", "08:00")] })
      // The operator's reminder of 08:30 is no answer.
      yield* chat({
        createdAt: day("08:00"),
        closedAt: day("10:30"),
        isOutgoing: true,
        messages: [
          message("bot", "08:00"),
          message("operator", "08:30"),
          message("client", "10:00"),
          message("operator", "10:05")
        ]
      })
      yield* chat({
        createdAt: day("08:00"),
        closedAt: day("08:20"),
        messages: [message("client", "08:00"), message("operator", "08:01")]
      })
      const { totals } = yield* get(`dialogues?${range}`)
      assert.deepInclude(totals, { outgoing: 2, tfr: { avg: 180, p50: 180, p90: 276 } })
      const sla = yield* get(`sla?${range}`)
      const kept = { met: 2, breached: 0, running: 0, metRate: 1 }
      assert.deepStrictEqual(sla.totals, { tfr: kept, ttc: kept })
      const request = { scope: { entity: "skill_group", id: group }, sections: ["state"] }
      const pack = yield* admin.post("/kw/chatrooms/context/retrieve", request)
      assert.strictEqual(pack.body.sections.state.queueLength, 0)
      const silent = yield* get(`dialogues?${range}&filter[isOutgoing]=true&filter[statusGroup][ne]=done`)
      const none = { avg: null, p50: null, p90: null }
      assert.deepStrictEqual([silent.totals.count, silent.totals.tfr], [1, none])
    })
  )

  it.effect("a late message of the client moves the wait of an outgoing chat", () =>
    Effect.gen(function* () {
      const { admin, chat, get, message } = yield* world
      const id = yield* chat({
        createdAt: day("08:00"),
        isOutgoing: true,
        messages: [message("operator", "08:10"), message("operator", "09:00"), message("client", "09:30")]
      })
      const wait = Effect.map(get(`dialogues/rows?${range}`), ({ data }) => data[0].tfrSec)
      const write = (author: "client" | "operator", time: string) =>
        admin.post(`/OpChatRooms/${id}/messages`, message(author, time))
      assert.strictEqual(yield* wait, null)
      yield* write("operator", "10:00")
      assert.strictEqual(yield* wait, 1_800)
      yield* write("client", "08:50")
      assert.strictEqual(yield* wait, 600)
      yield* write("operator", "08:55")
      assert.strictEqual(yield* wait, 300)
    })
  )

  it.effect("a date of from and to is the day of the time zone, of 23 and 25 hours too", () =>
    Effect.gen(function* () {
      const { chat, get } = yield* world
      // The first and last second of the days in Kyiv on which the clock changes, and the seconds next to them.
      const times = [
        ["2026-03-28T21:59:59Z", "2026-03-28T22:00:00Z", "2026-03-29T20:59:59Z", "2026-03-29T21:00:00Z"],
        ["2025-10-25T20:59:59Z", "2025-10-25T21:00:00Z", "2025-10-26T21:59:59Z", "2025-10-26T22:00:00Z"]
      ]
      for (const createdAt of times.flat()) yield* chat({ createdAt })
      const zone = "timezone=Europe/Kyiv"
      const spring = yield* get(`dialogues?from=2026-03-29&to=2026-03-30&${zone}&interval=day`)
      assert.deepInclude(spring, { from: "2026-03-28T22:00:00.000Z", to: "2026-03-29T21:00:00.000Z" })
      assert.deepStrictEqual([spring.totals.count, spring.rows.length], [2, 1])
      const autumn = yield* get(`dialogues/rows?from=2025-10-26&to=2025-10-27&${zone}`)
      assert.deepStrictEqual(autumn.data.map(member("createdAt")), [
        "2025-10-26T21:59:59.000Z",
        "2025-10-25T21:00:00.000Z"
      ])
      const utc = yield* get("dialogues?from=2026-03-29&to=2026-03-30")
      assert.deepInclude(utc, { from: "2026-03-29T00:00:00.000Z", to: "2026-03-30T00:00:00.000Z" })
      const timed = yield* get(`dialogues?from=2026-03-29T00:00:00&to=2026-03-30T00:00:00%2B03:00&${zone}`)
      assert.deepInclude(timed, { from: "2026-03-29T00:00:00.000Z", to: "2026-03-29T21:00:00.000Z" })
      // 366 days, of which one has 25 hours.
      const year = yield* get(`dialogues?from=2023-10-28&to=2024-10-28&${zone}`)
      assert.strictEqual(Date.parse(year.to) - Date.parse(year.from), (366 * 24 + 1) * 3_600_000)
    })
  )

  it.effect("the report of satisfaction counts actions of type csat.answered by the time of the answer", () =>
    Effect.gen(function* () {
      const { admin, chat, client, get, instance, operator, rest, subject } = yield* world
      const rated = yield* chat({ createdAt: day("08:00"), operatorId: operator.id, priority: "high" })
      const answered = Effect.fnUntraced(function* (payload: object, more: object = {}) {
        const action = {
          type: "csat.answered",
          actorType: "client",
          occurredAt: day("12:00"),
          payload,
          ...more
        }
        expectStatus(yield* admin.post(`/kw/clients/${client}/context/actions`, action), 201)
      })
      yield* answered({ score: 5 }, { appealId: rated })
      yield* answered({ score: 2 }, { appealId: rated })
      yield* answered({ score: 4 }, { channel: "email" })
      yield* answered({ score: 1 }, { appealId: rated, occurredAt: "2026-04-01T00:00:00Z" })
      for (const payload of [{ score: 6 }, { score: 0 }, { score: 4.5 }, { score: "5" }, {}])
        yield* answered(payload)
      yield* answered({ score: 5 }, { type: "survey.answered" })

      const report = yield* get(`csat?${range}`)
      const all = {
        answers: 3,
        average: 3.666667,
        satisfied: 2,
        csat: 0.666667,
        scores: { "1": 0, "2": 1, "3": 0, "4": 1, "5": 1 }
      }
      assert.deepStrictEqual(report.totals, all)
      assert.deepStrictEqual(report.rows, [{ key: {}, metrics: all }])
      assert.sameMembers(Object.keys(report.definitions), Object.keys(all))
      const of = Effect.fnUntraced(function* (query: string) {
        const { rows } = yield* get(`csat?${range}&${query}`)
        return rows.map((row: { key: object; metrics: { answers: number } }) => [
          row.key,
          row.metrics.answers
        ])
      })
      assert.deepStrictEqual(yield* of("groupBy=subject"), [
        [{ subjectId: subject }, 2],
        [{ subjectId: null }, 1]
      ])
      assert.deepStrictEqual(yield* of("groupBy=operator"), [
        [{ operatorId: operator.id }, 2],
        [{ operatorId: null }, 1]
      ])
      assert.deepStrictEqual(yield* of("groupBy=channel"), [
        [{ channel: "email" }, 1],
        [{ channel: "web" }, 2]
      ])
      assert.deepStrictEqual(yield* of("groupBy=priority&filter[kind]=chat"), [[{ priority: "high" }, 2]])
      assert.deepStrictEqual(yield* of("interval=month&timezone=Europe/Kyiv"), [
        [{ bucket: "2026-02-28T22:00:00.000Z" }, 3]
      ])
      assert.deepStrictEqual(yield* of("filter[score][gte]=4"), [[{}, 2]])
      const csv = yield* admin.get(`/statistics/csat?${range}&format=csv`)
      assert.strictEqual(
        csv.text,
        "\uFEFFanswers,average,satisfied,csat,scores.1,scores.2,scores.3,scores.4,scores.5\r\n3,3.666667,2,0.666667,0,1,0,1,1\r\n"
      )

      const analyst = yield* rest.user(instance, ["analyst"])
      const supervisor = yield* rest.user(instance, ["supervisor"])
      const lead = yield* rest.user(
        instance,
        ["supervisor"],
        [(yield* admin.make("/skill-groups", { name: "g", subjectIds: [subject] })).id]
      )
      const counts = yield* Effect.forEach([analyst, supervisor, lead], (who) =>
        Effect.map(who.get(`/statistics/csat?${range}`), ({ body }) => body.totals.answers)
      )
      assert.deepStrictEqual(counts, [3, 0, 2])
    })
  )
})
