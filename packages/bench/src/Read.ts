// `pnpm bench read`: client reads without and with evidence, each beside a bare server that sends as many bytes.
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { count, seconds as secondsOf } from "./Flags.ts"
import { load, type Outcome } from "./Load.ts"
import { bareServer, service } from "./Started.ts"

export const connections = count("connections", 16, "Connections that ask at once")
export const seconds = secondsOf(3)
const rounds = count("rounds", 3, "Measurements of each kind, taken in turn; the median counts")

const scope = { entity: "client", id: 501 }
const reads = {
  "state, properties, actions": { scope, actions: {} },
  "with evidence, by query": {
    scope,
    targets: ["previous_client_appeals", "relevant_appeals"],
    query: "не прийшов рахунок"
  }
}

const decodeLogin = Schema.decodeUnknownPromise(Schema.Struct({ accessToken: Schema.String }))

/** An access token of the demo administrator. */
export const login = (origin: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ login: "administrator", password: "rapport-demo" })
    })
    return (await decodeLogin(await answer.json())).accessToken
  })

/** RAPPORT_URL names a running service, with the demo data and limits high enough; without it one is started. */
export const read = Command.make(
  "read",
  { connections, seconds, rounds },
  Effect.fn(function* ({ connections, rounds, seconds }) {
    const origin = yield* service
    const headers = { authorization: `Bearer ${yield* login(origin)}`, "content-type": "application/json" }
    const rows: Array<string> = []
    for (const [name, request] of Object.entries(reads)) {
      const plan = {
        url: `${origin}/kw/chatrooms/context/retrieve`,
        method: "POST" as const,
        headers,
        body: JSON.stringify(request),
        connections,
        seconds
      }
      // Warms caches and the compiler, and gives the size that the bare server has to send.
      const { bytes } = yield* load({ ...plan, seconds: 2 })
      const bare = { ...plan, url: yield* bareServer(bytes) }
      yield* load({ ...bare, seconds: 1 })
      const measured: { readonly bare: Array<Outcome>; readonly service: Array<Outcome> } = {
        bare: [],
        service: []
      }
      for (let round = 0; round < rounds; round++) {
        measured.bare.push(yield* load(bare))
        measured.service.push(yield* load(plan))
      }
      const [floor, ours] = [median(measured.bare), median(measured.service)]
      rows.push(line(name, ours, ours.perSecond / floor.perSecond), line("  bare node:http", floor, 1))
    }
    yield* Console.log(`${connections} connections, median of ${rounds} × ${seconds} s, taken in turn`)
    yield* Console.log([header, ...rows].join("\n"))
  }, Effect.scoped)
).pipe(Command.withDescription("Client reads without and with evidence, beside a bare node:http server"))

const median = (outcomes: ReadonlyArray<Outcome>): Outcome => {
  const [middle] = outcomes
    .toSorted((a, b) => a.perSecond - b.perSecond)
    .slice(Math.floor(outcomes.length / 2))
  return (
    middle ?? { perSecond: 0, seconds: 0, p50Millis: 0, p95Millis: 0, p99Millis: 0, bytes: 0, failures: 0 }
  )
}

const header = `${"read".padEnd(28)}${"bytes".padStart(8)}${"req/s".padStart(9)}${"of bare".padStart(9)}${"p50 ms".padStart(9)}${"p95 ms".padStart(9)}${"failed".padStart(8)}`

const line = (
  name: string,
  { bytes, failures, p50Millis, p95Millis, perSecond }: Outcome,
  share: number
): string =>
  [
    name.padEnd(28),
    String(bytes).padStart(8),
    perSecond.toFixed(0).padStart(9),
    share.toFixed(2).padStart(9),
    p50Millis.toFixed(1).padStart(9),
    p95Millis.toFixed(1).padStart(9),
    String(failures).padStart(8)
  ].join("")
