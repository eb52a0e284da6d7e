// `pnpm bench import`: how fast a history moves in, by the number of messages that one create carries (contract §7).
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf } from "./Flags.ts"
import type { HttpRequest } from "./KeptConnection.ts"
import { load, type Outcome } from "./Load.ts"
import { login, write } from "./Requests.ts"
import { service } from "./Started.ts"

const connections = count(
  "connections",
  8,
  "Connections that create at once, as many as the script of docs/moving-in.md has"
)
const seconds = secondsOf(5)
const messages = count("messages", 0, "Messages of one create; 10, 100 and 1000 in turn without it")

/** RAPPORT_URL names a running service with the demo data; without it one is started, both with the limits as they are. */
export const importing = Command.make(
  "import",
  { connections, seconds, messages },
  Effect.fn(function* ({ connections, messages, seconds }) {
    const origin = yield* service
    const token = yield* login(origin)
    yield* Console.log(`${connections} connections, ${seconds} s each`)
    yield* Console.log(header)
    for (const count of messages > 0 ? [messages] : [10, 100, 1_000]) {
      const plan = { ...creating(origin, token, count), connections }
      yield* load({ ...plan, seconds: 2 })
      yield* Console.log(line(count, yield* load({ ...plan, seconds })))
    }
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

const header = `${"messages in a create".padEnd(22)}${"creates/s".padStart(11)}${"messages/s".padStart(12)}${"p50 ms".padStart(9)}${"p95 ms".padStart(9)}${"failed".padStart(8)}`
const line = (count: number, { failures, p50Millis, p95Millis, perSecond }: Outcome): string =>
  [
    String(count).padEnd(22),
    perSecond.toFixed(0).padStart(11),
    (perSecond * count).toFixed(0).padStart(12),
    p50Millis.toFixed(1).padStart(9),
    p95Millis.toFixed(1).padStart(9),
    String(failures).padStart(8)
  ].join("")
