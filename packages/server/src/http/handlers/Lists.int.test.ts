// Every list of the service over HTTP, on the demo: random filters and orders against a plain evaluation of the records that the
// same list shows, and walks by cursor while records come in (contract §1.2).
import { assert, layer } from "@effect/vitest"
import { externalTokens } from "@rapport/contract/access/AccessApi.ts"
import { chats } from "@rapport/contract/appeals/ChatsApi.ts"
import { tickets } from "@rapport/contract/appeals/TicketsApi.ts"
import { auditLog } from "@rapport/contract/audit/AuditApi.ts"
import { broadcasts, recipients, templates } from "@rapport/contract/broadcasts/Broadcast.ts"
import { clientActions, clientStates, stateHistory } from "@rapport/contract/clients/ClientContextApi.ts"
import { clients } from "@rapport/contract/clients/ClientsApi.ts"
import { skillGroups, subjects } from "@rapport/contract/directory/DirectoryApi.ts"
import { properties } from "@rapport/contract/directory/PropertiesApi.ts"
import { type Collection, keyField } from "@rapport/contract/lists/Collection.ts"
import { assessments } from "@rapport/contract/quality/Assessment.ts"
import { checklists, criteria } from "@rapport/contract/quality/Criterion.ts"
import { bots, nodes } from "@rapport/contract/scenarios/Bot.ts"
import { calendars } from "@rapport/contract/statistics/Calendar.ts"
import { users } from "@rapport/contract/users/UsersApi.ts"
import { Effect, Fiber, Schema } from "effect"
import * as fc from "fast-check"
import { arbitraryQuery, expectedRows, queryOf, type Row } from "../../testing/ListModel.ts"
import { unlimitedEnvironment } from "../../testing/SharedDatabaseFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

const api = "/kw/api/v1"
const context = "/kw/clients/501/context"
const lists: ReadonlyArray<readonly [path: string, collection: Collection]> = [
  [`${api}/OpChatRooms/list`, chats],
  [`${api}/Ticket/list`, tickets],
  [`${api}/clients`, clients],
  [`${api}/users`, users],
  [`${api}/subjects`, subjects],
  [`${api}/skill-groups`, skillGroups],
  [`${api}/properties`, properties],
  [`${api}/statistics/calendars`, calendars],
  [`${api}/quality/criteria`, criteria],
  [`${api}/quality/checklists`, checklists],
  [`${api}/quality/assessments`, assessments],
  [`${api}/bots`, bots],
  [`${api}/bots/1/nodes`, nodes],
  [`${api}/broadcasts/templates`, templates],
  [`${api}/broadcasts`, broadcasts],
  [`${api}/auth/external-tokens`, externalTokens],
  [`${context}/actions`, clientActions],
  [`${context}/state`, clientStates],
  [`${context}/state/crm/history`, stateHistory],
  [`${api}/audit-log`, auditLog]
]
const QUERIES = 25

const Page = Schema.Struct({
  data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  total: Schema.Int,
  nextCursor: Schema.NullOr(Schema.String)
})
const decodePage = Schema.decodeUnknownEffect(Page)

const get = Effect.fnUntraced(function* (path: string, query: URLSearchParams) {
  const { send } = yield* RunningServer
  const { body, status, text } = yield* send({ path: `${path}?${query}` })
  assert.strictEqual(status, 200, `${path}?${query}: ${text}`)
  return yield* Effect.orDie(decodePage(body))
})

const post = Effect.fnUntraced(function* (path: string, body?: object) {
  const { send } = yield* RunningServer
  const made = yield* send({ method: "POST", path, body })
  assert.include([200, 201], made.status, `${path}: ${made.text}`)
  return Number(made.body.id)
})

/** Broadcasts in several states, and their recipients; none is ever due, so that nothing changes while it is read. */
const recipientLists = Effect.gen(function* () {
  const connectors = [{ channel: "web", kind: "webhook", url: "https://chat.example.com/hook" }]
  const botId = yield* post(`${api}/bots`, { name: "Розсилка", connectors })
  const templateIds = [
    yield* post(`${api}/broadcasts/templates`, { name: "Вітання", text: "Вітаємо!" }),
    yield* post(`${api}/broadcasts/templates`, { name: "Welcome", text: "Добро пожаловать" }),
    yield* post(`${api}/broadcasts/templates`, { name: "порожній" })
  ]
  const lists: Array<readonly [path: string, collection: Collection]> = []
  for (const [step, name] of [
    ["start", "Завтра"],
    ["cancel", "Never"],
    [undefined, "чернетка"]
  ] as const) {
    const id = yield* post(`${api}/broadcasts`, {
      name,
      botId,
      channel: "web",
      templateId: templateIds[step === "cancel" ? 1 : 0],
      audience: { filter: { createdAt: { gte: "2000-01-01T00:00:00Z" } } },
      scheduledAt: "2099-01-01T00:00:00Z",
      ratePerMinute: 60
    })
    if (step === undefined) continue
    yield* post(`${api}/broadcasts/${id}/start`)
    if (step === "cancel") yield* post(`${api}/broadcasts/${id}/cancel`)
    lists.push([`${api}/broadcasts/${id}/recipients`, recipients])
  }
  return lists
})

/** All records of a list, page by page; `between` runs after each page. */
const walk = Effect.fnUntraced(function* (
  path: string,
  query: Readonly<Record<string, string>>,
  between: Effect.Effect<unknown, never, RunningServer> = Effect.void
) {
  const rows: Array<Row> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const parameters: URLSearchParams = new URLSearchParams(cursor === "" ? query : { ...query, cursor })
    const page: typeof Page.Type = yield* get(path, parameters)
    rows.push(...page.data)
    cursor = page.nextCursor
    yield* between
  }
  return rows
})

layer(ServerFixtures.running(unlimitedEnvironment), { excludeTestServices: true, timeout: "120 seconds" })(
  "every list",
  (it) => {
    it.effect(
      "every list returns for random filters and orders what a plain evaluation gives",
      () =>
        Effect.gen(function* () {
          const permissions = ["chats.read", "tickets.read"]
          for (const name of ["перший", "second", "третій"])
            yield* post(`${api}/auth/external-tokens`, { name, permissions })
          for (const [path, collection] of [...lists, ...(yield* recipientLists)]) {
            const key = keyField(collection)
            const rows = yield* walk(path, { limit: "100" })
            assert.isNotEmpty(rows, path)
            assert.strictEqual(new Set(rows.map((row) => row[key])).size, rows.length, path)
            const samples = fc.sample(arbitraryQuery(collection, rows), { numRuns: QUERIES, seed: 19 })
            for (const sample of samples) {
              const query = queryOf(sample, collection)
              const wanted = expectedRows(rows, sample, collection)
              const page = yield* get(path, query)
              const what = `${path}?${decodeURIComponent(String(query))}`
              assert.strictEqual(page.total, wanted.length, what)
              assert.deepStrictEqual(
                page.data.map((row) => row[key]),
                wanted.slice(0, 100).map((row) => row[key]),
                what
              )
            }
          }
        }),
      120_000
    )

    it.effect(
      "every list is walked by cursor without a duplicate or a gap while records are added",
      () =>
        Effect.gen(function* () {
          for (const [path, list, body, field] of [
            [`${api}/OpChatRooms`, "/list", { clientId: 501, channel: "web" }, "messageCount"],
            [`${api}/Ticket`, "/list", { clientId: 501, title: "x" }, "number"],
            [`${api}/clients`, "", { name: "Ялинка" }, "updatedAt"]
          ] as const) {
            const make = post(path, body)
            for (const [by, direction] of [
              ["createdAt", "desc"],
              ["createdAt", "asc"],
              [field, "asc"],
              [field, "desc"]
            ] as const) {
              const before = yield* walk(`${path}${list}`, { limit: "100", fields: "id" })
              let left = 12
              // Some come in while a page is read, some between two pages.
              const inserting: Array<Fiber.Fiber<number>> = []
              const insert = Effect.gen(function* () {
                if (left-- <= 0) return
                inserting.push(yield* Effect.forkChild(make))
                yield* make
              })
              const query = { [`order[${by}]`]: direction, limit: "11", fields: "id" }
              const ids = (yield* walk(`${path}${list}`, query, insert)).map(({ id }) => id)
              yield* Effect.forEach(inserting, Fiber.join)
              const what = `${path} by ${by} ${direction}`
              assert.strictEqual(new Set(ids).size, ids.length, `${what}: twice`)
              assert.isEmpty(
                before.filter(({ id }) => !ids.includes(id)),
                `${what}: missed`
              )
            }
          }
        }),
      120_000
    )
  }
)
