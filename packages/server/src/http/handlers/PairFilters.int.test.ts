// Clients by property, chats and tickets by custom field, over HTTP on a real PostgreSQL (contract §1.2, "Filters").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  expectStatus,
  newInstance,
  RestFixtures,
  type RestCaller,
  member
} from "../../testing/RestFixtures.ts"

const filteredIds = (who: RestCaller, list: string, filters: Readonly<Record<string, string>>) =>
  Effect.map(
    who.get(`${list}?${new URLSearchParams({ "order[id]": "asc", ...filters })}`),
    ({ body, status }): ReadonlyArray<number> | number =>
      status === 200 ? body.data.map(member("id")) : status
  )

layer(RestFixtures)("filters by named values", (it) => {
  it.effect("clients are found by their properties, with the operators of the list", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      for (const [name, type] of [
        ["city", "string"],
        ["points", "number"],
        ["since", "date"],
        ["vip", "boolean"]
      ])
        yield* admin.make("/properties", { entity: "client", name, label: name, type })
      const client = Effect.fnUntraced(function* (values: object) {
        const id = yield* admin.makeId("/clients", { name: "Клієнт" })
        expectStatus(yield* admin.put(`/clients/${id}/properties`, { values }), 200)
        return id
      })
      const kyiv = yield* client({ city: "Київ", points: 9, since: "2025-01-31", vip: true })
      const lviv = yield* client({ city: "Львів: центр", points: 120, since: "2026-02-01", vip: false })
      const none = yield* client({})
      for (const [operator, value, ids] of [
        ["", "city:Київ", [kyiv]],
        ["", "city:київ", []],
        ["", "city:Львів: центр", [lviv]],
        ["", "points:120", [lviv]],
        ["", "vip:true", [kyiv]],
        ["", "unknown:1", []],
        ["[ne]", "city:Київ", [lviv, none]],
        ["[in]", "city:Київ,points:120", [kyiv, lviv]],
        ["[nin]", "city:Київ,points:120", [none]],
        ["[gt]", "points:9", [lviv]],
        ["[gte]", "points:9", [kyiv, lviv]],
        ["[lt]", "points:120", [kyiv]],
        ["[lte]", "since:2025-12-31", [kyiv]],
        ["[gt]", "since:2025-12-31", [lviv]],
        ["[gt]", "city:5", []]
      ] as const)
        assert.deepStrictEqual(
          yield* filteredIds(admin, "/clients", { [`filter[properties]${operator}`]: value }),
          [...ids],
          `${operator} ${value}`
        )
      const both = { "filter[properties]": "vip:false", "filter[properties][gt]": "points:100" }
      assert.deepStrictEqual(yield* filteredIds(admin, "/clients", both), [lviv])
      for (const query of [
        "filter[properties]=city",
        "filter[properties]=:a",
        "filter[properties]=city:",
        "filter[properties][contains]=city:K",
        "order[properties]=asc"
      ])
        expectStatus(yield* admin.get(`/clients?${query}`), 400, "INVALID_REQUEST")
    })
  )

  it.effect("a filter by property finds nothing that the caller may not read", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const define = (name: string, visibleTo: ReadonlyArray<string>) =>
        admin.make("/properties", { entity: "client", name, label: name, type: "string", visibleTo })
      yield* define("tier", ["administrator"])
      yield* define("city", [])
      const { id } = yield* admin.make("/clients", { name: "Ганна" })
      yield* admin.put(`/clients/${id}/properties`, { values: { tier: "gold", city: "Київ" } })
      const callers = [
        yield* rest.user(instance, ["supervisor"]),
        yield* rest.user(instance, ["operator"]),
        yield* rest.user(instance, ["integrator"]),
        yield* rest.token(admin, ["clients.read", "context.read"]),
        yield* rest.token(admin, ["clients.manage", "context.read"]),
        yield* rest.token(admin, ["clients.read"])
      ]
      const gold = { "filter[properties]": "tier:gold" }
      const notGold = { "filter[properties][ne]": "tier:gold" }
      const city = { "filter[properties]": "city:Київ" }
      const seenIds = (who: RestCaller) =>
        Effect.forEach([gold, notGold, city], (filters) => filteredIds(who, "/clients", filters))
      assert.deepStrictEqual(yield* seenIds(admin), [[id], [], [id]])
      const opened = []
      for (const who of callers) {
        const { status } = yield* who.get(`/clients/${id}/properties`)
        opened.push(status === 200)
        assert.deepStrictEqual(yield* filteredIds(who, "/clients", {}), [id])
        assert.deepStrictEqual(yield* seenIds(who), [[], [id], status === 200 ? [id] : []])
      }
      assert.includeMembers(opened, [true, false])
      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      assert.deepStrictEqual(yield* seenIds(other), [[], [], []])
    })
  )

  it.effect.each([
    ["chats", "/OpChatRooms", { channel: "web" }],
    ["tickets", "/Ticket", { title: "т" }]
  ] as const)("%s are found by their custom fields", ([, path, members]) =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const { id: clientId } = yield* admin.make("/clients", { name: "Olena" })
      const withFields = (customFields: object) => admin.makeId(path, { clientId, ...members, customFields })
      const router = yield* withFields({
        "serial no": "RX-5521",
        amount: 250.5,
        parts: ["кабель", "блок", 12, true],
        deep: { a: 1 },
        "номер 'A'": '{"x": 1}',
        long: "ї".repeat(5000)
      })
      const phone = yield* withFields({ "serial no": null, amount: "250.5", urgent: true })
      const empty = yield* withFields({})
      for (const [operator, value, ids] of [
        ["", "serial no:RX-5521", [router]],
        ["", "amount:250.5", [router, phone]],
        ["", "amount:250.50", []],
        ["", "parts:блок", [router]],
        ["", "parts:12", [router]],
        ["", "parts:true", [router]],
        ["", "номер 'A':{\"x\": 1}", [router]],
        ["", "serial no:null", []],
        ["[in]", "urgent:true,amount:250.5,parts:12", [router, phone]],
        ["", "urgent:true", [phone]],
        ["", "deep:1", []],
        ["[gte]", "amount:250.5", [router]],
        ["[nin]", "parts:кабель,urgent:true", [empty]],
        ["[ne]", "serial no:RX-5521", [phone, empty]]
      ] as const)
        assert.deepStrictEqual(
          yield* filteredIds(admin, `${path}/list`, { [`filter[customFields]${operator}`]: value }),
          [...ids],
          `${operator} ${value}`
        )
      const operator = yield* rest.user(instance, ["operator"])
      assert.deepStrictEqual(
        yield* filteredIds(operator, `${path}/list`, { "filter[customFields]": "urgent:true" }),
        []
      )
    })
  )
})
