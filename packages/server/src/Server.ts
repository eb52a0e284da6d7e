// The composition root, which starts and stops the parts of wiring/ in order.
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as SignedFileLinks from "./storage/SignedFileLinks.ts"
import * as TokenKeyFile from "./access/TokenKeyFile.ts"
import { ConnectorSeal, sealOf } from "./access/ConnectorSeal.ts"
import { sealConnectors } from "./postgres/scenarios/SealedConnectors.ts"
import { TokenKeys, type TokenKeysInvalid } from "./access/TokenKeys.ts"
import { instancesLayer } from "./wiring/Instances.ts"
import { ConfigError } from "./config/ConfigError.ts"
import { Config, withSettings } from "./Config.ts"
import { DataFolder, type DataFolderUnusable } from "./files/DataFolder.ts"
import { emptyUploads } from "./storage/Spool.ts"
import { demoPhoneLayer } from "./demo/DemoPhone.ts"
import * as AccessStorePostgres from "./postgres/access/AccessStorePostgres.ts"
import * as InboundStorePostgres from "./postgres/delivery/InboundStorePostgres.ts"
import { broadcastRunLayer } from "@rapport/core/broadcasts/BroadcastRun.ts"
import * as BroadcastQueuePostgres from "./postgres/broadcasts/BroadcastQueuePostgres.ts"
import { deliveryLayer } from "./wiring/Delivery.ts"
import { fileStorageLayer } from "./wiring/FileStorages.ts"
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
import { addDemoFile } from "./seed/DemoFile.ts"
import { seed, type Seeded } from "./seed/SeedLoader.ts"
import { processMetricsLayer } from "./metrics/ProcessMetrics.ts"
import { collectGarbage } from "./start/Garbage.ts"
import { originOf, refuseDemoLogins, requireFreePort } from "./start/Listening.ts"
import { migratedText, startDocument, startText } from "./start/StartText.ts"
import { telemetryLayer } from "./Telemetry.ts"

/** Waits until PostgreSQL answers. */
class DatabaseAt extends Context.Service<DatabaseAt, DatabaseTarget>()("@rapport/server/DatabaseAt") {}

/** Migrates and seeds the database before any other use. */
class Prepared extends Context.Service<
  Prepared,
  { readonly seeded: Seeded; readonly demoLogins: ReadonlyArray<string> }
>()("@rapport/server/Prepared") {}

/** The open port. */
class Serving extends Context.Service<Serving, { readonly port: number }>()("@rapport/server/Serving") {}

const settingsOf = Effect.map(Config, ({ settings }) => settings)

// Commands of the command line connect in addition to the pool.
const COMMAND_CONNECTIONS_MAX = 32

const databaseAtLayer = withSettings(({ databaseCertificates, databaseUrl, poolSize }) =>
  databaseUrl !== undefined
    ? Layer.succeed(DatabaseAt, { url: databaseUrl, certificates: databaseCertificates })
    : Layer.effect(DatabaseAt, EmbeddedPostgres).pipe(
        Layer.provide(
          EmbeddedPostgres.layer({
            connectionsMax: poolSize + COMMAND_CONNECTIONS_MAX
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
    if (seeded.made && seeded.kind !== "empty") yield* Effect.provide(addDemoFile, fileStorageLayer(settings))
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

/** The HTTP modules are a third of the program. They load while the database and the indexes start. */
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

// `serve` refuses a DATABASE_URL without keys, because processes with one database must share the keys.
const tokenKeysLayer = withSettings(
  ({
    tokenKeys
  }): Layer.Layer<TokenKeys, DataFolderUnusable | TokenKeysInvalid, DataFolder | SecureRandom.SecureRandom> =>
    tokenKeys === undefined ? TokenKeyFile.layer : TokenKeys.layer(tokenKeys)
).pipe(Layer.provide(SecureRandom.layerWebCrypto))
const TOKEN_KEYS_MISSING = "RAPPORT_TOKEN_KEYS is missing: it is required with DATABASE_URL"

/** Seals secrets of connectors, and at the start reseals those of an older key. */
const connectorSealLayer = Layer.effect(
  ConnectorSeal,
  Effect.gen(function* () {
    const { keys } = yield* TokenKeys
    const seal = sealOf(keys)
    yield* Effect.provideService(sealConnectors, ConnectorSeal, seal)
    return seal
  })
)

/** Projects the database into the search indexes, and reports their backlog. */
const followingLayer = indexLagLayer.pipe(Layer.provideMerge(withSettings(projectorsLayer)))

const sweepsLayer = withSettings(Sweeps.sweepsLayer).pipe(
  Layer.provide([AccessStorePostgres.layer, ReceiptsPostgres.layer, ImportStorePostgres.layer]),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** Refuses writes above a quota or on a full disk. */
const capacityLayer = withSettings(Capacity.layer)
/** Links name the origin that receivers reach. */
const fileLinksLayer = withSettings(({ host, port, publicUrl }) =>
  SignedFileLinks.layer(publicUrl ?? originOf(host, port))
)
/** The data folder is locked, so no other process has uploads in it. */
const filesLayer = withSettings((settings) =>
  Layer.unwrap(
    Effect.as(Effect.andThen(DataFolder, emptyUploads(settings.dataDir)), fileStorageLayer(settings))
  )
)
const erasureSweepLayer = ErasureSweep.layer.pipe(Layer.provide(ClientDataStorePostgres.layer))

const broadcastsLayer = broadcastRunLayer.pipe(
  Layer.provide([BroadcastQueuePostgres.layer, SecureRandom.layerWebCrypto])
)

/** Collects metrics only if they are scraped or exported. */
const metricsLayer = withSettings(({ metrics, telemetry }) => {
  const own = metrics === undefined && telemetry === undefined ? Layer.empty : processMetricsLayer
  if (metrics === undefined) return own
  const port = Effect.promise(() => import("./metrics/MetricsPort.ts"))
  return Layer.merge(own, Layer.unwrap(Effect.map(port, ({ metricsPortLayer }) => metricsPortLayer(metrics))))
})

/** The phone of a client in a demo. */
const demoLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { demoLogins, seeded } = yield* Prepared
    return seeded.kind === "empty" || demoLogins.length === 0
      ? Layer.empty
      : demoPhoneLayer.pipe(Layer.provide(InboundStorePostgres.layer))
  })
)

/** The handlers of the port with their dependencies. */
const backgroundLayer = Layer.mergeAll(
  withSettings(deliveryLayer),
  broadcastsLayer,
  sweepsLayer,
  erasureSweepLayer,
  clockDifferenceLayer
).pipe(
  Layer.provideMerge(demoLayer),
  Layer.provideMerge(capacityLayer),
  Layer.provideMerge(connectorSealLayer),
  Layer.provideMerge(fileLinksLayer),
  Layer.provideMerge(tokenKeysLayer),
  Layer.provideMerge(filesLayer),
  Layer.provideMerge(followingLayer),
  // The threads of an index start as slowly as the database, so both start in parallel.
  Layer.provideMerge(Layer.merge(databaseLayer, withSettings(indexesLayer)))
)

const httpLayer = Layer.unwrap(Effect.map(httpProgram, ({ httpServiceLayer }) => httpServiceLayer))
const servingLayer = Layer.effect(
  Serving,
  Effect.map(HttpServer.HttpServer, ({ address }) => ({
    port: NetAddress.isInetAddress(address) ? address.port : 0
  }))
).pipe(Layer.provide(httpLayer), Layer.provide(metricsLayer))

/** Stops in the opposite order: port, requests in flight, pool, PostgreSQL, data folder. */
const serviceLayer = servingLayer.pipe(
  Layer.provide(ratesLayer),
  Layer.provideMerge(backgroundLayer),
  Layer.provide(withSettings(({ dataDir }) => DataFolder.layer(dataDir))),
  Layer.provide(telemetryLayer)
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
  // An empty seed has nothing to index, so its start does not wait for the search engine.
  if (seeded.made && seeded.kind !== "empty") yield* awaitIndexed
  const { port } = yield* Serving
  collectGarbage()
  const facts = { origin: originOf(host, port), demoLogins }
  yield* Console.log(json ? startDocument(facts) : startText(facts))
  yield* Console.log(`ready ${facts.origin}`)
})
