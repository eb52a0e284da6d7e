// A started service answers writes and lists the same beside the framework and through it: with its database, sessions and cursors.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { head, raw, shown } from "../../testing/RawHttpFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"
import { unlimitedEnvironment } from "../../testing/SharedDatabaseFixtures.ts"

const context = "/kw/clients/501/context"
const CHAT = "/kw/api/v1/OpChatRooms"
const CHATS = `${CHAT}/list`
const CUSTOM = "/kw/api/v1/custom-data"
const TICKETS = "/kw/api/v1/Ticket/list"
type Way = "lean" | "general"
const media = "Content-Type: application/json"

const world = Effect.map(RunningServer, (server) => {
  const port = Number(new URL(server.origin).port)
  const send = async (way: Way, who: string, method: string, path: string, body?: unknown, key?: string) => {
    const lines = ["Connection: close", `Authorization: Bearer ${await server.tokenOf(who)}`]
    if (key !== undefined) lines.push(`Idempotency-Key: ${key}`)
    const content = body === undefined ? "" : JSON.stringify(body)
    const bytes = Buffer.byteLength(content)
    // The framework takes what comes in chunks, and a GET that names a media type.
    const text = {
      lean:
        body === undefined
          ? head(method, path, ...lines)
          : `${head(method, path, ...lines, media, `Content-Length: ${bytes}`)}${content}`,
      general:
        body === undefined
          ? head(method, path, ...lines, media)
          : `${head(method, path, ...lines, media, "Transfer-Encoding: chunked")}${bytes.toString(16)}\r\n${content}\r\n0\r\n\r\n`
    }[way]
    const answer = shown((await raw(port, text)).text)
    return { ...answer, content: Buffer.from(answer.content, "latin1").toString("utf8") }
  }
  return {
    send,
    /** A request without an effect, or the repeat of one. */
    both: async (...request: [who: string, method: string, path: string, body?: unknown, key?: string]) => {
      const lean = await send("lean", ...request)
      assert.deepStrictEqual(await send("general", ...request), lean)
      return lean
    }
  }
})

/** What two writes of the same differ in. */
const alike = <A extends { readonly content: string }>(answer: A) => ({
  ...answer,
  content: answer.content
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "id")
    .replaceAll(/("(?:committedAt|recordedAt|updatedAt)":)"[^"]*"/gu, "$1time")
})

const action = {
  type: "order.created",
  occurredAt: "2026-03-01T08:00:00+02:00",
  actorType: "client",
  summary: "Замовлення, заказ, an order: ї, ё, 🙂",
  payload: { склад: [1, null, "два"], "1": 0 }
}

layer(ServerFixtures.running(unlimitedEnvironment), { excludeTestServices: true, timeout: 120_000 })(
  "a started service",
  (it) => {
    it.effect("answers an action and its replay the same", () =>
      Effect.flatMap(world, ({ both, send }) =>
        Effect.promise(async () => {
          const keys = [randomUUID(), randomUUID()] as const
          const path = `${context}/actions`
          const lean = await send("lean", "administrator", "POST", path, action, keys[0])
          const general = await send("general", "administrator", "POST", path, action, keys[1])
          assert.strictEqual(lean.status, "HTTP/1.1 201 Created", lean.content)
          assert.deepStrictEqual(alike(lean), alike(general))
          // Each way replays what the other wrote.
          for (const [key, first] of [
            [keys[0], lean],
            [keys[1], general]
          ] as const) {
            const replay = await both("administrator", "POST", path, action, key)
            assert.strictEqual(replay.status, "HTTP/1.1 200 OK")
            assert.include(replay.headers, "idempotency-replayed: true")
            assert.deepStrictEqual(JSON.parse(replay.content), {
              ...JSON.parse(first.content),
              replayed: true
            })
          }
          const other = { ...action, summary: "Інше" }
          assert.match((await both("administrator", "POST", path, other, keys[0])).status, / 422 /u)
          assert.match(
            (await both("administrator", "POST", path, { ...action, subjectId: 987_654 }, randomUUID()))
              .status,
            / 400 /u
          )
        })
      )
    )

    it.effect("answers a state, its conflict and its replay the same", () =>
      Effect.flatMap(world, ({ both, send }) =>
        Effect.promise(async () => {
          const path = `${context}/state/lean`
          const keys = Array.from({ length: 4 }, () => randomUUID())
          const put = (way: Way, expectedVersion: number) =>
            send(
              way,
              "administrator",
              "PUT",
              path,
              { expectedVersion, state: { крок: 1 } },
              keys[expectedVersion]
            )
          const written = [
            await put("lean", 0),
            await put("general", 1),
            await put("lean", 2),
            await put("general", 3)
          ]
          for (const [at, { headers, status }] of written.entries()) {
            assert.strictEqual(status, "HTTP/1.1 200 OK")
            assert.include(headers, `etag: "${at + 1}"`)
          }
          // Each version is a command of its own.
          const [first, ...others] = written.map((answer, at) =>
            alike(answer)
              .content.replace(`"version":${at + 1}`, '"version":1')
              .replace(/sha256:[0-9a-f]{64}/u, "hash")
          )
          for (const one of others) assert.strictEqual(one, first)
          for (const [at, key] of keys.entries())
            await both("administrator", "PUT", path, { expectedVersion: at, state: { крок: 1 } }, key)
          const lost = await both(
            "administrator",
            "PUT",
            path,
            { expectedVersion: 1, state: {} },
            randomUUID()
          )
          assert.strictEqual(JSON.parse(lost.content).currentVersion, 4)
        })
      )
    )

    it.effect("opens a chat, with a history and without one, and replays it the same", () =>
      Effect.flatMap(world, ({ both, send }) =>
        Effect.promise(async () => {
          const plain = { clientId: 501, channel: "telegram", comment: "Їжак, ёж, a hedgehog 🙂" }
          const history = {
            ...plain,
            closedAt: "2025-03-02T11:00:00+02:00",
            messages: [
              { authorType: "client", text: "Де замовлення?", occurredAt: "2025-03-01T09:00:00Z" },
              { authorType: "operator", authorId: 31, text: "В дорозі", occurredAt: "2025-03-01T09:01:00Z" }
            ]
          }
          for (const chat of [plain, history]) {
            const keys = [randomUUID(), randomUUID()] as const
            const lean = await send("lean", "administrator", "POST", CHAT, chat, keys[0])
            const general = await send("general", "administrator", "POST", CHAT, chat, keys[1])
            assert.strictEqual(lean.status, "HTTP/1.1 201 Created", lean.content)
            const made = JSON.parse(lean.content)
            assert.include(lean.headers, `location: ${CHAT.toLowerCase()}/${made.chat.id}`)
            assert.include(lean.headers, 'etag: "1"')
            assert.strictEqual(made.chat.messageCount, chat === plain ? 0 : 2)
            const { id } = JSON.parse(general.content).chat
            const times = /("(?:createdAt|updatedAt|waitingSince)":)"[^"]*"/gu
            const shownAlike = ({ content, headers }: typeof lean, own: number) =>
              `${headers.join("\n")}\n${content}`
                .replaceAll(String(own), "own")
                .replaceAll(chat === plain ? times : /("updatedAt":)"[^"]*"/gu, "$1time")
            assert.strictEqual(shownAlike(lean, made.chat.id), shownAlike(general, id))
            for (const key of keys) {
              const replay = await both("administrator", "POST", CHAT, chat, key)
              assert.strictEqual(replay.status, "HTTP/1.1 200 OK")
              assert.isTrue(JSON.parse(replay.content).replayed)
            }
          }
          const statuses = [
            await both("administrator", "POST", CHAT, { ...plain, clientId: 987_654 }),
            await both("administrator", "POST", CHAT, { ...plain, unknown: 1 }),
            await both("administrator", "POST", CHAT, { ...history, messages: [{ text: "" }] }),
            await both("supervisor", "POST", CHAT, history)
          ].map(({ status }) => Number(status.split(" ", 2)[1]))
          assert.deepStrictEqual(statuses, [400, 400, 400, 403])
        })
      )
    )

    it.effect("refuses the same who may not, and what is not there", () =>
      Effect.flatMap(world, ({ both }) =>
        Effect.promise(async () => {
          const state = { expectedVersion: 0, state: {} }
          const statuses = [
            await both("supervisor", "POST", `${context}/actions`, action, randomUUID()),
            await both("supervisor", "PUT", `${context}/state/lean`, state, randomUUID()),
            await both("administrator", "POST", "/kw/clients/987654/context/actions", action, randomUUID()),
            await both("administrator", "PUT", "/kw/clients/987654/context/state/lean", state, randomUUID()),
            await both("administrator", "POST", `${context}/actions`, action)
          ].map(({ status }) => Number(status.split(" ", 2)[1]))
          assert.deepStrictEqual(statuses, [403, 403, 404, 404, 400])
        })
      )
    )

    it.effect("reads custom data the same, and refuses the same", () =>
      Effect.flatMap(world, ({ both, send }) =>
        Effect.promise(async () => {
          const make = async (path: string, body: unknown) => {
            const made = await send("general", "administrator", "POST", `${CUSTOM}${path}`, body)
            assert.strictEqual(made.status, "HTTP/1.1 201 Created", made.content)
            return JSON.parse(made.content)
          }
          const fields = [
            { name: "title", type: "STRING" },
            { name: "count", type: "INTEGER" }
          ]
          // A model's name may be the word behind one.
          await make("/models", { name: "records", fields })
          await make("/models", { name: "export", fields })
          const titles = ["Їжак", "ёлка", "parcel 🙂"]
          const ids: Array<number> = []
          for (const [count, title] of titles.entries())
            ids.push((await make("/records/records", { values: { title, count } })).id)
          const at = `${CUSTOM}/records/records`
          const first = await both("administrator", "GET", `${at}?limit=2&order[title]=asc&order[count]=desc`)
          const page = JSON.parse(first.content)
          assert.lengthOf(page.data, 2)
          const cursor = encodeURIComponent(page.nextCursor)
          const paths = [
            `${at}?limit=2&order[title]=asc&order[count]=desc&cursor=${cursor}`,
            `${at}?limit=2&order[count]=desc&order[title]=asc&cursor=${cursor}`,
            `${at}?fields=id,version&filter[title][contains]=${encodeURIComponent("ЇЖ")}`,
            `${at}?filter[count][in]=1,2&filter[title][isNull]=false`,
            `${at}?filter[count]=x&limit=0`,
            `${at}?filter[unknown]=1`,
            `${at}?__proto__=1`,
            `${at}?limit=1&limit=2`,
            `${at}/${ids[0]}`,
            `${at}/999999`,
            `${at}/0`,
            `${CUSTOM}/models/records`,
            `${CUSTOM}/models/export`,
            `${CUSTOM}/models/unknown`,
            `${CUSTOM}/models/records/${ids[0]}`,
            `${CUSTOM}/unknown/records`,
            `${CUSTOM}/Records/records`,
            `${at}/export?limit=1`
          ]
          const statuses: Array<number> = []
          for (const path of paths)
            statuses.push(Number((await both("administrator", "GET", path)).status.split(" ", 2)[1]))
          assert.deepStrictEqual(
            statuses,
            [200, 400, 200, 200, 400, 400, 400, 400, 200, 404, 400, 200, 200, 404, 404, 404, 400, 400]
          )
          const where = {
            or: [
              { field: "title", op: "eq", value: "ёлка" },
              { field: "count", op: "gt", value: 1 }
            ]
          }
          const found = await both("administrator", "POST", `${at}/search`, { where, limit: 1 })
          assert.strictEqual(JSON.parse(found.content).total, 2)
          for (const body of [
            { where: { and: [{ field: "x" }] } },
            { limit: 0 },
            { more: 1 },
            { cursor: "x" }
          ])
            assert.match((await both("administrator", "POST", `${at}/search`, body)).status, / 400 /u)
          // What any model knows and what this one knows, in one answer.
          for (const path of [
            `${at}?limit=x&filter[unknown]=1`,
            `${at}?limit=x&order[unknown]=asc&fields=id,y`
          ]) {
            const refused = JSON.parse((await both("administrator", "GET", path)).content)
            const named = refused.errors.map((error: { readonly path: string }) => error.path)
            const asked = [...new URLSearchParams(path.split("?", 2)[1]).keys()]
            assert.sameMembers(named, asked)
          }
          const twice = JSON.parse(
            (await both("administrator", "GET", `${at}?limit=x&fields=id&fields=id`)).content
          )
          assert.sameMembers(
            twice.errors.map((error: { readonly path: string }) => error.path),
            ["limit", "fields"]
          )
          for (const path of [at, `${at}/${ids[0]}`, `${CUSTOM}/models/records`])
            assert.match((await both("operator", "GET", path)).status, / (?:200|403) /u)
        })
      )
    )

    it.effect("lists the same pages to each caller, and refuses the same cursors", () =>
      Effect.flatMap(world, ({ both }) =>
        Effect.promise(async () => {
          for (const path of [CHATS, TICKETS])
            for (const who of ["administrator", "supervisor", ...(path === CHATS ? ["operator"] : [])]) {
              const order = "order[createdAt]=asc"
              const first = JSON.parse((await both(who, "GET", `${path}?limit=1&${order}`)).content)
              assert.lengthOf(first.data, 1, `${path} ${who}`)
              assert.isTrue(first.hasMore)
              const cursor = encodeURIComponent(first.nextCursor)
              const next = JSON.parse(
                (await both(who, "GET", `${path}?limit=1&${order}&cursor=${cursor}`)).content
              )
              assert.notStrictEqual(next.data[0].id, first.data[0].id)
              const other = path === CHATS ? TICKETS : CHATS
              for (const wrong of [
                `${path}?cursor=${cursor}`,
                `${other}?${order}&cursor=${cursor}`,
                `${path}?${order}&cursor=${cursor}x`,
                `${path}?${order}&offset=1&cursor=${cursor}`,
                `${path}?${order}&order[id]=asc&order[status]=asc&order[updatedAt]=asc`,
                `${path}?limit=1&limit=2`
              ])
                assert.match((await both(who, "GET", wrong)).status, / 400 /u, wrong)
              await both(
                who,
                "GET",
                `${path}?fields=id,status&include=client&filter[status][ne]=closed&limit=3`
              )
              await both(who, "GET", path)
            }
        })
      )
    )
  }
)
