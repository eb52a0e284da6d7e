// `pnpm bench overload`: more than the service can do, of one tenant, beside another that asks now and then
// (docs/operations.md, "Overload"). Each load comes from a process of its own.
import { Console, Data, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { spawn } from "node:child_process"
import { hang } from "./overload/Hanging.ts"
import { type Plan, Sent } from "./overload/Plan.ts"
import { residentMiB } from "./ProcessCpu.ts"
import { program, running, temporaryFolder, unlimited } from "./Started.ts"

/** What must hold. */
const GOODPUT_SHARE_MIN = 0.9
const REFUSED_MILLIS_MAX = 50
const RESIDENT_MIB_MAX = 512
const NEIGHBOUR_RATIO_MAX = 2
const RECOVERED_RATIO_MAX = 2

/** Of the most that was served, how much is sent. */
const SATURATION = 3
const WARM_SECONDS = 5
/** Silent connections and slow writers are cut after ten seconds. */
const HANGING_SECONDS = 14
const NEIGHBOUR_PER_SECOND = 20
const CONNECTIONS = 16
const CONNECTIONS_MAX = 1_000
const LOGINS = ["administrator", "supervisor", "integrator"]

const seconds = Flag.Int("seconds").pipe(Flag.withDescription("Length of one load"), Flag.withDefault(15))

class Missed extends Data.TaggedError("Missed")<{ readonly message: string }> {}

const decodeLogin = Schema.decodeUnknownPromise(Schema.Struct({ accessToken: Schema.String }))
const login = async (origin: string, name: string): Promise<string> => {
  const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ login: name, password: "rapport-demo" })
  })
  return (await decodeLogin(await answer.json())).accessToken
}

const decodeSent = Schema.decodeUnknownEffect(Schema.fromJsonString(Sent))

/** Sends a load from another process and waits for its end. */
const send = (plan: typeof Plan.Type) =>
  Effect.callback<string, Missed>((resume) => {
    const file = program("packages/bench/src/overload/openLoad.ts")
    const child = spawn(process.execPath, [file, JSON.stringify(plan)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    child.once("close", (code) =>
      resume(code === 0 ? Effect.succeed(text) : new Missed({ message: `a load ended with ${String(code)}` }))
    )
    return Effect.sync(() => child.kill())
  }).pipe(Effect.flatMap(decodeSent), Effect.orDie)

const read = (token: string, id: number) =>
  ({
    method: "POST",
    path: "/kw/chatrooms/context/retrieve",
    token,
    body: JSON.stringify({ scope: { entity: "client", id }, actions: {} })
  }) as const
const LIST = "/kw/api/v1/OpChatRooms/list?limit=20&include=client,lastMessage&order[lastMessageAt]=desc"
const list = (token: string) => ({ method: "GET", path: LIST, token }) as const

/** Highest resident memory of a process while the effect runs. */
const watched = <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let peakMiB = residentMiB(pid)
    const timer = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB(pid))), 100)
    return Effect.map(
      Effect.ensuring(
        effect,
        Effect.sync(() => clearInterval(timer))
      ),
      (result) => ({ result, peakMiB })
    )
  })

const measure = Effect.fnUntraced(function* (seconds: number) {
  yield* Console.log("starting the service on the small demo …")
  const service = running(program("packages/server/src/main.ts"), ["serve"], {
    // The rates of a minute are not in the way; what may run at once is as it is by default.
    ...Object.fromEntries(Object.entries(unlimited).filter(([name]) => name.endsWith("_PER_MINUTE"))),
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: yield* temporaryFolder,
    RAPPORT_SEED: "small"
  })
  // Making the demo takes memory that serving it does not.
  yield* Effect.scoped(service)
  const { origin, pid } = yield* service
  const tokens = yield* Effect.promise(() => Promise.all(LOGINS.map((name) => login(origin, name))))
  const foreign = yield* Effect.promise(() => login(origin, "other.administrator"))
  const [first = "", ...others] = tokens
  const asked = [first, ...others].flatMap((token) => [read(token, 501), list(token)])
  const load = { origin, requests: [read(first, 501), ...asked.slice(1)] as const, connections: CONNECTIONS }
  const neighbour = send({
    origin,
    requests: [read(foreign, 601), list(foreign)],
    perSecond: NEIGHBOUR_PER_SECOND,
    seconds,
    connections: CONNECTIONS_MAX
  })

  yield* send({ ...load, perSecond: 0, seconds: WARM_SECONDS })
  const alone = yield* neighbour
  const most = yield* send({ ...load, perSecond: 0, seconds })
  const hanging = yield* Effect.acquireRelease(
    Effect.sync(() => hang(origin, LIST, first)),
    ({ close }) => Effect.sync(close)
  )
  const perSecond = Math.round(most.goodPerSecond * SATURATION)
  const { peakMiB, result } = yield* watched(
    pid,
    Effect.all(
      [
        send({
          ...load,
          perSecond,
          seconds: Math.max(seconds, HANGING_SECONDS),
          connections: CONNECTIONS_MAX
        }),
        neighbour
      ],
      { concurrency: "unbounded" }
    )
  )
  const [overload, beside] = result
  const after = yield* neighbour
  return { alone, most, overload, beside, after, peakMiB, hanging: hanging.open(), hangingOf: hanging.count }
}, Effect.scoped)

const line = (name: string, value: number, bound: string, holds: boolean) => ({ name, value, bound, holds })

const show = (name: string, { good, goodPerSecond, refused, sentPerSecond, statuses, unsent }: Sent) =>
  Console.log(
    [
      `${name.padEnd(12)} sent ${sentPerSecond.toFixed(0)}/s, served ${goodPerSecond.toFixed(0)}/s`,
      `p50 ${good.p50.toFixed(1)} p95 ${good.p95.toFixed(1)} p99 ${good.p99.toFixed(1)} ms`,
      `refused ${refused.count}, p50 ${refused.p50.toFixed(1)} p95 ${refused.p95.toFixed(1)} p99 ${refused.p99.toFixed(1)} ms`,
      `unsent ${unsent}`,
      JSON.stringify(statuses)
    ].join("; ")
  )

type Measured = Effect.Success<ReturnType<typeof measure>>

/** What is measured, the bound, and whether it holds. */
const judged = ({ after, alone, beside, hanging, hangingOf, most, overload, peakMiB }: Measured) => {
  const share = overload.goodPerSecond / most.goodPerSecond
  const failed = [most, overload, beside, alone, after].flatMap(({ statuses }) =>
    Object.entries(statuses).filter(([status]) => status !== "200" && status !== "429")
  )
  const ratio = beside.good.p95 / alone.good.p95
  const recovered = after.good.p95 / alone.good.p95
  const others = beside.statuses["429"] ?? 0
  return [
    line("sent, of the most served", overload.sentPerSecond / most.goodPerSecond, "", true),
    line("served, of the most served", share, `≥ ${GOODPUT_SHARE_MIN}`, share >= GOODPUT_SHARE_MIN),
    line(
      "refused, p95 ms",
      overload.refused.p95,
      `≤ ${REFUSED_MILLIS_MAX}`,
      overload.refused.p95 <= REFUSED_MILLIS_MAX
    ),
    line("resident MiB at most", peakMiB, `≤ ${RESIDENT_MIB_MAX}`, peakMiB <= RESIDENT_MIB_MAX),
    line("neighbour's p95, of alone", ratio, `< ${NEIGHBOUR_RATIO_MAX}`, ratio < NEIGHBOUR_RATIO_MAX),
    line("neighbour's refusals", others, "= 0", others === 0),
    line(
      "neighbour's p95 afterwards, of alone",
      recovered,
      `< ${RECOVERED_RATIO_MAX}`,
      recovered < RECOVERED_RATIO_MAX
    ),
    line("answers other than 200 and 429", failed.length, "= 0", failed.length === 0),
    line(`silent connections and slow writers left, of ${hangingOf}`, hanging, "= 0", hanging === 0)
  ]
}

export const overload = Command.make(
  "overload",
  { seconds },
  Effect.fn(function* ({ seconds }) {
    const measured = yield* measure(seconds)
    yield* show("most", measured.most)
    yield* show("overload", measured.overload)
    yield* show("alone", measured.alone)
    yield* show("beside", measured.beside)
    yield* show("afterwards", measured.after)
    const lines = judged(measured)
    for (const { bound, holds, name, value } of lines)
      yield* Console.log(
        `${name.padEnd(52)}${value.toFixed(2).padStart(9)}  ${bound.padEnd(8)}${holds ? "" : "missed"}`
      )
    const missed = lines.filter(({ holds }) => !holds).map(({ name }) => name)
    if (missed.length > 0) return yield* new Missed({ message: `missed: ${missed.join("; ")}` })
  })
).pipe(Command.withDescription("Three times what the service can do, of one tenant, beside another"))
