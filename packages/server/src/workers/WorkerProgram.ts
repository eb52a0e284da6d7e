// A worker: serves HTTP on the port that its parent holds. Settings, keys and the place of the database come over the channel;
// limits and searches are asked of the parent. It ends with its parent.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Runtime } from "effect"
import { Cause, Clock, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ConnectorSeal, sealOf } from "../access/ConnectorSeal.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import * as Capacity from "../capacity/Capacity.ts"
import { failureLine } from "../cli/Failure.ts"
import { Config } from "../Config.ts"
import { prometheusText } from "../metrics/PrometheusText.ts"
import { processMetricsLayer } from "../metrics/ProcessMetrics.ts"
import { type DatabaseTarget, poolLayer } from "../postgres/connection/Database.ts"
import { prepareCollector } from "../start/Garbage.ts"
import { loggingLayer, telemetryLayerOf } from "../Telemetry.ts"
import { httpServiceLayer } from "../wiring/HttpService.ts"
import { Borrowed } from "./Borrowed.ts"
import { ProcessChannel } from "./Channel.ts"
import { type BorrowerNote, LenderNote, type WorkerAsk, type WorkerNote, WorkerSettings } from "./Messages.ts"
import { indexesLayer } from "./ParentIndexes.ts"
import { placesLayer, ratesLayer } from "./ParentLimits.ts"
import { after } from "./After.ts"
import { PARENT_ANSWER_MILLIS_MAX } from "./WorkerLimits.ts"

const decodeNote = Schema.decodeUnknownOption(LenderNote)
const decodeSettings = Schema.decodeUnknownEffect(WorkerSettings)

/** How long the parent may take with the settings: it has them before it starts a worker. */
const SETTINGS_MILLIS_MAX = 10_000

const settingsOf = Effect.map(Config, ({ settings }) => settings)

/** Keys come over the channel, even those of a data folder. */
const keysLayer = Layer.unwrap(
  Effect.map(settingsOf, ({ tokenKeys }) => TokenKeys.layer(tokenKeys ?? Redacted.make("")))
)

/** The parent seals what an older key sealed. */
const connectorSealLayer = Layer.effect(
  ConnectorSeal,
  Effect.map(TokenKeys, ({ keys }) => sealOf(keys))
)

/** Who hears what the parent says of limits. */
interface LimitsHeard {
  hear: (note: LenderNote) => void
}

const limitsLayer = (channel: ProcessChannel, heard: LimitsHeard) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { limits, redis } = yield* settingsOf
      if (redis === undefined) {
        const clock = yield* Clock.Clock
        const now = () => clock.currentTimeMillisUnsafe()
        const post = (note: BorrowerNote) => channel.note(note)
        const borrowed = new Borrowed({ limits, post, now, after })
        heard.hear = (note) => borrowed.hear(note)
        return Layer.merge(placesLayer(borrowed, limits), ratesLayer(channel, borrowed, limits))
      }
      const SharedLimits = yield* Effect.promise(() => import("../redis/SharedLimits.ts"))
      return SharedLimits.layer(redis, limits)
    })
  )

const databaseOf = (
  { socket }: typeof WorkerSettings.Type,
  url: Redacted.Redacted | undefined,
  certificates: string | undefined
): DatabaseTarget =>
  socket !== null || url === undefined
    ? { socketDir: socket?.socketDir ?? "", password: Redacted.make(socket?.password ?? "") }
    : { url, certificates }

const workerLayer = (channel: ProcessChannel, heard: LimitsHeard, settings: typeof WorkerSettings.Type) => {
  const database = Layer.unwrap(
    Effect.map(settingsOf, ({ databaseCertificates, databaseUrl }) =>
      poolLayer(databaseOf(settings, databaseUrl, databaseCertificates), settings.connections)
    )
  )
  const metrics = Layer.unwrap(
    Effect.map(settingsOf, ({ metrics, telemetry }) =>
      metrics === undefined && telemetry === undefined ? Layer.empty : processMetricsLayer
    )
  )
  // After the port was closed: what the parent handed over before it heard of that is given back to it.
  const closed = Layer.effectDiscard(
    Effect.addFinalizer(() =>
      channel
        .ask({ _tag: "Closed" } satisfies WorkerAsk)
        .pipe(Effect.interruptible, Effect.timeoutOption(PARENT_ANSWER_MILLIS_MAX), Effect.ignore)
    )
  )
  return httpServiceLayer.pipe(
    Layer.provideMerge(Layer.merge(metrics, closed)),
    Layer.provide(limitsLayer(channel, heard)),
    Layer.provide(indexesLayer(channel)),
    Layer.provide(Layer.unwrap(Effect.map(settingsOf, Capacity.layer))),
    Layer.provide(connectorSealLayer),
    Layer.provide(keysLayer),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(database),
    Layer.provide(telemetryLayerOf(`worker ${process.pid}`)),
    Layer.provide(loggingLayer),
    Layer.provide(Config.layerTaken(settings.environment))
  )
}

// A parent that is gone shows as the end of the channel, which ends this process.
const post = (message: unknown) => process.send?.(message, undefined, {}, () => undefined)

const program = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const heard: LimitsHeard = { hear: () => undefined }
  const note = (given: unknown) => {
    const understood = Option.getOrUndefined(decodeNote(given))
    if (understood !== undefined) heard.hear(understood)
  }
  const channel = new ProcessChannel(
    post,
    { answer: () => Effect.sync(() => prometheusText(context)), note },
    context
  )
  process.on("message", (message) => channel.hear(message))
  const settings = yield* channel
    .ask({ _tag: "Settings" })
    .pipe(Effect.timeout(SETTINGS_MILLIS_MAX), Effect.flatMap(decodeSettings))
  yield* Effect.gen(function* () {
    prepareCollector()
    channel.note({ _tag: "Ready" } satisfies WorkerNote)
    return yield* Effect.never
  }).pipe(Effect.provide(workerLayer(channel, heard, settings)))
})

const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  const line = failureLine(exit.cause)
  if (line !== undefined) process.stderr.write(`rapport: ${line}\n`)
  onExit(1)
}

NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
