// `pnpm bench import`: how fast a history moves in, by the number of messages that one create carries (docs/contract.md §7).
import { Config, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { randomUUID } from "node:crypto"
import type { Asked } from "./KeptConnection.ts"
import { load, type Outcome } from "./Load.ts"
import { login } from "./Read.ts"
import { service } from "./Started.ts"

const connections = Flag.Int("connections").pipe(
  Flag.withDescription("Connections that create at once, as many as the script of docs/moving-in.md has"),
  Flag.withDefault(8)
)
const seconds = Flag.Int("seconds").pipe(
  Flag.withDescription("Length of one measurement"),
  Flag.withDefault(5)
)
const messages = Flag.Int("messages").pipe(
  Flag.withDescription("Messages of one create; 10, 100 and 1000 in turn without it"),
  Flag.withDefault(0)
)

/** RAPPORT_URL names a running service with the demo data; without it one is started, both with the limits as they are. */
export const importing = Command.make(
  "import",
  { connections, seconds, messages },
  Effect.fn(function* ({ connections, messages, seconds }) {
    const url = yield* Config.String("RAPPORT_URL").pipe(Config.option)
    const origin = yield* Option.match(url, {
      onSome: (given) => Effect.succeed(given),
      onNone: () => Effect.andThen(Console.log("starting the service on the small demo …"), service)
    })
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
  const body = JSON.stringify({
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
  })
  const each = (): Asked => ({
    url: `${origin}/kw/api/v1/OpChatRooms`,
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID()
    },
    body
  })
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
