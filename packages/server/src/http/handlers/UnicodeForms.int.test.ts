// One text in several Unicode forms: contract §1, "Values", §1.2, §2.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import {
  expectStatus,
  newInstance,
  pathsOf,
  RestFixtures,
  type RestCaller
} from "../../testing/RestFixtures.ts"

const nfd = (text: string) => text.normalize("NFD")

/** The number of clients that a filter finds. */
const totalOf = (who: RestCaller, parameter: string, value: string) =>
  Effect.map(who.read(`/clients?${parameter}=${encodeURIComponent(value)}`), ({ total }) => Number(total))

const world = Effect.gen(function* () {
  const { admin } = yield* newInstance
  const { id: clientId } = yield* admin.make("/clients", { name: "Олена" })
  return { admin, clientId }
})

layer(RestFixtures, { excludeTestServices: true, timeout: "60 seconds" })("Unicode forms", (it) => {
  it.effect("a message repeated under its external id in another form is a repeat", () =>
    Effect.gen(function* () {
      const { admin, clientId } = yield* world
      const session = yield* admin.make("/kw/context/sessions", { clientId })
      const path = `/kw/context/sessions/${session.id}/messages`
      const message = { role: "client", content: "Привіт, її роутер", externalMessageId: "й-1" }
      const first = yield* admin.post(path, message)
      expectStatus(first, 201)
      const decomposed = { ...message, content: nfd(message.content), externalMessageId: nfd("й-1") }
      const repeat = yield* admin.post(path, decomposed)
      expectStatus(repeat, 200)
      assert.deepStrictEqual(repeat.body, { replayed: true, message: first.body.message })
    })
  )

  it.effect("ids and names are stored in one Unicode form and found in any, whatever their apostrophes", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const name = "Йосип Їжак"
      const made = yield* admin.make("/clients", {
        name: nfd(name),
        externalId: nfd("ід-йота"),
        tags: [nfd("чайник")],
        identities: [{ channel: nfd("сайт"), chatId: nfd("її") }]
      })
      assert.strictEqual(made.name, name)
      for (const other of ["Дар’я Сом’як", "Οδός Ερμού"]) yield* admin.make("/clients", { name: other })
      for (const [parameter, value] of [
        ["filter[externalId]", "ід-йота"],
        ["filter[externalId]", nfd("ід-йота")],
        ["filter[tags][in]", nfd("чайник")],
        ["filter[name][contains]", nfd("їжА")],
        ["q", nfd("йоСип")],
        // Texts are compared without the kind of apostrophe and the final sigma.
        ["filter[name][contains]", "м'я"],
        ["filter[name][contains]", "мʼЯ"],
        ["filter[name][startsWith]", "дар`я"],
        ["q", "сом´як"],
        ["filter[name][contains]", "ΔΌΣ"]
      ] as const)
        assert.strictEqual(yield* totalOf(admin, parameter, value), 1, value)
      assert.strictEqual(yield* totalOf(admin, "filter[name][contains]", "мя"), 0)
      const identities = [{ channel: "сайт", chatId: "її" }]
      expectStatus(yield* admin.post("/clients", { name: "Інша", identities }), 409, "UNIQUE_CONFLICT")
    })
  )

  it.effect("a login is one name, whatever its form, case and the white space around it", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const login = `йосип-${randomUUID()}`
      const user = {
        firstName: "Йосип",
        lastName: "О’Ніл",
        roles: ["operator"],
        password: nfd("мій пароль їжака")
      }
      const made = yield* admin.post("/users", { ...user, login: ` ${nfd(login)} ` })
      expectStatus(made, 201)
      assert.strictEqual(made.body.login, login)
      for (const other of [login, nfd(login), `\u00a0${login}`, login.toUpperCase()])
        expectStatus(yield* admin.post("/users", { ...user, login: other }), 409, "UNIQUE_CONFLICT")
      for (const name of [login, nfd(login), ` ${login}`, login.toUpperCase()])
        for (const password of ["мій пароль їжака", nfd("мій пароль їжака")])
          expectStatus(yield* admin.post("/auth/login", { login: name, password }), 200)
    })
  )

  it.effect("filters compare logins and e-mail addresses of users without case", () =>
    Effect.gen(function* () {
      const { admin } = yield* world
      const name = `Йосип-${randomUUID()}`
      const user = { firstName: "Йосип", lastName: "Їжак", roles: ["operator"] }
      const { body } = yield* admin.post("/users", { ...user, login: name, email: `${name}@Example.com` })
      for (const [filter, isFound] of [
        [`filter[login]=${name.toUpperCase()}`, true],
        [`filter[login][in]=a,${name.toLowerCase()}`, true],
        [`filter[login][nin]=${name.toUpperCase()}`, false],
        [`filter[email]=${nfd(name).toLowerCase()}@EXAMPLE.COM`, true],
        [`filter[email][ne]=${name}@example.com`, false],
        [`filter[email]=${name}@example.org`, false]
      ] as const) {
        const list = yield* admin.get(`/users?filter[id]=${body.id}&${encodeURI(filter)}`)
        assert.strictEqual(list.body.data.length, isFound ? 1 : 0, filter)
      }
    })
  )

  it.effect("a name, title or login of white space only is refused", () =>
    Effect.gen(function* () {
      const { admin, clientId } = yield* world
      const user = { login: "a", firstName: "A", lastName: "B", roles: ["operator"] }
      for (const blank of [" ", "\t\n", "\u00a0", "\u3000", "\u200b"]) {
        for (const [path, body, at] of [
          ["/clients", { name: blank }, "name"],
          ["/Ticket", { clientId, title: blank }, "title"],
          ["/users", { ...user, login: blank }, "login"],
          ["/users", { ...user, firstName: blank }, "firstName"],
          ["/skill-groups", { name: blank }, "name"],
          ["/bots", { name: blank }, "name"],
          ["/auth/external-tokens", { name: blank, permissions: ["clients.read"] }, "name"]
        ] as const) {
          const refused = yield* admin.post(path, body)
          expectStatus(refused, 400, "INVALID_REQUEST")
          assert.include(pathsOf(refused), at, refused.text)
        }
      }
    })
  )
})
