// The composition root: what the service is made of (see wiring/ for its parts), and in which order it starts and stops.
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as TokenKeyFile from "./access/TokenKeyFile.ts"
import { ConnectorSeal, sealOf } from "./access/ConnectorSeal.ts"
import { sealConnectors } from "./postgres/scenarios/SealedConnectors.ts"
import { TokenKeys, type TokenKeysInvalid } from "./access/TokenKeys.ts"
import { instancesLayer } from "./wiring/Instances.ts"
import { ConfigError } from "./config/ConfigError.ts"
import { Config, type Settings } from "./Config.ts"
import { DataFolder, type DataFolderUnusable } from "./files/DataFolder.ts"
import { demoPhoneLayer } from "./demo/DemoPhone.ts"
import * as AccessStorePostgres from "./postgres/access/AccessStorePostgres.ts"
import * as InboundStorePostgres from "./postgres/delivery/InboundStorePostgres.ts"
import { broadcastsRunLayer } from "./wiring/Broadcasts.ts"
import { deliveryLayer } from "./wiring/Delivery.ts"
import { ratesLayer } from "./wiring/Rates.ts"
import { awaitIndexed, indexesLayer, projectorsLayer } from "./wiring/Search.ts"
import { indexLagLayer } from "./projection/ProjectorLayers.ts"
import * as Capacity from "./postgres/capacity/Capacity.ts"
import { clockDifferenceLayer } from "./postgres/connection/ClockDifference.ts"
import * as ErasureSweep from "./projection/ErasureSweep.ts"
import * as Sweeps from "./projection/Sweeps.ts"
import { type DatabaseTarget, commandLayer, poolLayer } from "./postgres/connection/Database.ts"
import { EmbeddedPostgres } from "./postgres/connection/EmbeddedPostgres.ts"
import { migrate } from "./postgres/schema/Migrations.ts"
import * as ClientDataStorePostgres from "./postgres/clients/ClientDataStorePostgres.ts"
import * as ImportStorePostgres from "./postgres/imports/ImportStorePostgres.ts"
import * as ReceiptsPostgres from "./postgres/receipts/ReceiptsPostgres.ts"
import { findDemoLogins } from "./seed/DemoLogins.ts"
import { seed, type Seeded } from "./seed/SeedLoader.ts"
import { processMetricsLayer } from "./metrics/ProcessMetrics.ts"
import { collectGarbage } from "./start/Garbage.ts"
import { originOf, refuseDemoLogins, requireFreePort } from "./start/Listening.ts"
import { migratedText, startDocument, startText } from "./start/StartText.ts"
import { telemetryLayerOf } from "./Telemetry.ts"

/** Where PostgreSQL is, once it answers there. */
class DatabaseAt extends Context.Service<DatabaseAt, DatabaseTarget>()("@rapport/server/DatabaseAt") {}

/** The database migrated and seeded, before anything else touches it. */
class Prepared extends Context.Service<
  Prepared,
  { readonly seeded: Seeded; readonly demoLogins: ReadonlyArray<string> }
>()("@rapport/server/Prepared") {}

/** The open port. */
class Serving extends Context.Service<Serving, { readonly port: number }>()("@rapport/server/Serving") {}

const settingsOf = Effect.map(Config, ({ settings }) => settings)
const withSettings = <A, E, R>(make: (settings: Settings) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(settingsOf, make))

// Commands beside the service connect too.
const CONNECTIONS_BESIDE_POOL = 32

const databaseAtLayer = withSettings(({ databaseCertificates, databaseUrl, poolSize }) =>
  databaseUrl !== undefined
    ? Layer.succeed(DatabaseAt, { url: databaseUrl, certificates: databaseCertificates })
    : Layer.effect(DatabaseAt, EmbeddedPostgres).pipe(
        Layer.provide(
          EmbeddedPostgres.layer({
            connectionsMax: poolSize + CONNECTIONS_BESIDE_POOL
          })
        )
      )
)

const preparedLayer = Layer.effect(
  Prepared,
  Effect.gen(function* () {
    const settings = yield* settingsOf
    const { adminLogin, adminPassword, seed: kind } = settings
    const ran = yield* migrate
    if (ran.length > 0) yield* Effect.logInfo(migratedText(ran))
    const seeded = yield* seed({ kind, adminLogin, adminPassword })
    const demoLogins = yield* findDemoLogins
    yield* refuseDemoLogins(settings, demoLogins)
    return { seeded, demoLogins }
  }).pipe(
    Effect.provide(Layer.provideMerge(instancesLayer, Layer.unwrap(Effect.map(DatabaseAt, commandLayer))))
  )
)

const poolOnceReadyLayer = Layer.unwrap(
  Effect.gen(function* () {
    yield* Prepared
    return poolLayer(yield* DatabaseAt, (yield* settingsOf).poolSize)
  })
)

/** What serves HTTP is a third of the program: it is loaded while the database and the indexes are waited for. */
const httpProgram = Effect.promise(() => import("./wiring/HttpService.ts"))
const httpProgramAheadLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* DatabaseAt
    yield* Effect.forkScoped(httpProgram)
  })
)

const databaseLayer = poolOnceReadyLayer.pipe(
  Layer.provideMerge(preparedLayer),
  Layer.provideMerge(httpProgramAheadLayer),
  Layer.provideMerge(databaseAtLayer)
)

// `serve` has refused a DATABASE_URL without keys before: processes that share a database share their keys.
const tokenKeysLayer = withSettings(
  ({
    tokenKeys
  }): Layer.Layer<TokenKeys, DataFolderUnusable | TokenKeysInvalid, DataFolder | SecureRandom.SecureRandom> =>
    tokenKeys === undefined ? TokenKeyFile.layer : TokenKeys.layer(tokenKeys)
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
const TOKEN_KEYS_MISSING = "RAPPORT_TOKEN_KEYS is missing: it is required with DATABASE_URL"

/** Secrets of connectors are sealed with the keys, at the start those as well that an older key sealed. */
const connectorSealLayer = Layer.effect(
  ConnectorSeal,
  Effect.gen(function* () {
    const { keys } = yield* TokenKeys
    const seal = sealOf(keys)
    yield* Effect.provideService(sealConnectors, ConnectorSeal, seal)
    return seal
  })
)

/** What keeps the search indexes up with the database, and says how far behind they are. */
const followingLayer = indexLagLayer.pipe(Layer.provideMerge(withSettings(projectorsLayer)))

const sessionSweepLayer = Sweeps.sessionSweepLayer.pipe(Layer.provide(AccessStorePostgres.layer))
const receiptSweepLayer = withSettings(({ receiptDays }) => Sweeps.receiptSweepLayerOf(receiptDays)).pipe(
  Layer.provide([ReceiptsPostgres.layer, ImportStorePostgres.layer]),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** Writes are refused above a quota and on a full disk. */
const capacityLayer = withSettings(Capacity.layer)
const retentionSweepLayer = withSettings(Sweeps.retentionSweepLayerOf)
const erasureSweepLayer = ErasureSweep.layer.pipe(Layer.provide(ClientDataStorePostgres.layer))

const broadcastsLayer = broadcastsRunLayer.pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** Metrics of the process, where they are read or exported. */
const metricsLayer = withSettings(({ metrics, telemetry }) => {
  const own = metrics === undefined && telemetry === undefined ? Layer.empty : processMetricsLayer
  if (metrics === undefined) return own
  const port = Effect.promise(() => import("./metrics/MetricsPort.ts"))
  return Layer.merge(own, Layer.unwrap(Effect.map(port, ({ metricsPortLayer }) => metricsPortLayer(metrics))))
})

/** The phone of a client, where the database was seeded with the demo. */
const demoLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { demoLogins, seeded } = yield* Prepared
    return seeded.kind === "empty" || demoLogins.length === 0
      ? Layer.empty
      : demoPhoneLayer.pipe(Layer.provide(InboundStorePostgres.layer))
  })
)

/** What runs behind the port, and what serving needs. */
const backgroundLayer = Layer.mergeAll(
  withSettings(deliveryLayer),
  broadcastsLayer,
  sessionSweepLayer,
  receiptSweepLayer,
  erasureSweepLayer,
  retentionSweepLayer,
  clockDifferenceLayer
).pipe(
  Layer.provideMerge(demoLayer),
  Layer.provideMerge(capacityLayer),
  Layer.provideMerge(connectorSealLayer),
  Layer.provideMerge(tokenKeysLayer),
  Layer.provideMerge(followingLayer),
  // The threads of an index take as long to start as the database: beside it.
  Layer.provideMerge(Layer.merge(databaseLayer, withSettings(indexesLayer)))
)

const httpLayer = Layer.unwrap(Effect.map(httpProgram, ({ httpServiceLayer }) => httpServiceLayer))
const servingLayer = Layer.effect(
  Serving,
  Effect.map(HttpServer.HttpServer, ({ address }) => ({
    port: NetAddress.isInetAddress(address) ? address.port : 0
  }))
).pipe(Layer.provide(httpLayer), Layer.provide(metricsLayer))

/** Everything up to the open port; it stops in the opposite order: port, requests in flight, pool, PostgreSQL, folder. */
const serviceLayer = servingLayer.pipe(
  Layer.provide(ratesLayer),
  Layer.provideMerge(backgroundLayer),
  Layer.provide(withSettings(({ dataDir }) => DataFolder.layer(dataDir))),
  Layer.provide(telemetryLayerOf("main"))
)

/** Runs the service until it is interrupted, and prints its addresses as soon as it is ready. */
export const serve = Effect.fnUntraced(function* (options: { readonly json: boolean }) {
  const { settings, shown, shownChanges } = yield* Config
  if (settings.logFormat === "json") yield* Effect.logInfo("the configuration", shown)
  else if (Object.keys(shownChanges).length > 0) yield* Effect.logInfo("settings:", shownChanges)
  if (settings.databaseUrl !== undefined && settings.tokenKeys === undefined) {
    return yield* new ConfigError({ message: TOKEN_KEYS_MISSING })
  }
  yield* requireFreePort(settings)
  if (settings.databaseUrl === undefined) yield* Effect.logInfo("starting the embedded PostgreSQL")
  yield* announce(options).pipe(Effect.andThen(Effect.never), Effect.provide(serviceLayer))
})

const announce = Effect.fnUntraced(function* ({ json }: { readonly json: boolean }) {
  const { host } = yield* settingsOf
  const { demoLogins, seeded } = yield* Prepared
  // An empty seed has nothing to index, and no lost search engine is to keep its start.
  if (seeded.made && seeded.kind !== "empty") yield* awaitIndexed
  const { port } = yield* Serving
  collectGarbage()
  const facts = { origin: originOf(host, port), demoLogins }
  yield* Console.log(json ? startDocument(facts) : startText(facts))
  yield* Console.log(`ready ${facts.origin}`)
})
