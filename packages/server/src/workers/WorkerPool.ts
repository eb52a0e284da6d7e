// The processes that serve HTTP behind one port: starts them, replaces those that end, and ends them with the service. The
// parent takes connections and hands them out in turn (node:cluster).
import type { FailedLogins } from "@rapport/core/access/FailedLogins.ts"
import type { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import type { BroadcastSignal } from "@rapport/core/broadcasts/BroadcastSignal.ts"
import type { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import type { MemoryIndex } from "@rapport/core/memory/MemoryIndex.ts"
import type { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import type { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Clock, Context, Deferred, Effect, Layer, Redacted, Schema, type Scope } from "effect"
import cluster, { type Worker } from "node:cluster"
import { createServer } from "node:net"
import * as path from "node:path"
import type { TokenKeys } from "../access/TokenKeys.ts"
import type { ConfigReading, Settings } from "../Config.ts"
import type { DatabaseTarget } from "../postgres/connection/Database.ts"
import { ProcessChannel } from "./Channel.ts"
import { connectionsOf } from "./Connections.ts"
import { closeLostConnections } from "./HandedOver.ts"
import { type LenderNote, MetricsAnswer, type WorkerSettings } from "./Messages.ts"
import { restartDelayMillis } from "./RestartDelay.ts"
import {
  WORKER_METRICS_MILLIS_MAX,
  WORKER_START_MILLIS_MAX,
  WORKER_STEADY_MILLIS,
  WORKER_STOP_MILLIS_MAX
} from "./WorkerLimits.ts"
import { WorkerMetrics } from "./WorkerMetrics.ts"
import { makeWorkerService, type ServedWorker } from "./WorkerService.ts"

/** A worker ended before it served; it has said why itself. */
export class WorkersFailed extends Schema.TaggedError<WorkersFailed>()("WorkersFailed", {
  message: Schema.String
}) {}

/** What a worker needs beside the settings that were given. */
interface Held {
  readonly database: DatabaseTarget
  readonly keys: TokenKeys["Service"]["keys"]
}

type Needs =
  | FailedLogins
  | AppealIndex
  | MemoryIndex
  | IndexLag
  | OutboxSignal
  | DeliverySignal
  | BroadcastSignal

export class WorkerPool extends Context.Service<
  WorkerPool,
  {
    readonly port: number
    /** What each worker says in the text format, or said last where it does not answer in time, and what those counted that ended. */
    readonly metrics: Effect.Effect<ReadonlyArray<string>>
  }
>()("@rapport/server/workers/WorkerPool") {
  /** Ready when every worker serves; a worker that ends later is replaced. */
  static readonly layer = (
    reading: ConfigReading,
    held: Held
  ): Layer.Layer<WorkerPool, WorkersFailed, Needs> =>
    Layer.effect(
      WorkerPool,
      Effect.gen(function* () {
        const serve = yield* makeWorkerService(reading.settings)
        const port = yield* portOf(reading.settings)
        const settings = settingsOf(reading, held, port)
        const context = yield* Effect.context<never>()
        const running = new Set<Running>()
        const metrics = new WorkerMetrics<Running>()
        setUp()
        const start = startWorker({ reading, running, metrics, context }, (ready, post) =>
          serve({ settings, ready, post })
        )
        const firsts = yield* Effect.forEach(Array.from({ length: reading.settings.workers }), () =>
          Effect.map(Deferred.make<void, WorkersFailed>(), (ready) => ready)
        )
        for (const ready of firsts) yield* Effect.forkScoped(keepRunning(start, ready))
        // All at once, before they are waited for one after the other.
        yield* Effect.addFinalizer(() => Effect.sync(() => running.forEach(({ worker }) => end(worker))))
        yield* Effect.forEach(firsts, (ready) => Deferred.await(ready))
        return {
          port,
          metrics: Effect.suspend(() =>
            Effect.forEach([...running], (one) => readMetrics({ metrics, running }, one), {
              concurrency: "unbounded"
            })
          ).pipe(Effect.map(() => metrics.texts))
        }
      })
    )
}

interface Running {
  readonly worker: Worker
  readonly channel: ProcessChannel
}

/** One for all workers: where none is named, a free one, which those that come later take as well. */
const portOf = ({ host, port }: Settings): Effect.Effect<number> =>
  port > 0
    ? Effect.succeed(port)
    : Effect.callback((resume) => {
        const server = createServer().listen({ host, port }, () => {
          const address = server.address()
          const found = typeof address === "object" && address !== null ? address.port : 0
          server.close(() => resume(Effect.succeed(found)))
        })
        // The first worker says why.
        server.once("error", () => resume(Effect.succeed(port)))
      })

/** Connections are handed out in turn; the kernel would favour a few processes. */
const setUp = () => {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: path.join(import.meta.dirname, "WorkerEntry.js"),
    args: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "json"
  })
}

const settingsOf = (
  { settings, taken }: ConfigReading,
  { database, keys }: Held,
  port: number
): typeof WorkerSettings.Encoded => {
  const { RAPPORT_ADMIN_PASSWORD: _password, RAPPORT_TOKEN: _token, ...environment } = Redacted.value(taken)
  return {
    environment: {
      ...environment,
      LOG_FORMAT: settings.logFormat,
      PORT: String(port),
      RAPPORT_TOKEN_KEYS: keys
        .map(({ key }) => Buffer.from(Redacted.value(key)).toString("base64url"))
        .join(",")
    },
    socket:
      "socketDir" in database
        ? { socketDir: database.socketDir, password: Redacted.value(database.password) }
        : null,
    connections: connectionsOf(settings).worker
  }
}

/** The environment of a worker: nothing that is a setting, for everybody who may list processes sees it. */
const environmentOf = (names: ReadonlySet<string>): Record<string, undefined> =>
  Object.fromEntries([...names].flatMap((name) => [name, `${name}_FILE`]).map((name) => [name, undefined]))

interface Starting {
  readonly reading: ConfigReading
  readonly running: Set<Running>
  readonly metrics: WorkerMetrics<Running>
  readonly context: Context.Context<never>
}

/** Starts one and waits for its end; succeeds with how it ended. */
const startWorker =
  (
    { context, metrics, reading, running }: Starting,
    serve: (ready: () => void, post: (note: LenderNote) => void) => ServedWorker
  ) =>
  (ready: () => void): Effect.Effect<string, never, Scope.Scope> =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<string>()
      yield* Effect.acquireRelease(
        Effect.sync((): Running => {
          const worker = cluster.fork(environmentOf(reading.names))
          closeLostConnections(worker.process)
          const served = serve(
            () => {
              clearTimeout(late)
              Effect.runForkWith(context)(Effect.logInfo(`worker ${worker.process.pid} serves`))
              ready()
            },
            (note) => channel.note(note)
          )
          // A failure to send shows as the end of the worker.
          const post = (message: unknown) => {
            if (worker.isConnected()) worker.process.send(message as object, () => undefined)
          }
          const channel = new ProcessChannel(post, served, context)
          const late = setTimeout(() => worker.process.kill("SIGKILL"), WORKER_START_MILLIS_MAX)
          worker.on("message", (message: unknown) => channel.hear(message))
          worker.on("error", () => undefined)
          worker.once("exit", (code, signal) => {
            clearTimeout(late)
            running.delete(one)
            metrics.ended(one)
            channel.close()
            served.ended()
            Deferred.doneUnsafe(ended, Effect.succeed(signal ?? `code ${code}`))
          })
          const one = { worker, channel }
          running.add(one)
          return one
        }),
        ({ worker }) => stopWorker(worker, Deferred.await(ended))
      )
      return yield* Deferred.await(ended)
    })

/** Begins its stop: the port closes, what it answers is finished. */
const end = (worker: Worker) => {
  if (!worker.isDead()) worker.process.kill("SIGTERM")
}

/** Stops it and waits for its end. */
const stopWorker = (worker: Worker, ended: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (worker.isDead()) return Effect.void
    // A timer of our own: this runs in finalizers, where Effect.timeout cannot interrupt what it waits for.
    const late = setTimeout(() => worker.process.kill("SIGKILL"), WORKER_STOP_MILLIS_MAX)
    end(worker)
    return Effect.andThen(
      ended,
      Effect.sync(() => clearTimeout(late))
    )
  })

const keepRunning = Effect.fnUntraced(function* (
  start: (ready: () => void) => Effect.Effect<string, never, Scope.Scope>,
  ready: Deferred.Deferred<void, WorkersFailed>
) {
  let endsInARow = 0
  while (true) {
    const begun = yield* Clock.currentTimeMillis
    const how = yield* Effect.scoped(
      start(() => {
        Deferred.doneUnsafe(ready, Effect.void)
      })
    )
    const message = `a worker ended before it served (${how})`
    if (yield* Deferred.fail(ready, new WorkersFailed({ message }))) return
    const lived = (yield* Clock.currentTimeMillis) - begun
    endsInARow = how === "code 0" || lived >= WORKER_STEADY_MILLIS ? 0 : endsInARow + 1
    const delay = restartDelayMillis(endsInARow)
    yield* Effect.logWarning(`a worker ended (${how}) and is replaced in ${delay} ms`)
    yield* Effect.sleep(delay)
  }
})

const decodeMetrics = Schema.decodeUnknownEffect(MetricsAnswer)

const readMetrics = (
  { metrics, running }: Pick<Starting, "metrics" | "running">,
  one: Running
): Effect.Effect<void> =>
  one.channel.ask({ _tag: "Metrics" }).pipe(
    Effect.flatMap(decodeMetrics),
    Effect.timeout(WORKER_METRICS_MILLIS_MAX),
    Effect.map((text) => (running.has(one) ? metrics.read(one, text) : undefined)),
    Effect.ignore
  )
