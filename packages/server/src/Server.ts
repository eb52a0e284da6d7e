// The composition root: what the service is made of (see wiring/ for its parts), and in which order it starts and stops.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { LoginGuard } from "@rapport/core/access/LoginGuard.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { WebhookAllowPrivate } from "@rapport/core/scenarios/Connectors.ts"
import { Console, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as AccessTokens from "./access/AccessTokens.ts"
import * as OpaqueTokens from "./access/OpaqueTokens.ts"
import * as PasswordsArgon from "./access/Password.ts"
import * as TokenKeyFile from "./access/TokenKeyFile.ts"
import { ConnectorSeal, sealOf } from "./access/ConnectorSeal.ts"
import { sealConnectors } from "./postgres/scenarios/SealedConnectors.ts"
import { TokenKeys, type TokenKeysInvalid } from "./access/TokenKeys.ts"
import { instancesLayer } from "./wiring/Instances.ts"
import { Config, ConfigError, type Settings } from "./Config.ts"
import { DataFolder, type DataFolderUnusable } from "./DataFolder.ts"
import { routerConfig } from "./http/middleware/ResponseEnvelope.ts"
import * as DatabaseHealthPostgres from "./postgres/readiness/DatabaseHealthPostgres.ts"
import { Admission } from "./http/admission/Admission.ts"
import { healthLayer } from "./http/handlers/HealthHttp.ts"
import { httpAppOf } from "./http/HttpApp.ts"
import { makeServer } from "./http/HttpListener.ts"
import type { Server } from "node:http"
import { withTrustedTraces } from "./http/TraceHeaders.ts"
import { HttpSettings } from "./http/HttpSettings.ts"
import { demoPhoneLayer } from "./demo/DemoPhone.ts"
import { phoneLayer } from "./demo/PhoneHttp.ts"
import * as InboundStorePostgres from "./postgres/delivery/InboundStorePostgres.ts"
import { broadcastsRunLayer } from "./wiring/Broadcasts.ts"
import { deliveryLayer } from "./wiring/Delivery.ts"
import { handlersLayer } from "./wiring/Handlers.ts"
import { ratesLayer } from "./wiring/Rates.ts"
import { awaitIndexed, searchLayer } from "./wiring/Search.ts"
import { storesLayer } from "./wiring/Stores.ts"
import { useCasesLayer } from "./wiring/UseCases.ts"
import { indexLagLayer } from "./projection/ProjectorLayers.ts"
import * as Capacity from "./capacity/Capacity.ts"
import * as RetentionSweep from "./projection/RetentionSweep.ts"
import * as ErasureSweep from "./projection/ErasureSweep.ts"
import * as ReceiptSweep from "./projection/ReceiptSweep.ts"
import * as SessionSweep from "./projection/SessionSweep.ts"
import * as CursorSeal from "./lists/CursorSeal.ts"
import { type DatabaseTarget, commandLayer, poolLayer } from "./postgres/connection/Database.ts"
import { EmbeddedPostgres } from "./postgres/connection/EmbeddedPostgres.ts"
import { migrate } from "./postgres/schema/Migrations.ts"
import * as ClientDataStorePostgres from "./postgres/clients/ClientDataStorePostgres.ts"
import * as ImportStorePostgres from "./postgres/imports/ImportStorePostgres.ts"
import * as ReceiptsPostgres from "./postgres/receipts/ReceiptsPostgres.ts"
import { findDemoLogins } from "./seed/DemoLogins.ts"
import { seed, type Seeded } from "./seed/SeedLoader.ts"
import { processMetricsLayer } from "./metrics/ProcessMetrics.ts"
import { makeRecords } from "./metrics/RequestRecords.ts"
import { listenError, originOf, refuseDemoLogins, requireFreePort } from "./start/Listening.ts"
import { startDocument, startText } from "./start/StartText.ts"
import { telemetryLayer } from "./Telemetry.ts"

/** Where PostgreSQL is, once it answers there. */
class DatabaseAt extends Context.Service<DatabaseAt, DatabaseTarget>()("@rapport/server/DatabaseAt") {}

/** The database migrated and seeded, before anything else touches it. */
class Prepared extends Context.Service<
  Prepared,
  { readonly seeded: Seeded; readonly demoLogins: ReadonlyArray<string> }
>()("@rapport/server/Prepared") {}

const settingsOf = Effect.map(Config, ({ settings }) => settings)
const withSettings = <A, E, R>(make: (settings: Settings) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(settingsOf, make))

// Commands beside the service connect too.
const CONNECTIONS_BESIDE_POOL = 32

const databaseAtLayer = withSettings(({ databaseCertificates, databaseUrl, poolSize }) =>
  databaseUrl !== undefined
    ? Layer.succeed(DatabaseAt, { url: databaseUrl, certificates: databaseCertificates })
    : Layer.effect(DatabaseAt, EmbeddedPostgres).pipe(
        Layer.provide(EmbeddedPostgres.layer({ connectionsMax: poolSize + CONNECTIONS_BESIDE_POOL }))
      )
)

const preparedLayer = Layer.effect(
  Prepared,
  Effect.gen(function* () {
    const settings = yield* settingsOf
    const { adminLogin, adminPassword, seed: kind } = settings
    for (const [id, name] of yield* migrate) yield* Effect.logInfo(`migrated the database: ${id} ${name}`)
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

// `serve` has refused a DATABASE_URL without keys before: processes that share a database share their keys.
const tokenKeysLayer = withSettings(
  ({
    tokenKeys
  }): Layer.Layer<TokenKeys, DataFolderUnusable | TokenKeysInvalid, DataFolder | SecureRandom.SecureRandom> =>
    tokenKeys === undefined ? TokenKeyFile.layer : TokenKeys.layer(tokenKeys)
)
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
).pipe(Layer.provide(tokenKeysLayer), Layer.provide(SecureRandom.layerWebCrypto))

const cursorsLayer = Layer.unwrap(
  Effect.map(TokenKeys, ({ keys }) => CursorSeal.layer(keys.map(({ key }) => key)))
)

/** One for logins and for changes of passwords: they count alike. */
const loginGuardLayer = LoginGuard.layerCounted.pipe(Layer.provide(ratesLayer))

const accessLayer = Layer.mergeAll(
  Access.layer,
  Authenticator.layer,
  ExternalTokens.layer,
  SessionSweep.layer
).pipe(Layer.provideMerge(Denials.layer), Layer.provide(AccessTokens.layer))

/** What use cases need beside their stores and indexes. */
const secretsLayer = Layer.mergeAll(
  cursorsLayer,
  loginGuardLayer,
  OpaqueTokens.layer,
  PasswordsArgon.layer
).pipe(Layer.provideMerge(tokenKeysLayer), Layer.provideMerge(SecureRandom.layerWebCrypto))

/** The search indexes of this process, and the workers that keep them up with the database. */
const indexesLayer = indexLagLayer.pipe(Layer.provideMerge(withSettings(searchLayer)))

const receiptSweepLayer = withSettings(({ receiptDays }) => ReceiptSweep.layerOf(receiptDays)).pipe(
  Layer.provide([ReceiptsPostgres.layer, ImportStorePostgres.layer]),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** Writes are refused above a quota and on a full disk. */
const capacityLayer = withSettings(Capacity.layer)
const retentionSweepLayer = withSettings(RetentionSweep.layerOf)
const erasureSweepLayer = ErasureSweep.layer.pipe(Layer.provide(ClientDataStorePostgres.layer))

const httpSettingsLayer = withSettings(({ corsOrigins, host, limits, port, publicUrl, trustedProxies }) =>
  HttpSettings.layer({
    corsOrigins,
    limits,
    trustedProxies,
    remembersSessions: true,
    publicOrigin: publicUrl ?? URL.parse(originOf(host, port))?.origin
  })
)

const broadcastsLayer = broadcastsRunLayer.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const webhookRulesLayer = withSettings(({ webhookAllowPrivate }) =>
  Layer.succeed(WebhookAllowPrivate, webhookAllowPrivate)
)

const listenerLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { accessLog, host, metrics, port, telemetry, trustedProxies } = yield* settingsOf
    const isRecorded = accessLog || metrics !== undefined || telemetry !== undefined
    const recording = isRecorded ? yield* makeRecords({ accessLog }) : (server: Server) => server
    const admission = yield* Admission
    const listener = () => recording(admission.guard(withTrustedTraces(makeServer(), trustedProxies)))
    return NodeHttpServer.layer(listener, {
      host,
      port,
      gracefulShutdownTimeout: "11 seconds"
    }).pipe(
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effectContext(Effect.fail(listenError({ host, port }, cause)))
      )
    )
  })
).pipe(
  Layer.provide(Admission.layer),
  Layer.provide([accessLayer, httpSettingsLayer, ratesLayer]),
  Layer.provide(storesLayer),
  Layer.provide(secretsLayer)
)

const appLayer = httpAppOf(
  Layer.mergeAll(
    healthLayer.pipe(Layer.provide(DatabaseHealthPostgres.layer)),
    phoneLayer,
    handlersLayer.pipe(Layer.provide(useCasesLayer))
  )
).pipe(
  Layer.provide([accessLayer, httpSettingsLayer, ratesLayer, webhookRulesLayer]),
  Layer.provide(storesLayer),
  Layer.provide(secretsLayer)
)

/** What the process says of itself, where somebody listens. */
const metricsLayer = withSettings(({ metrics, telemetry }) => {
  const own = metrics === undefined && telemetry === undefined ? Layer.empty : processMetricsLayer
  if (metrics === undefined) return own
  const port = Effect.promise(() => import("./metrics/MetricsPort.ts"))
  return Layer.merge(own, Layer.unwrap(Effect.map(port, ({ metricsPortLayer }) => metricsPortLayer(metrics))))
})

/** The phone of a client, where the database was seeded with the demo. */
const demoLayer = Layer.unwrap(
  Effect.map(Prepared, ({ demoLogins, seeded }) =>
    seeded.kind === "empty" || demoLogins.length === 0
      ? Layer.empty
      : demoPhoneLayer.pipe(Layer.provide(InboundStorePostgres.layer))
  )
)

/** Everything up to the open port; it stops in the opposite order: port, requests in flight, pool, PostgreSQL, folder. */
const serviceLayer = HttpRouter.serve(appLayer, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(listenerLayer),
  Layer.provideMerge(
    Layer.mergeAll(
      withSettings(deliveryLayer),
      broadcastsLayer,
      receiptSweepLayer,
      erasureSweepLayer,
      retentionSweepLayer,
      metricsLayer
    )
  ),
  Layer.provideMerge(demoLayer),
  Layer.provideMerge(capacityLayer),
  Layer.provideMerge(connectorSealLayer),
  Layer.provideMerge(indexesLayer),
  Layer.provideMerge(poolOnceReadyLayer),
  Layer.provideMerge(preparedLayer),
  Layer.provide(databaseAtLayer),
  Layer.provide(withSettings(({ dataDir }) => DataFolder.layer(dataDir))),
  Layer.provide(telemetryLayer)
)

/** Runs the service until it is interrupted; says where it is as soon as it is ready. */
export const serve = Effect.fnUntraced(function* (options: { readonly json: boolean }) {
  const { settings, shown } = yield* Config
  yield* Effect.logInfo("the configuration", shown)
  if (settings.databaseUrl !== undefined && settings.tokenKeys === undefined) {
    return yield* new ConfigError({ message: TOKEN_KEYS_MISSING })
  }
  yield* requireFreePort(settings)
  yield* announce(options).pipe(Effect.andThen(Effect.never), Effect.provide(serviceLayer))
})

const announce = Effect.fnUntraced(function* ({ json }: { readonly json: boolean }) {
  const { host } = yield* settingsOf
  const { demoLogins, seeded } = yield* Prepared
  // An empty seed has nothing to index, and no lost search engine is to keep its start.
  if (seeded.made && seeded.kind !== "empty") yield* awaitIndexed
  const { address } = yield* HttpServer.HttpServer
  const port = NetAddress.isInetAddress(address) ? address.port : 0
  const facts = { origin: originOf(host, port), demoLogins }
  yield* Console.log(json ? startDocument(facts) : startText(facts))
  yield* Console.log(`ready ${facts.origin}`)
})
