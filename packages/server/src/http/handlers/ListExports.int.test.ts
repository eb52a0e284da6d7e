// Lists of clients, chats and tickets as CSV files, and `q` on chats, over HTTP on a real PostgreSQL (contract §1.2, §7).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  expectStatus,
  newInstance,
  RestFixtures,
  type RestCaller,
  member
} from "../../testing/RestFixtures.ts"

const csv = (who: RestCaller, path: string) => who.get(path, { accept: "text/csv" })

const idsIn = (text: string) =>
  text
    .split("\r\n")
    .slice(1, -1)
    .map((line) => Number(line.split(",")[0]))

layer(RestFixtures)("lists as files", (it) => {
  it.effect("a CSV file of clients has a byte order mark, all members and no formulas", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const phones = ["+380671234567", "044 111 22 33"]
      const made = yield* admin.make("/clients", {
        name: "=Олена; +1\n@x",
        phones,
        tags: ["vip", "боржник"],
        identities: [{ channel: "web", chatId: "1" }]
      })
      const response = yield* csv(admin, "/clients/export")
      expectStatus(response, 200)
      assert.strictEqual(response.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(response.headers.get("cache-control"), "no-store")
      assert.deepStrictEqual(response.text.split("\r\n"), [
        "\uFEFFid,name,email,phone,emails,phones,externalId,language,tags,identities,createdAt,updatedAt,version",
        [
          made.id,
          `"'=Олена;' +1\n'@x"`,
          "",
          "'+380671234567",
          "",
          `"'+380671234567, 044 111 22 33"`,
          "",
          "",
          `"vip, боржник"`,
          `"[{""channel"":""web"",""chatId"":""1"",""subscribed"":true}]"`,
          made.createdAt,
          made.updatedAt,
          1
        ].join(","),
        ""
      ])
      for (const path of [
        "/clients/export?limit=1",
        "/clients/export?cursor=a",
        "/Ticket/export?include=client"
      ])
        expectStatus(yield* csv(admin, path), 400, "INVALID_REQUEST")
      expectStatus(yield* admin.get("/clients/export", { accept: "application/json" }), 406)
    })
  )

  it.effect("a CSV file has all records of the list that the caller sees, in its order", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const sql = yield* SqlClient.SqlClient
      const client = (yield* admin.make("/clients", { name: "Їжак" })).id
      for (const tags of [["a"], ["b"], ["a", "b"]]) {
        yield* admin.make("/OpChatRooms", { clientId: client, channel: "web", tags })
        yield* admin.make("/Ticket", { clientId: client, title: "Ремонт", tags })
      }
      const operator = yield* rest.user(instance, ["operator"])
      for (const path of ["OpChatRooms", "Ticket"]) {
        const listed = yield* admin.get(`/${path}/list?filter[tags]=a&order[id]=asc`)
        const file = yield* csv(admin, `/${path}/export?filter[tags]=a&order[id]=asc`)
        assert.deepStrictEqual(idsIn(file.text), listed.body.data.map(member("id")))
        assert.lengthOf(idsIn(file.text), 2)
        assert.deepStrictEqual(idsIn((yield* csv(operator, `/${path}/export`)).text), [])
      }
      yield* sql`insert into clients (instance_id, name) select ${instance}, 'n' || n from generate_series(1, 1100) n`
      const all = idsIn((yield* csv(admin, "/clients/export?order[id]=desc")).text)
      assert.lengthOf(all, 1101)
      assert.deepStrictEqual(
        all,
        all.toSorted((a, b) => b - a)
      )
    })
  )

  it.effect("q on chats finds the client by words and phones, the chat id and the comment", () =>
    Effect.gen(function* () {
      const { admin, instance, rest } = yield* newInstance
      const olena = yield* admin.make("/clients", { name: "Олена Коваленко", phones: ["067 123-45-67"] })
      const ivan = yield* admin.make("/clients", { name: "Ivan", email: "Ivan@example.com" })
      const chat = (clientId: number, more: object) =>
        admin.makeId("/OpChatRooms", { clientId, channel: "web", ...more })
      const chats = [
        yield* chat(olena.id, { comment: "Чекає на кур’єра" }),
        yield* chat(ivan.id, { chatId: "Room_7" })
      ]
      const foundChats = (who: RestCaller, text: string) =>
        Effect.map(who.read(`/OpChatRooms/list?order[id]=asc&q=${encodeURIComponent(text)}`), ({ data }) =>
          data.map(({ id }: { id: number }) => chats.indexOf(id))
        )
      for (const [text, places] of [
        ["коваленко ОЛЕНА", [0]],
        ["кур'єра олена", [0]],
        ["+380 67 123", [0]],
        ["на КО", [0]],
        ["iv an", [1]],
        ["IVAN@EXAMPLE", [1]],
        ["room_7", [1]],
        ["room%7", []],
        ["олена ivan", []]
      ] as const)
        assert.deepStrictEqual(yield* foundChats(admin, text), [...places], text)
      const operator = yield* rest.user(instance, ["operator"])
      assert.deepStrictEqual(yield* foundChats(operator, "олена"), [])
    })
  )
})
