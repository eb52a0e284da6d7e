// Clients over HTTP on a real PostgreSQL: contract §9 (clients), §2 (visibility), §1.3 (keys).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setCountry } from "../../postgres/clients/ClientContacts.ts"
import {
  expectStatus,
  linesOf,
  member,
  members,
  newInstance,
  pathsOf,
  RestFixtures
} from "../../testing/RestFixtures.ts"

layer(RestFixtures)("clients", (it) => {
  it.effect("POST /clients returns 201 with the record, Location and ETag", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const [telegram, web] = [
        { channel: "telegram", chatId: "7" },
        { channel: "web", chatId: "x", subscribed: false }
      ]
      const made = yield* admin.post("/clients", { name: "Олена Коваленко", identities: [telegram, web] })
      expectStatus(made, 201)
      const { createdAt, id, updatedAt, ...members } = made.body
      const own = {
        name: "Олена Коваленко",
        identities: [{ ...telegram, subscribed: true }, web],
        version: 1
      }
      const none = { email: null, phone: null, emails: [], phones: [], tags: [] }
      assert.deepStrictEqual(members, { ...own, ...none, externalId: null, language: null })
      assert.strictEqual(createdAt, updatedAt)
      assert.strictEqual(made.headers.get("etag"), '"1"')
      assert.strictEqual(made.headers.get("location"), `/kw/api/v1/clients/${id}`)
      const read = yield* admin.get(`/clients/${id}`)
      assert.strictEqual(read.text, made.text)
      assert.strictEqual(read.headers.get("etag"), '"1"')
    })
  )

  it.effect("all violations of a new client are reported together, and nothing is created", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const identity = { channel: "a", chatId: "b" }
      const body = { name: "", email: null, extra: 1, identities: [identity, identity] }
      const bad = yield* admin.post("/clients", body, { "idempotency-key": "a b" })
      expectStatus(bad, 400, "INVALID_REQUEST")
      assert.sameMembers([...pathsOf(bad)], ["Idempotency-Key", "email", "extra", "identities[1]", "name"])
      assert.strictEqual((yield* admin.read("/clients")).total, 0)
    })
  )

  it.effect("identities and externalId are unique in the instance, not across instances", () =>
    Effect.gen(function* () {
      const { admin, rest } = yield* newInstance
      const identities = [{ channel: "web", chatId: "same" }]
      expectStatus(yield* admin.post("/clients", { name: "a", identities, externalId: "x" }), 201)
      expectStatus(yield* admin.post("/clients", { name: "b", identities }), 409, "UNIQUE_CONFLICT")
      expectStatus(yield* admin.post("/clients", { name: "b", externalId: "x" }), 409, "UNIQUE_CONFLICT")
      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      expectStatus(yield* other.post("/clients", { name: "c", identities, externalId: "x" }), 201)
    })
  )

  it.effect("PATCH /clients needs a version, keeps omitted members and empties nulls", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const contacts = { phone: "1", email: "e@x.ua", identities: [{ channel: "w", chatId: "1" }] }
      const id = yield* admin.makeId("/clients", { name: "a", ...contacts })
      const patch = (body: unknown, headers?: Record<string, string>) =>
        admin.patch(`/clients/${id}`, body, headers)
      for (const refused of [
        yield* patch({ phone: null }),
        yield* patch({ phone: null, expectedVersion: 1 }, { "if-match": '"2"' }),
        yield* patch({ phone: null }, { "if-match": "W/1" }),
        yield* patch({ name: null, expectedVersion: 1 })
      ])
        expectStatus(refused, 400, "INVALID_REQUEST")
      const changed = yield* patch({ phone: null }, { "if-match": '"1"' })
      expectStatus(changed, 200)
      assert.strictEqual(changed.headers.get("etag"), '"2"')
      assert.deepInclude(changed.body, { phone: null, email: "e@x.ua", version: 2 })
      const stale = yield* patch({ phone: "2", expectedVersion: 1 })
      expectStatus(stale, 409, "VERSION_CONFLICT")
      assert.strictEqual(stale.body.currentVersion, 2)
      const same = yield* patch({ email: "e@x.ua", expectedVersion: 2 })
      assert.strictEqual(same.body.version, 2, "a PATCH that changes nothing leaves the version")
      const moved = yield* patch({ identities: [{ channel: "w", chatId: "2" }], expectedVersion: 2 })
      assert.deepStrictEqual(moved.body.identities, [{ channel: "w", chatId: "2", subscribed: true }])
    })
  )

  it.effect("phone and email are the first of phones and emails", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const contacts = { phone: "1", phones: ["2", "1", "2"], emails: ["A@x.ua"] }
      const made = yield* admin.make("/clients", { name: "a", ...contacts })
      const shown = members("phone", "phones", "email", "emails")
      assert.deepStrictEqual(shown(made), ["1", ["1", "2"], "A@x.ua", ["A@x.ua"]])
      for (const [change, expected] of [
        [{ phone: "3" }, ["3", ["3", "2"], "A@x.ua", ["A@x.ua"]]],
        [{ phone: null, emails: [] }, ["2", ["2"], null, []]],
        [{ phones: ["4", "5"], email: "b@x.ua" }, ["4", ["4", "5"], "b@x.ua", ["b@x.ua"]]],
        [{ phone: "5", emails: ["a@x.ua", "b@x.ua"] }, ["5", ["5"], "a@x.ua", ["a@x.ua", "b@x.ua"]]],
        [{ phone: null, phones: ["6"] }, ["6", ["6"], "a@x.ua", ["a@x.ua", "b@x.ua"]]]
      ] as const)
        assert.deepStrictEqual(shown((yield* admin.change(`/clients/${made.id}`, change)).body), [
          ...expected
        ])
      const many = Array.from({ length: 21 }, (_, n) => `${n}`)
      const bad = yield* admin.post("/clients", { name: "a", phones: many, emails: ["x"] })
      assert.deepStrictEqual(pathsOf(bad).toSorted(), ["emails[0]", "phones"])
    })
  )

  it.effect("phones are found in any spelling, e-mails in any case, names in any order of their words", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const olena = yield* admin.makeId("/clients", {
        name: "Олена Коваленко",
        phones: ["067 123-45-67", "+48 63 111-22-33"],
        emails: ["Olena@Example.com", "work@example.com"],
        identities: [{ channel: "whatsapp", chatId: "380671234567" }]
      })
      const petrenko = { name: "Ivan Petrenko", phone: "+380501112233", externalId: "Kovalenko-7" }
      const ivan = yield* admin.makeId("/clients", petrenko)
      const nobody = yield* admin.makeId("/clients", { name: "Ніхто" })
      const cases: ReadonlyArray<readonly [query: string, ids: ReadonlyArray<number>]> = [
        ["filter[phone]=%2B380671234567", [olena]],
        ["filter[phone]=80671234567", [olena]],
        ["filter[phone]=0048631112233", [olena]],
        ["filter[phone]=631112233", []],
        ["filter[phone][in]=(067)1234567,0501112233", [olena, ivan]],
        ["filter[phone][ne]=380501112233", [olena, nobody]],
        ["filter[phone][nin]=0671234567,0501112233", [nobody]],
        ["filter[phone][isNull]=true", [nobody]],
        ["filter[phone][contains]=123-45", [olena]],
        ["filter[email]=WORK@EXAMPLE.COM", [olena]],
        ["filter[email][ne]=olena@example.com", [ivan, nobody]],
        ["filter[identities]=whatsapp:380671234567", [olena]],
        ["filter[identities]=whatsapp:067%20123-45-67", [olena]],
        ["filter[identities]=viber:380671234567", []],
        ["filter[identities][ne]=whatsapp:380671234567", [ivan, nobody]],
        ["filter[identities][isNull]=true", [ivan, nobody]],
        ["q=коваленко олена", [olena]],
        ["q=КОВАЛЕНКО", [olena]],
        ["q=petrenko ivan kovalenko-7", [ivan]],
        ["q=коваленко ivan", []],
        ["q=0671234567", [olena]],
        ["q=%2B38 (067) 123", [olena]],
        ["q=63111", [olena]],
        ["q=050 111 22 33", [ivan]],
        ["q=100%25", []]
      ]
      for (const [query, ids] of cases) {
        const { body } = yield* admin.get(`/clients?${query}&order[id]=asc`)
        assert.deepStrictEqual(body.data?.map(member("id")), ids, query)
      }
      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      for (const query of ["filter[phone]=0671234567", "q=0671234567", "filter[email]=work@example.com"])
        assert.deepStrictEqual((yield* other.read(`/clients?${query}`)).data, [])

      const sql = yield* SqlClient.SqlClient
      const polish = Effect.map(admin.get("/clients?filter[phone]=631112233"), ({ body }) => body.total)
      assert.isTrue(yield* sql.withTransaction(setCountry(sql, instance, "PL")))
      assert.strictEqual(yield* polish, 1, "a national phone is of the country of the instance")
      assert.isFalse(yield* setCountry(sql, 2 ** 40, "PL"))
    })
  )

  it.effect(
    "a new client that shares a phone or an e-mail is created with warnings of those that the caller sees",
    () =>
      Effect.gen(function* () {
        const { admin, instance, rest } = yield* newInstance
        const own = { name: "a", phone: "067 123-45-67", email: "a@x.ua" }
        const first = yield* admin.makeId("/clients", own)
        const second = yield* admin.makeId("/clients", { name: "b", emails: ["b@x.ua", "A@X.UA"] })
        const other = yield* rest.user(yield* rest.instance, ["administrator"])
        const same = { name: "c", phones: ["1", "+380671234567"], emails: ["a@x.ua"] }
        assert.notProperty((yield* other.post("/clients", same)).body, "warnings")
        const key = { "idempotency-key": "w" }
        const made = yield* admin.post("/clients", same, key)
        expectStatus(made, 201)
        assert.deepStrictEqual(made.body.warnings, [
          { code: "POSSIBLE_DUPLICATE", clientId: first, matches: ["phone", "email"] },
          { code: "POSSIBLE_DUPLICATE", clientId: second, matches: ["email"] }
        ])
        assert.strictEqual((yield* admin.post("/clients", same, key)).text, made.text)
        const read = yield* admin.get(`/clients/${made.body.id}`)
        assert.notProperty(read.body, "warnings")

        // A caller without clients.read sees only clients without appeals and those of visible ones.
        yield* admin.post("/OpChatRooms", { clientId: first, channel: "web" })
        const limited = yield* rest.token(admin, ["clients.manage"])
        const seen = yield* limited.post("/clients", { name: "d", phone: "0671234567" })
        assert.deepStrictEqual(seen.body.warnings?.map(member("clientId")), [made.body.id])

        yield* admin.post(`/clients/${first}/merge`, { intoId: second })
        const merged = yield* admin.post("/clients", { name: "e", phone: "0671234567" })
        assert.include(merged.body.warnings?.map(member("clientId")), second)
        expectStatus(yield* admin.post(`/clients/${second}/erase`), 202)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`select 1 from client_contacts where instance_id = ${instance} and client_id in (${first}, ${second})`,
          []
        )
      })
  )

  it.effect("a new client with the words of another's name has a warning, after those of contacts", () =>
    Effect.gen(function* () {
      const { admin, rest } = yield* newInstance
      const createNamed = (name: string, who = admin) =>
        Effect.map(who.post("/clients", { name }), ({ body }) => body)
      const first = (yield* createNamed("Дар'я  Коваленко")).id
      const second = (yield* createNamed("КОВАЛЕНКО Дар’я")).id
      assert.notProperty(yield* createNamed("Дар'я Коваленко-Бойко"), "warnings")
      assert.notProperty(yield* createNamed("Дар'я"), "warnings")
      const other = yield* rest.user(yield* rest.instance, ["administrator"])
      assert.notProperty(yield* createNamed("Дар'я Коваленко", other), "warnings")
      const known = (yield* admin.make("/clients", { name: "Дашка", phone: "0671234567" })).id
      const made = yield* admin.post("/clients", { name: "коваленко дар`я", phone: "067 123 45 67" })
      assert.deepStrictEqual(made.body.warnings, [
        { code: "POSSIBLE_DUPLICATE", clientId: known, matches: ["phone"] },
        { code: "POSSIBLE_DUPLICATE", clientId: first, matches: ["name"] },
        { code: "POSSIBLE_DUPLICATE", clientId: second, matches: ["name"] }
      ])
      const again = yield* admin.post("/clients", { name: "Дар'я Коваленко", phone: "0671234567" })
      const both = { code: "POSSIBLE_DUPLICATE", clientId: made.body.id, matches: ["phone", "name"] }
      assert.deepInclude(again.body.warnings, both)

      // A client that the caller does not see is not named, and neither is one that no longer exists.
      yield* admin.post("/OpChatRooms", { clientId: first, channel: "web" })
      yield* admin.post(`/clients/${made.body.id}/merge`, { intoId: known })
      expectStatus(yield* admin.post(`/clients/${again.body.id}/erase`), 202)
      const limited = yield* rest.token(admin, ["clients.manage"])
      const seen = yield* createNamed("Дар'я Коваленко", limited)
      assert.deepStrictEqual(seen.warnings, [
        { code: "POSSIBLE_DUPLICATE", clientId: second, matches: ["name"] }
      ])
    })
  )

  it.effect("a client without appeals is visible only with clients.read or clients.manage", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const id = yield* admin.makeId("/clients", { name: "a" })
      for (const [caller, status] of [
        [yield* rest.user(instance, ["light_agent"]), 404],
        [yield* rest.user(instance, ["operator"]), 200],
        [yield* rest.token(admin, ["chats.read"]), 404],
        [yield* rest.token(admin, ["clients.read"]), 200]
      ] as const)
        expectStatus(yield* caller.get(`/clients/${id}`), status)
    })
  )

  it.effect("a merge moves all that a client has, and what the survivor has wins", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const of = (name: string, more: object) =>
        admin.makeId("/clients", {
          name,
          identities: [{ channel: "w", chatId: name }],
          tags: [name],
          ...more
        })
      const from = yield* of("from", { emails: ["a@x", "b@x"] })
      const into = yield* of("into", { email: "b@x", phone: "2" })
      const session = yield* admin.make("/kw/context/sessions", { clientId: from })
      for (const name of ["a", "b"])
        yield* admin.make("/properties", { entity: "client", name, label: name, type: "string" })
      for (const [id, name, of] of [
        [from, "a", "from"],
        [from, "b", "from"],
        [into, "b", "into"]
      ] as const) {
        yield* admin.put(`/clients/${id}/properties`, { values: { [name]: of } })
        const state = { expectedVersion: 0, state: { of } }
        expectStatus(yield* admin.put(`/kw/clients/${id}/context/state/${name}`, state), 200)
      }
      const merge = admin.post(`/clients/${from}/merge`, { intoId: into })
      const { body } = yield* merge
      assert.deepInclude(body, { id: into, name: "into", phone: "2", tags: ["into", "from"] })
      assert.deepStrictEqual(body.emails, ["b@x", "a@x"])
      assert.sameMembers(body.identities.map(member("chatId")), ["from", "into"])
      expectStatus(yield* merge, 400, "INVALID_REQUEST")
      assert.deepStrictEqual((yield* admin.read("/clients")).data.map(member("id")), [into])
      assert.strictEqual((yield* admin.read(`/kw/context/sessions/${session.id}`)).clientId, into)
      assert.deepStrictEqual((yield* admin.read(`/clients/${into}/properties`)).values, {
        a: "from",
        b: "into"
      })
      const { data } = yield* admin.read(`/kw/clients/${into}/context/state?order[namespace]=asc`)
      assert.deepStrictEqual(data.map(member("state")), [{ of: "from" }, { of: "into" }])
    })
  )

  it.effect("an export of a client holds every record once, in pages of at most a MiB or one record", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const id = yield* admin.makeId("/clients", { name: "Олена" })
      const session = yield* admin.make("/kw/context/sessions", { clientId: id })
      const messages = `/kw/context/sessions/${session.id}/messages`
      // In Cyrillic letters, so that bytes are more than characters: two of them fill a page.
      const contents = [1, 300_000, 300_000, 1, 500_000, 1, 1].map((length, n) => `${n}${"ї".repeat(length)}`)
      for (const content of contents) yield* admin.make(messages, { role: "client", content })
      const lines = linesOf(yield* admin.get(`/clients/${id}/export`))
      const exported = lines.filter(({ record }) => record.content !== undefined)
      assert.deepStrictEqual(
        exported.map(({ kind, record }) => `${kind} ${record.content}`).toSorted(),
        contents.map((content) => `sessionMessage ${content}`)
      )
    })
  )
})
