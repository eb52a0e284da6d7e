// Files of imported histories (contract §7, "Creating").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUIDv7 } from "node:crypto"
import { expectFaults, expectStatus, newInstance, RestFixtures, upload } from "../../testing/RestFixtures.ts"

const world = Effect.gen(function* () {
  const { admin, rest } = yield* newInstance
  const granted = ["appeals.import", "chats.manage", "tickets.manage", "tickets.read"] as const
  const importer = yield* rest.token(admin, granted)
  const clientId = yield* admin.makeId("/clients", { name: "Олена Коваленко" })
  const uploadOne = (name: string) => Effect.map(upload(importer, name), ({ id }) => id)
  const create = (path: string, messages: ReadonlyArray<object>, more: object = {}) =>
    importer.post(path, {
      clientId,
      source: "old-desk",
      externalId: "e-1",
      createdAt: "2025-03-01T09:00:00Z",
      messages: messages.map((message, i) => ({
        authorType: "client",
        occurredAt: `2025-03-01T09:0${i}:00Z`,
        ...message
      })),
      ...more
    })
  const namesOf = (path: string, id: number) =>
    Effect.map(admin.get(`${path}/${id}/messages`), ({ body }): ReadonlyArray<unknown> =>
      body.data.map(
        ({ attachments, text }: { attachments: ReadonlyArray<{ name: string }>; text: string }) => [
          text.slice(0, 10),
          attachments.map(({ name }) => name)
        ]
      )
    )
  return { admin, create, namesOf, uploadOne }
})

layer(RestFixtures)("histories with files", (it) => {
  it.effect.each([
    ["/OpChatRooms", { channel: "web" }, "chat"],
    ["/Ticket", { title: "Де замовлення?" }, "ticket"]
  ] as const)(
    "an imported history has files, and a repeat adds those of new messages: %s",
    ([path, more, kind]) =>
      Effect.gen(function* () {
        const { admin, create, namesOf, uploadOne } = yield* world
        const attachments = [yield* uploadOne("рахунок.png")]
        const first = { externalMessageId: "m-1", text: "Ось рахунок", attachments }
        const second = { attachments: [yield* uploadOne("первая.png"), yield* uploadOne("second.png")] }
        const made = yield* create(path, [first, second], more)
        expectStatus(made, 201)
        const { id } = made.body[kind]
        const expected = [
          ["Ось рахуно", ["рахунок.png"]],
          ["", ["первая.png", "second.png"]]
        ]
        assert.deepStrictEqual(yield* namesOf(path, id), expected)
        expectStatus(yield* admin.get(`/files/${second.attachments[1]}`), 200)
        const third = { externalMessageId: "m-3", attachments: [yield* uploadOne("ще.png")] }
        const again = yield* create(path, [first, third], more)
        expectStatus(again, 200)
        assert.deepStrictEqual(yield* namesOf(path, id), [...expected, ["", ["ще.png"]]])
        const taken = { externalMessageId: "m-4", attachments: [second.attachments[0]] }
        expectFaults(yield* create(path, [first, taken], more), ["messages[1].attachments"])
        assert.lengthOf(yield* namesOf(path, id), 3)
      })
  )

  it.effect("a repeat does not give the file of a message without externalMessageId to another message", () =>
    Effect.gen(function* () {
      const { create, namesOf, uploadOne } = yield* world
      const made = yield* create("/OpChatRooms", [], { channel: "web" })
      expectStatus(made, 201)
      const unnamed = { text: "Без номера", attachments: [yield* uploadOne("чужой.png")] }
      const named = { externalMessageId: "m-2", text: "Дякую" }
      expectStatus(yield* create("/OpChatRooms", [unnamed, named], { channel: "web" }), 200)
      assert.deepStrictEqual(yield* namesOf("/OpChatRooms", made.body.chat.id), [["Дякую", []]])
    })
  )

  it.effect("a history of several statements has files, and an unknown file stores nothing", () =>
    Effect.gen(function* () {
      const { admin, create, namesOf, uploadOne } = yield* world
      const long = { text: "слово ".repeat(10_000) }
      const file = { attachments: [yield* uploadOne("кінець.png")] }
      const unknown = { attachments: [randomUUIDv7()] }
      const messages = [long, long, long, long, long, long, file]
      const refused = yield* create("/OpChatRooms", [...messages, unknown], { channel: "web" })
      expectFaults(refused, ["messages[7].attachments"])
      const listed = yield* admin.get("/OpChatRooms/list?filter[externalId]=e-1")
      assert.isEmpty(listed.body.data)
      const made = yield* create("/OpChatRooms", messages, { channel: "web" })
      expectStatus(made, 201)
      assert.deepStrictEqual((yield* namesOf("/OpChatRooms", made.body.chat.id)).at(-1), ["", ["кінець.png"]])
    })
  )

  it.effect("refuses a message without text and files, and a file of two messages", () =>
    Effect.gen(function* () {
      const { create, uploadOne } = yield* world
      const attachments = [yield* uploadOne("a.png")]
      for (const [messages, path] of [
        [[{}], "messages[0].text"],
        [[{ attachments: [] }], "messages[0].text"],
        [[{ attachments }, { attachments }], "messages[1].attachments"]
      ] as const)
        expectFaults(yield* create("/OpChatRooms", messages, { channel: "web" }), [path])
    })
  )
})
