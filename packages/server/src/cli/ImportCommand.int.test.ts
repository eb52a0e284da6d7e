// `rapport import` against a running service: dry run, refused records, repeats and a continued import (docs/moving-in.md).
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { RunningServer, runProgram, ServerFixtures } from "../testing/ServerFixtures.ts"

const decodeList = Schema.decodeUnknownPromise(
  Schema.Struct({ total: Schema.Int, data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

const lines = (...records: ReadonlyArray<unknown>) =>
  records.map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`).join("")

const message = (id: string, time: string, more: object = {}) => ({
  externalMessageId: id,
  authorType: "client",
  text: `Повідомлення\u2028${id}`,
  occurredAt: `2025-03-01T${time}:00Z`,
  ...more
})
const chat = (externalId: string, ...messages: ReadonlyArray<object>) => ({
  kind: "chat",
  externalId,
  client: "c-17",
  channel: "web",
  createdAt: "2025-03-01T09:00:00Z",
  messages
})
const client = { kind: "client", externalId: "c-17", name: "Олена Коваль" }
const history = [
  client,
  {
    kind: "user",
    login: "old-anna",
    email: "anna@old.example.org",
    firstName: "Anna",
    lastName: "Old",
    roles: ["operator"],
    blocked: true
  },
  {
    ...chat(
      "d-1",
      message("m1", "09:00"),
      message("m2", "09:05", { authorType: "operator", author: "anna@old.example.org" })
    ),
    operator: "anna@old.example.org",
    status: "closed",
    rating: { score: 5, comment: "Дякую!", occurredAt: "2025-03-01T09:30:00Z" }
  },
  {
    ...chat("d-2", message("m1", "10:00", { authorType: "operator", author: "gone@old.example.org" })),
    createdAt: "2025-03-01T09:30:00Z"
  },
  { kind: "ticket", externalId: "t-1", client: "c-17", number: 8_000_001, title: "Роутер" },
  chat("d-3", message("m1", "09:00"), message("m2", "08:00")),
  { ...chat("d-4"), client: "nobody" },
  { ...chat("d-5", message("m1", "09:00")), closedAt: "2100-03-01T09:00:00Z" },
  { ...chat("d-6"), rating: { score: 6, comment: "" } },
  { kind: "order" },
  "no JSON",
  { kind: "client", name: "Ніхто" },
  { kind: "client", name: "Хтось" }
]

const ticket = (id: number) => ({
  id,
  subject: `Ticket ${id}`,
  status: "open",
  created_at: "2025-03-01T09:00:00Z",
  requester_id: 900,
  submitter_id: 900,
  requester: { id: 900, name: "Иван Петров" },
  comments: []
})

layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })(
  "rapport import",
  (it) => {
    it.effect(
      "imports a file, refuses faulty records with reasons, and adds only new records when it runs again",
      () =>
        Effect.gen(function* () {
          const { call, origin, tokenOf } = yield* RunningServer
          const token = yield* Effect.promise(() => tokenOf("administrator"))
          const file = path.join(yield* temporaryFolder, "history.jsonl")
          const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
            const { code, stderr, stdout } = yield* runProgram(["import", file, "--json", ...args], {
              RAPPORT_URL: origin,
              RAPPORT_TOKEN: token
            })
            assert.strictEqual(code, 0, stderr)
            return JSON.parse(stdout)
          })
          const list = (route: string) =>
            Effect.promise(async () =>
              decodeList(await (await call(`/kw/api/v1/${route}`, { login: "administrator" })).json())
            )
          fs.writeFileSync(file, lines(...history))
          const refused = { refused: 8, refusals: `${file}.refused.jsonl` }

          const refusalsIn = () => fs.readFileSync(`${file}.refused.jsonl`, "utf8").trimEnd().split("\n")
          for (let time = 0; time < 2; time++) {
            const dry = yield* run("--source", "desk", "--dry-run")
            assert.deepInclude(dry, { imported: 5, repeated: 0, ...refused })
            assert.lengthOf(refusalsIn(), 8)
          }
          assert.strictEqual((yield* list("OpChatRooms/list?filter[source]=desk")).total, 0)

          const first = yield* run("--source", "desk")
          assert.deepStrictEqual(first, {
            imported: 5,
            repeated: 0,
            ...refused,
            unknownUsers: ["gone@old.example.org"]
          })
          const reasons = refusalsIn().map((line) => JSON.parse(line))
          assert.deepStrictEqual(
            reasons.map(({ line, reasons: found }) => [line, found]),
            [
              [6, ["messages[1].occurredAt must not be before the previous message"]],
              [7, ["client: there is no client with the externalId nobody"]],
              [8, ["closedAt must not lie in the future"]],
              [
                9,
                [
                  "rating.score must be a value between 1 and 5",
                  "rating.comment must have 1 to 10000 characters",
                  "rating.occurredAt is required"
                ]
              ],
              [10, ["kind must be one of user, client, chat, ticket"]],
              [11, ["the line must be a JSON object"]],
              [12, ["externalId is required"]],
              [13, ["externalId is required"]]
            ]
          )
          assert.isFalse(fs.existsSync(`${file}.checkpoint`))
          const chats = yield* list(
            "OpChatRooms/list?filter[source]=desk&order[createdAt]=asc&include=operator"
          )
          assert.deepStrictEqual(
            chats.data.map((one) => [one["externalId"], one["status"], one["messageCount"]]),
            [
              ["d-1", "closed", 2],
              ["d-2", "waiting", 1]
            ]
          )
          assert.deepInclude(Object(chats.data[0]?.["operator"]), {
            displayName: "Anna Old",
            status: "blocked"
          })
          const tickets = yield* list("Ticket/list?filter[source]=desk")
          assert.deepInclude(tickets.data[0], { number: 8_000_001, externalId: "t-1" })

          const ratings = Effect.promise(async () => {
            const report = "statistics/csat?from=2025-03-01&to=2025-03-02"
            return (await call(`/kw/api/v1/${report}`, { login: "administrator" })).text()
          })
          assert.include(yield* ratings, '"answers":1,"average":5')

          // A later export of the old product has one more message and one more chat.
          fs.writeFileSync(
            file,
            lines(
              client,
              { ...chat("d-1"), rating: { score: 1, occurredAt: "2025-03-01T09:30:00Z" } },
              chat("d-2", message("m1", "10:00"), message("m2", "10:10")),
              chat("d-5")
            )
          )
          const again = yield* run("--source", "desk")
          assert.deepInclude(again, { imported: 1, repeated: 3, refused: 0 })
          assert.include(yield* ratings, '"answers":1,"average":5')
          assert.isFalse(fs.existsSync(`${file}.refused.jsonl`))
          const grown = yield* list("OpChatRooms/list?filter[source]=desk&filter[externalId]=d-2")
          assert.deepInclude(grown.data[0], { messageCount: 2, waitingSince: "2025-03-01T10:10:00.000Z" })
        })
    )

    it.effect("continues an interrupted import at its checkpoint, and starts over for a changed file", () =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        const token = yield* Effect.promise(() => tokenOf("administrator"))
        const file = path.join(yield* temporaryFolder, "zendesk.jsonl")
        fs.writeFileSync(file, lines(ticket(9_000_001), ticket(9_000_002)))
        const { mtimeMs: modifiedAt, size } = fs.statSync(file)
        const run = Effect.fnUntraced(function* () {
          const { code, stderr, stdout } = yield* runProgram(
            ["import", file, "--json", "--from", "zendesk"],
            {
              RAPPORT_URL: origin,
              RAPPORT_TOKEN: token
            }
          )
          assert.strictEqual(code, 0, stderr)
          return JSON.parse(stdout)
        })
        fs.writeFileSync(`${file}.checkpoint`, JSON.stringify({ lines: 1, size, modifiedAt }))
        assert.deepInclude(yield* run(), { imported: 2, repeated: 0 }, "a client and the second ticket")
        fs.writeFileSync(`${file}.checkpoint`, JSON.stringify({ lines: 1, size: size + 1, modifiedAt }))
        assert.deepInclude(yield* run(), { imported: 1, repeated: 2 }, "the first ticket")
      })
    )

    it.effect("ends with an error for a wrong token or a missing file, and keeps its checkpoint", () =>
      Effect.gen(function* () {
        const { origin } = yield* RunningServer
        const file = path.join(yield* temporaryFolder, "history.jsonl")
        const run = () => runProgram(["import", file], { RAPPORT_URL: origin, RAPPORT_TOKEN: "rpx_wrong" })
        const missing = yield* run()
        assert.strictEqual(missing.code, 1)
        assert.match(missing.stderr, /^rapport: [^\n]*ENOENT[^\n]*\n$/u)
        fs.writeFileSync(file, lines(client, client))
        const { mtimeMs: modifiedAt, size } = fs.statSync(file)
        const checkpoint = JSON.stringify({ lines: 1, size, modifiedAt })
        fs.writeFileSync(`${file}.checkpoint`, checkpoint)
        const wrong = yield* run()
        assert.strictEqual(wrong.code, 1, wrong.stdout)
        assert.notInclude(wrong.stdout, "imported")
        assert.strictEqual(fs.readFileSync(`${file}.checkpoint`, "utf8"), checkpoint)
      })
    )
  }
)
