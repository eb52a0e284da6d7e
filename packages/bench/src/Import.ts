// `pnpm bench import`: how fast a history moves in, by the number of messages that one create carries (contract §7).
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf } from "./Flags.ts"
import type { HttpRequest } from "./KeptConnection.ts"
import { load } from "./Load.ts"
import { login, write } from "./Requests.ts"
import { demoService, temporaryFolder } from "./Started.ts"
import { table } from "./Table.ts"

const connections = count(
  "connections",
  8,
  "Connections that create in parallel, as many as rapport import has"
)
const seconds = secondsOf(5)

export const importing = Command.make(
  "import",
  { connections, seconds },
  Effect.fn(function* ({ connections, seconds }) {
    const { origin } = yield* demoService(yield* temporaryFolder)
    const token = yield* login(origin)
    yield* Console.log(`${connections} connections, ${seconds} s each`)
    const rows: Array<ReadonlyArray<string>> = []
    for (const count of [10, 100, 1_000]) {
      const plan = { ...creating(origin, token, count), connections }
      yield* load({ ...plan, seconds: 2 })
      const { failures, perSecond, answered } = yield* load({ ...plan, seconds })
      const figures = [count, perSecond, perSecond * count, answered.p50, answered.p95, failures]
      rows.push(figures.map((figure) => figure.toFixed(0)))
    }
    yield* Console.log(
      table(["messages in a create", "creates/s", "messages/s", "p50 ms", "p95 ms", "failed"], rows)
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Creates of chats with a history"))

const TEXT = "Доброго дня, не прийшов рахунок за березень, перевірте, будь ласка, мою адресу."

const creating = (origin: string, token: string, count: number) => {
  const body = {
    clientId: 501,
    channel: "telegram",
    closedAt: "2025-03-02T09:00:00Z",
    messages: Array.from({ length: count }, (_, i) => ({
      authorType: i % 2 === 0 ? "client" : "operator",
      ...(i % 2 === 0 ? {} : { authorId: 31 }),
      text: `${i} ${TEXT}`,
      occurredAt: `2025-03-01T09:${String(Math.floor((i % 1_000) / 60)).padStart(2, "0")}:${String(i % 60).padStart(2, "0")}Z`,
      externalMessageId: `m-${i}`
    }))
  }
  const each = (): HttpRequest => write(`${origin}/kw/api/v1/OpChatRooms`, token, body)
  return { ...each(), each }
}
