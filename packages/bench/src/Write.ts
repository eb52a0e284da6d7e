// `pnpm bench write`: actions, compare-and-set of state and session messages, each under a key of its own.
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { count, seconds as secondsOf } from "./Flags.ts"
import { randomUUID } from "node:crypto"
import type { Asked } from "./KeptConnection.ts"
import { load, type Outcome } from "./Load.ts"
import { login } from "./Read.ts"
import { service } from "./Started.ts"

const connections = count("connections", 16, "Connections that write at once")
const seconds = secondsOf(5)
const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Prints one JSON object instead of a table"),
  Flag.withDefault(false)
)

type Each = (connection: number, n: number) => Asked

/** RAPPORT_URL names a running service, with the demo data and limits high enough; without it one is started. */
export const write = Command.make(
  "write",
  { connections, seconds, json },
  Effect.fn(function* ({ connections, json, seconds }) {
    const origin = yield* service
    const token = yield* login(origin)
    const measured: Record<string, Outcome> = {}
    for (const [name, make] of Object.entries(writes)) {
      const plan = { ...nothing, connections, each: yield* make(origin, token, connections) }
      yield* load({ ...plan, seconds: 2, each: yield* make(origin, token, connections) })
      measured[name] = yield* load({ ...plan, seconds })
    }
    if (json) return yield* Console.log(JSON.stringify(measured))
    yield* Console.log(`${connections} connections, ${seconds} s each`)
    yield* Console.log([header, ...Object.entries(measured).map(line)].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Actions, compare-and-set of state, session messages"))

const nothing = { url: "", method: "POST", headers: {}, body: "" } as const

/** Headers of one write: an unused key. */
const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  "idempotency-key": randomUUID()
})

const decodeSession = Schema.decodeUnknownPromise(
  Schema.Struct({ session: Schema.Struct({ id: Schema.String }) })
)

const openSession = async (origin: string, token: string): Promise<string> => {
  const answer = await fetch(`${origin}/kw/context/sessions`, {
    method: "POST",
    headers: headersOf(token),
    body: JSON.stringify({ clientId: 501 })
  })
  return (await decodeSession(await answer.json())).session.id
}

const writes = {
  action: (origin, token) =>
    Effect.succeed(() => ({
      url: `${origin}/kw/clients/501/context/actions`,
      method: "POST",
      headers: headersOf(token),
      body: JSON.stringify({
        type: "order.created",
        occurredAt: "2026-03-01T08:00:00Z",
        actorType: "client",
        summary: "Замовлення 10442, два роутери",
        payload: { total: 3198 }
      })
    })),

  // A namespace for each connection: who waits for whom is not measured here.
  state: (origin, token) => {
    const run = `bench.${randomUUID().slice(0, 8)}`
    return Effect.succeed((connection, n) => ({
      url: `${origin}/kw/clients/501/context/state/${run}.${connection}`,
      method: "PUT",
      headers: headersOf(token),
      body: JSON.stringify({ expectedVersion: n, state: { step: n, tier: "gold" } })
    }))
  },

  message: (origin, token, count) =>
    Effect.promise(async () => {
      const ids = await Promise.all(Array.from({ length: count }, () => openSession(origin, token)))
      return (connection) => ({
        url: `${origin}/kw/context/sessions/${ids[connection]}/messages`,
        method: "POST",
        headers: headersOf(token),
        body: JSON.stringify({ role: "client", content: "Доброго дня, де моє замовлення?" })
      })
    })
} satisfies Record<string, (origin: string, token: string, connections: number) => Effect.Effect<Each>>

const header = `${"write".padEnd(12)}${"req/s".padStart(9)}${"p50 ms".padStart(9)}${"p95 ms".padStart(9)}${"failed".padStart(8)}`
const line = ([name, { failures, p50Millis, p95Millis, perSecond }]: readonly [string, Outcome]): string =>
  [
    name.padEnd(12),
    perSecond.toFixed(0).padStart(9),
    p50Millis.toFixed(2).padStart(9),
    p95Millis.toFixed(2).padStart(9),
    String(failures).padStart(8)
  ].join("")
