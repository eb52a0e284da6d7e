// Free JSON values over HTTP: what a read shows can be written (contract §1, "Strictness").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { expectStatus, newInstance, RestFixtures, type Answer } from "../../testing/RestFixtures.ts"

const SENT =
  '{"x":1e16,"deep":[{"y":-3.6893488147419103e19,"z":9007199254740991,"text":"10000000000000000"}]}'
const SHOWN = SENT.replace("1e16", "1e+16").replace("e19", "e+19")

layer(RestFixtures, { excludeTestServices: true, timeout: "60 seconds" })("numbers in free values", (it) => {
  const world = Effect.gen(function* () {
    const { admin } = yield* newInstance
    const call = (method: string, path: string, body?: string, headers?: Readonly<Record<string, string>>) =>
      admin.call(method, path, body, { "idempotency-key": randomUUID(), ...headers })
    return { call }
  })

  it.effect("numbers in free values are returned with an exponent and can be sent back on every route", () =>
    Effect.gen(function* () {
      const { call } = yield* world
      const client: Answer = yield* call("POST", "/clients", '{"name":"Олена"}')
      const { id } = client.body
      const context = `/kw/clients/${id}/context`
      const writes = (
        value: string
      ): ReadonlyArray<readonly [method: string, path: string, body: string]> => [
        ["PUT", `${context}/state/crm${value.length}`, `{"expectedVersion":0,"state":${value}}`],
        [
          "POST",
          `${context}/actions`,
          `{"type":"a","occurredAt":"2026-10-05T10:00:00Z","actorType":"client","payload":${value}}`
        ],
        ["POST", "/Ticket", `{"clientId":${id},"title":"Заявка","customFields":${value}}`],
        [
          "POST",
          "/users",
          `{"login":"${randomUUID()}","firstName":"Ivan","lastName":"M","roles":["operator"],"customFields":${value}}`
        ],
        ["POST", "/kw/context/sessions", `{"clientId":${id},"metadata":${value}}`]
      ]
      for (const [method, path, body] of writes(SENT)) {
        const written = yield* call(method, path, body)
        assert.oneOf(written.status, [200, 201], written.text)
        assert.include(written.text, SHOWN, path)
      }
      for (const [method, path, body] of writes(SHOWN))
        assert.oneOf((yield* call(method, path, body)).status, [200, 201], body)
      for (const path of [
        `${context}/state/crm${SENT.length}`,
        `${context}/state`,
        `${context}/state/crm${SENT.length}/history`,
        `${context}/actions`,
        `/Ticket/list?filter[clientId]=${id}`,
        "/users?q=Ivan"
      ]) {
        const read = yield* call("GET", path)
        expectStatus(read, 200)
        assert.include(read.text, SHOWN, path)
      }
      for (const format of ["application/json", "text/markdown"]) {
        const pack = yield* call(
          "POST",
          "/kw/chatrooms/context/retrieve",
          `{"scope":{"entity":"client","id":${id}},"sections":["state","actions"]}`,
          { accept: format }
        )
        expectStatus(pack, 200)
        assert.include(pack.text, '"x":1e+16', pack.text)
        assert.notInclude(pack.text.replaceAll('"10000000000000000"', ""), "10000000000000000")
        if (format === "application/json")
          assert.strictEqual(pack.body.budget.bytes.used, Buffer.byteLength(pack.text))
      }
      const exported = yield* call("GET", `/clients/${id}/export`)
      expectStatus(exported, 200)
      assert.include(exported.text, '"x":1e+16')
    })
  )

  it.effect("numbers in free values that no double holds are refused in any spelling", () =>
    Effect.gen(function* () {
      const { call } = yield* world
      const client: Answer = yield* call("POST", "/clients", '{"name":"Олена"}')
      for (const literal of ["9007199254740993", "9007199254740993.0", "9007199254740993e0", "1e400"]) {
        const body = `{"expectedVersion":0,"state":{"x":${literal}}}`
        const put = yield* call("PUT", `/kw/clients/${client.body.id}/context/state/crm`, body)
        expectStatus(put, 400, "INVALID_REQUEST")
      }
    })
  )
})
