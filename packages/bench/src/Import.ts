// `pnpm bench import`: how fast a history moves in, by the number of messages that one create carries (contract §7).
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf } from "./Flags.ts"
import { load } from "./Load.ts"
import { figureNames, figuresOf, measure } from "./Measure.ts"
import { login, write } from "./Requests.ts"
import { startService, temporaryFolder } from "./Started.ts"
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
    const service = yield* startService(yield* temporaryFolder)
    const token = yield* login(service.origin)
    yield* Console.log(`${connections} connections, ${seconds} s each`)
    const rows: Array<ReadonlyArray<string>> = []
    for (const count of [10, 100, 1_000]) {
      const body = historyOf(count)
      const request = () => write(`${service.origin}/kw/api/v1/OpChatRooms`, token, body)
      yield* load({ request, connections, seconds: 2 })
      const measured = yield* measure(service, { request, connections, seconds })
      rows.push([String(count), (measured.perSecond * count).toFixed(0), ...figuresOf(measured)])
    }
    yield* Console.log(table(["messages in a create", "messages/s", ...figureNames], rows))
  }, Effect.scoped)
).pipe(Command.withDescription("Creates of chats with a history"))

const TEXT = "Доброго дня, не прийшов рахунок за березень, перевірте, будь ласка, мою адресу."
const FIRST_MESSAGE_MILLIS = Date.UTC(2025, 2, 1, 9)

const historyOf = (count: number) => ({
  clientId: 501,
  channel: "telegram",
  closedAt: "2025-03-02T09:00:00Z",
  messages: Array.from({ length: count }, (_, i) => ({
    authorType: i % 2 === 0 ? "client" : "operator",
    ...(i % 2 === 0 ? {} : { authorId: 31 }),
    text: `${i} ${TEXT}`,
    occurredAt: new Date(FIRST_MESSAGE_MILLIS + i * 1_000).toISOString(),
    externalMessageId: `m-${i}`
  }))
})
