// The statistics over HTTP: files with the rows of the JSON, the dialogues of every number, visibility, and refused requests
// (contract §9.3).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ClientDataStorePostgres from "../../postgres/clients/ClientDataStorePostgres.ts"
import {
  expectFaults,
  expectStatus,
  finishErasure,
  member,
  newInstance,
  pathsOf,
  RestFixtures
} from "../../testing/RestFixtures.ts"

const range = "from=2026-03-01&to=2026-04-01"
const at = (day: number, time = "10:00") => `2026-03-${String(day).padStart(2, "0")}T${time}:00Z`

/** Cells of a CSV file without commas in its cells. */
const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  assert.isTrue(text.startsWith("\uFEFF"))
  const lines = text.slice(1).split("\r\n")
  return lines.slice(0, -1).map((line) => line.split(","))
}

const world = Effect.gen(function* () {
  const { admin, instance, rest } = yield* newInstance
  const { makeId: make } = admin
  const subjects = [
    yield* make("/subjects", { name: "Рахунки", alias: "a" }),
    yield* make("/subjects", { name: "Доставка", alias: "b" })
  ] as const
  const group = yield* make("/skill-groups", { name: "g", subjectIds: [subjects[0]] })
  const supervisor = yield* rest.user(instance, ["supervisor"], [group])
  const operators = [
    yield* rest.user(instance, ["operator"], [group]),
    yield* rest.user(instance, ["operator"])
  ] as const
  const client = yield* make("/clients", { name: "Олена" })
  const channels = ["web", "viber", "Сайт №1", "telegram"]
  for (let n = 0; n < 24; n++) {
    const day = 1 + n
    const operatorId = operators[n % 2 === 0 ? 0 : 1].id
    yield* make("/OpChatRooms", {
      clientId: client,
      channel: channels[n % 4],
      ...(n % 5 === 4 ? {} : { subjectId: subjects[n % 3 === 0 ? 0 : 1] }),
      ...(n % 6 === 5 ? {} : { operatorId }),
      createdAt: at(day),
      ...(n % 3 === 2 ? {} : { closedAt: at(day, "12:30"), status: "closed" }),
      messages: [
        { authorType: "client", text: "Де замовлення?", occurredAt: at(day) },
        ...(n % 4 === 3 || n % 6 === 5
          ? []
          : [{ authorType: "operator", authorId: operatorId, text: "Зараз", occurredAt: at(day, "10:07") }])
      ]
    })
  }
  return { rest, instance, admin, supervisor, operators, subjects, make, client }
})

const fromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const weekFrom = (from: string) => [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from, to: "18:00" }))

const cellOf = (value: unknown): string => String(value ?? "")
const metricOf = (metrics: unknown, path: string): unknown =>
  path.split(".").reduce((part, name) => Object(part)[name], metrics)

interface Dialogue {
  readonly appealId: number
  readonly status: string
}

const filterOf = (name: string, value: number | string | null): string =>
  value === null ? `&filter[${name}][isNull]=true` : `&filter[${name}]=${encodeURIComponent(value)}`

layer(RestFixtures)("the statistics over HTTP", (it) => {
  it.effect("a statistics file has the rows of the JSON in their order", () =>
    Effect.gen(function* () {
      const { admin, subjects } = yield* world
      yield* admin.put(`/statistics/sla/targets/${subjects[0]}`, { tfrSec: 300, ttcSec: 36_000 })
      for (const report of ["dialogues", "operators", "sla"])
        for (const more of ["", "&interval=week", "&groupBy=channel", "&groupBy=operator&interval=day"]) {
          const query = `/statistics/${report}?${range}${more}`
          const json = yield* admin.get(query)
          const csv = yield* admin.get(`${query}&format=csv`)
          expectStatus(csv, 200)
          assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
          assert.strictEqual(csv.headers.get("cache-control"), "no-store")
          const [header = [], ...lines] = cellsOf(csv.text)
          assert.isNotEmpty(lines)
          const rows: ReadonlyArray<{ key: Record<string, unknown>; metrics: unknown }> = json.body.rows
          const wanted = rows.map(({ key, metrics }) =>
            header.map((name) => cellOf(name in key ? key[name] : metricOf(metrics, name)))
          )
          assert.deepStrictEqual(lines, wanted, `${query}\n${csv.text}`)
        }
    })
  )

  it.effect("the statistics stream all dialogues of a report, or the requested page", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const path = `/statistics/dialogues/rows?${range}&order[tfrSec]=asc`
      const { data, total } = yield* admin.read(`${path}&limit=100`)
      assert.strictEqual(total, 24)
      const names = Object.keys(data[0])
      const wanted = data.map((row: object) => Object.values(row).map(cellOf))
      const file = (more: string) =>
        Effect.map(admin.get(`${path}&format=csv${more}`), ({ text }) => cellsOf(text))
      assert.deepStrictEqual(yield* file(""), [names, ...wanted])
      assert.deepStrictEqual(yield* file("&limit=5&offset=3"), [names, ...wanted.slice(3, 8)])
      assert.deepStrictEqual((yield* file("&fields=tfrSec"))[0], ["appealId", "tfrSec"])
    })
  )

  it.effect("every number of the statistics leads to its dialogues and to the list of chats", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const total = (path: string) => Effect.map(admin.read(path), (list) => Number(list.total))
      const days = 86_400_000
      for (const report of ["dialogues", "operators"])
        for (const groupBy of ["subject", "operator", "channel"]) {
          const query = `${range}&groupBy=${groupBy}&interval=day`
          const { body } = yield* admin.get(`/statistics/${report}?${query}`)
          assert.isNotEmpty(body.rows)
          for (const { key, metrics } of body.rows) {
            const { bucket, ...members } = key
            const end = new Date(Date.parse(bucket) + days).toISOString()
            const filters = Object.entries(members as Record<string, string | number | null>)
              .map(([name, value]) => filterOf(name, value))
              .join("")
            const rows = `/statistics/dialogues/rows?from=${bucket}&to=${end}${filters}`
            const chats = `/OpChatRooms/list?filter[createdAt][gte]=${bucket}&filter[createdAt][lt]=${end}${filters}`
            const count = metrics.count ?? metrics.dialogues
            assert.strictEqual(yield* total(rows), count, rows)
            assert.strictEqual(yield* total(chats), count, chats)
            assert.strictEqual(yield* total(`${rows}&filter[status]=closed`), metrics.closed)
            assert.strictEqual(yield* total(`${rows}&filter[status][ne]=closed`), metrics.open)
          }
        }
      // A report counts only dialogues that pass its filters.
      const late = `${range}&filter[tfrSec][gt]=60`
      const { totals } = yield* admin.read(`/statistics/dialogues?${late}`)
      assert.strictEqual(totals.count, yield* total(`/statistics/dialogues/rows?${late}`))
      assert.strictEqual(totals.tfr.p50, 420)
    })
  )

  it.effect("the statistics count the instance for an analyst, visible subjects for supervisors", () =>
    Effect.gen(function* () {
      const { admin, instance, operators, rest, subjects, supervisor } = yield* world
      const analyst = yield* rest.user(instance, ["analyst"])
      const lead = yield* rest.user(instance, ["qa_lead"])
      const stranger = yield* rest.user(instance, ["supervisor"])
      const elsewhere = yield* rest.user(yield* rest.instance, ["administrator"])
      const token = yield* rest.token(admin, ["statistics.read"])
      const path = `/statistics/dialogues?${range}`
      for (const who of [admin, analyst, lead, token])
        assert.strictEqual((yield* who.read(path)).totals.count, 24)
      for (const who of [stranger, elsewhere]) assert.strictEqual((yield* who.read(path)).totals.count, 0)
      const seen = yield* supervisor.read("/OpChatRooms/list?limit=100")
      assert.isBelow(seen.total, 24)
      assert.strictEqual((yield* supervisor.read(path)).totals.count, seen.total)
      for (const { operatorIds, subjectId } of seen.data)
        assert.isTrue(subjectId === subjects[0] || operatorIds.includes(operators[0].id))
    })
  )

  it.effect("the statistics contain every metric and follow changes immediately", () =>
    Effect.gen(function* () {
      const { admin, client, make, operators, subjects } = yield* world
      const opened = { clientId: client, channel: "web", operatorId: operators[0].id }
      const chat = yield* make("/OpChatRooms", opened)
      const query = `from=${fromNow(-60)}&to=${fromNow(1)}`
      const report = admin.read(`/statistics/dialogues?${query}&groupBy=subject`)
      const before = yield* report
      assert.deepStrictEqual(before.rows.map(member("key")), [{ subjectId: null }])
      assert.strictEqual(before.totals.open, 1)
      assert.isNull(before.totals.tfr.avg)
      assert.sameMembers(Object.keys(before.definitions), Object.keys(before.totals))
      yield* operators[0].make(`/OpChatRooms/${chat}/messages`, { text: "Добрий день" })
      yield* admin.change(`/OpChatRooms/${chat}`, { subjectId: subjects[1], status: "closed" })
      const after = yield* report
      assert.deepStrictEqual(after.rows.map(member("key")), [{ subjectId: subjects[1] }])
      assert.deepInclude(after.totals, { closed: 1, messages: 1 })
      assert.isNumber(after.totals.tfr.p90)
      assert.isNumber(after.totals.ttc.p50)
    })
  )

  it.effect("the statistics survive the merge and erasure of a client and follow late closings", () =>
    Effect.gen(function* () {
      const { admin, client, instance, make } = yield* world
      const readBody = (path: string) => admin.read(`/statistics/${path}`)
      const counted = readBody(`dialogues?${range}&groupBy=subject&interval=week`)
      const listed = readBody(`dialogues/rows?${range}&limit=100`)
      const [report, rows] = [yield* counted, yield* listed]
      assert.strictEqual(rows.total, 24)
      const survivor = yield* make("/clients", { name: "Ольга" })
      expectStatus(yield* admin.post(`/clients/${client}/merge`, { intoId: survivor }), 200)
      assert.deepStrictEqual([yield* counted, yield* listed], [report, rows], "merged")

      const [chat] = rows.data.filter(({ status }: Dialogue) => status !== "closed")
      const closed = yield* admin.change(`/OpChatRooms/${chat.appealId}`, { status: "closed" })
      expectStatus(closed, 200)
      const { closedAt } = closed.body
      const [row] = (yield* listed).data.filter(({ appealId }: Dialogue) => appealId === chat.appealId)
      const ttcSec = (Date.parse(closedAt) - Date.parse(chat.createdAt)) / 1_000
      assert.deepStrictEqual(row, { ...chat, status: "closed", statusGroup: "done", closedAt, ttcSec })
      assert.strictEqual((yield* counted).totals.closed, report.totals.closed + 1)
      const [later, laterRows] = [yield* counted, yield* listed]

      expectStatus(yield* admin.post(`/clients/${survivor}/erase`), 202)
      yield* finishErasure(instance, survivor)
      expectStatus(yield* admin.get(`/clients/${survivor}`), 404)
      // The erasure closes open dialogues and changes no other number.
      const { totals } = yield* counted
      const { count, messages, tfr } = later.totals
      const none = { open: 0, outgoing: 0, reopenings: 0 }
      assert.deepStrictEqual(totals, { ...none, count, closed: count, messages, tfr, ttc: totals.ttc })
      const wanted = laterRows.data.filter(({ status }: Dialogue) => status === "closed")
      const now = yield* listed
      assert.strictEqual(now.total, 24)
      assert.includeDeepMembers(now.data, wanted)
    }).pipe(Effect.provide(ClientDataStorePostgres.layerOf(0)))
  )

  it.effect("the statistics measure old dialogues by the current calendar and target", () =>
    Effect.gen(function* () {
      const { admin, make, subjects } = yield* world
      const target = `/statistics/sla/targets/${subjects[0]}`
      const calendar = yield* make("/statistics/calendars", { name: "Зміна", weekly: weekFrom("09:00") })
      const tfr = Effect.gen(function* () {
        const { rows, totals } = yield* admin.read(
          `/statistics/sla?${range}&filter[subjectId]=${subjects[0]}`
        )
        const { breached, met } = rows[0].metrics.tfr
        assert.deepInclude(totals.tfr, { met, breached })
        return [met, breached]
      })
      // Each dialogue is answered after seven minutes, or not at all.
      yield* admin.put(target, { tfrSec: 420, calendarId: calendar })
      const [met = 0, unanswered = 0] = yield* tfr
      assert.isAbove(met, 0)
      yield* admin.put(target, { tfrSec: 419, calendarId: calendar })
      assert.deepStrictEqual(yield* tfr, [0, met + unanswered])
      const change = (weekly: ReadonlyArray<object>) =>
        admin.change(`/statistics/calendars/${calendar}`, { weekly })
      expectStatus(yield* change(weekFrom("10:01")), 200)
      assert.deepStrictEqual(yield* tfr, [met, unanswered], "a minute less counts")
      expectStatus(yield* change([]), 200)
      const [all = 0, none = 0] = yield* tfr
      assert.deepStrictEqual([all, none], [met, 0], "no second counts")
    })
  )

  it.effect("a statistics range ends after it begins, within 366 days, in an existing zone", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const refused = [
        ["to=2026-04-01", "from", "INVALID_REQUEST"],
        ["from=2026-03-01", "to", "INVALID_REQUEST"],
        ["from=2026-04-01&to=2026-04-01", "to", "INVALID_REQUEST"],
        ["from=2026-02-30&to=2026-04-01", "from", "INVALID_REQUEST"],
        ["from=2025-01-01&to=2026-01-03", "to", "QUERY_BUDGET_EXCEEDED"],
        [`${range}&timezone=Europe/Nowhere`, "timezone", "INVALID_REQUEST"],
        [`${range}&timezone=%2B02:00`, "timezone", "INVALID_REQUEST"],
        [`${range}&groupBy=client`, "groupBy", "INVALID_REQUEST"],
        [`${range}&interval=minute`, "interval", "INVALID_REQUEST"],
        [`${range}&format=xml`, "format", "INVALID_REQUEST"],
        [`${range}&filter[clientId]=1`, "filter[clientId]", "INVALID_REQUEST"]
      ] as const
      for (const report of ["dialogues", "operators", "sla", "dialogues/rows"])
        for (const [query, path, code] of refused) {
          const answer = yield* admin.get(`/statistics/${report}?${query}`)
          expectStatus(answer, 400, code)
          assert.deepStrictEqual(pathsOf(answer), [path], answer.text)
        }
      for (const to of ["2025-01-01", "2025-01-01T00:00:00", "2025-01-01T00:00:00Z"]) {
        const year = yield* admin.read(`/statistics/dialogues?from=2024-01-01&to=${to}&interval=month`)
        assert.lengthOf(year.rows, 12)
      }
      const rows = "/statistics/dialogues/rows"
      const cursor = (yield* admin.read(`${rows}?${range}&limit=2`)).nextCursor
      // A cursor of another range.
      expectStatus(yield* admin.get(`${rows}?from=2026-03-02&to=2026-04-01&cursor=${cursor}`), 400)
    })
  )

  it.effect("calendars have no overlaps, and targets use calendars", () =>
    Effect.gen(function* () {
      const { admin, subjects } = yield* world
      const calendar = {
        name: "Зміна",
        timezone: "Europe/Kyiv",
        weekly: [{ day: 1, from: "09:00", to: "24:00" }]
      }
      const post = (body: object) => admin.post("/statistics/calendars", body)
      const made = yield* post({ ...calendar, holidays: ["2026-12-25", "2026-01-01", "2026-12-25"] })
      expectStatus(made, 201)
      const { id } = made.body
      assert.strictEqual(made.headers.get("location"), `/kw/api/v1/statistics/calendars/${id}`)
      const holidays = ["2026-01-01", "2026-12-25"]
      assert.deepStrictEqual(made.body, { id, ...calendar, holidays, version: 1 })
      const plain = (yield* post({ name: "x" })).body
      const usual = { timezone: "UTC", weekly: [], holidays: [], version: 1 }
      assert.deepStrictEqual(plain, { id: plain.id, name: "x", ...usual })
      const hours = (...weekly: ReadonlyArray<readonly [number, string, string]>) => ({
        ...calendar,
        weekly: weekly.map(([day, from, to]) => ({ day, from, to }))
      })
      for (const [body, path] of [
        [hours([1, "09:00", "13:00"], [1, "12:59", "18:00"]), "weekly[1]"],
        [hours([1, "09:00", "09:00"]), "weekly[0].to"],
        [hours([1, "24:00", "24:00"]), "weekly[0].from"],
        [hours([8, "09:00", "10:00"]), "weekly[0].day"],
        [{ ...calendar, timezone: "+02:00" }, "timezone"],
        [{ ...calendar, holidays: ["2026-02-29"] }, "holidays[0]"],
        [{ timezone: "UTC" }, "name"]
      ] as const)
        expectFaults(yield* post(body), [path])
      const adjacent = hours([1, "09:00", "13:00"], [1, "13:00", "18:00"], [2, "09:00", "13:00"])
      expectStatus(yield* post(adjacent), 201)
      const patched = yield* admin.change(`/statistics/calendars/${id}`, { holidays: [] })
      assert.deepInclude(patched.body, { version: 2, holidays: [] })

      const target = `/statistics/sla/targets/${subjects[0]}`
      const none = { tfrSec: null, ttcSec: null, calendarId: null, overrides: [] }
      assert.deepStrictEqual(yield* admin.read(target), none)
      const set = { tfrSec: 300, ttcSec: null, calendarId: id }
      const stored = { ...set, overrides: [] }
      assert.deepStrictEqual((yield* admin.put(target, set)).body, stored)
      assert.deepStrictEqual(yield* admin.read(target), stored)
      for (const body of [{ tfrSec: 0 }, { ttcSec: 1.5 }, { tfrSec: 366 * 86_400 + 1 }])
        expectStatus(yield* admin.put(target, body), 400)
      assert.deepStrictEqual(yield* admin.read(target), stored)
    })
  )
})
