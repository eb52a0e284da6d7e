// Free JSON values over HTTP: what a read shows can be written (contract §1, "Strictness").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

const SENT =
  '{"x":1e16,"deep":[{"y":-3.6893488147419103e19,"z":9007199254740991,"text":"10000000000000000"}]}'
const SHOWN = SENT.replace("1e16", "1e+16").replace("e19", "e+19")

layer(RestFixtures, { excludeTestServices: true, timeout: "60 seconds" })("numbers in free values", (it) => {
  it.effect("numbers in free values are returned with an exponent and can be sent back on every route", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const id = yield* admin.makeId("/clients", { name: "Олена" })
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
      for (const value of [SENT, SHOWN])
        for (const [method, path, body] of writes(value)) {
          const written = yield* admin.call(method, path, body)
          assert.oneOf(written.status, [200, 201], written.text)
          assert.include(written.text, SHOWN, path)
        }
      for (const path of [
        `${context}/state/crm${SENT.length}`,
        `${context}/state`,
        `${context}/state/crm${SENT.length}/history`,
        `${context}/actions`,
        `/Ticket/list?filter[clientId]=${id}`,
        "/users?q=Ivan"
      ]) {
        const read = yield* admin.get(path)
        expectStatus(read, 200)
        assert.include(read.text, SHOWN, path)
      }
      const request = { scope: { entity: "client", id }, sections: ["state", "actions"] }
      for (const accept of ["application/json", "text/markdown"]) {
        const pack = yield* admin.post("/kw/chatrooms/context/retrieve", request, { accept })
        expectStatus(pack, 200)
        assert.include(pack.text, '"x":1e+16', pack.text)
        assert.notInclude(pack.text.replaceAll('"10000000000000000"', ""), "10000000000000000")
        if (accept === "application/json")
          assert.strictEqual(pack.body.budget.bytes.used, Buffer.byteLength(pack.text))
      }
      const exported = yield* admin.get(`/clients/${id}/export`)
      expectStatus(exported, 200)
      assert.include(exported.text, '"x":1e+16')
    })
  )
})
