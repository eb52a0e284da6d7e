// The HTTP service of a process: its application on its port.
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { WebhookAllowPrivate } from "@rapport/core/scenarios/Connectors.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as AccessTokens from "../access/AccessTokens.ts"
import * as OpaqueTokens from "../access/OpaqueTokens.ts"
import * as PasswordsArgon from "../access/Password.ts"
import { TokenKeys } from "../access/TokenKeys.ts"
import { Config, withSettings } from "../Config.ts"
import * as TelegramFiles from "../delivery/TelegramFiles.ts"
import { DemoPhone } from "../demo/DemoPhone.ts"
import { phoneLayer } from "../demo/PhoneHttp.ts"
import { healthLayer } from "../http/handlers/HealthHttp.ts"
import { homeLayer } from "../http/home/HomeHttp.ts"
import { httpAppOf } from "../http/HttpApp.ts"
import { dropForeignTraces, makeListener, listenerLayer } from "../http/HttpListener.ts"
import { HttpSettings } from "../http/HttpSettings.ts"
import * as CursorSeal from "../lists/CursorSeal.ts"
import { makeRecords } from "../http/RequestRecords.ts"
import * as DatabaseHealthPostgres from "../postgres/readiness/DatabaseHealthPostgres.ts"
import { listenError, originOf } from "../start/Listening.ts"
import { spanNamesLayer } from "../telemetry/TelemetryPrivacy.ts"
import { handlersLayer } from "./Handlers.ts"
import { storesLayer } from "./Stores.ts"
import { useCasesLayer } from "./UseCases.ts"

const cursorsLayer = Layer.unwrap(
  Effect.map(TokenKeys, ({ keys }) => CursorSeal.layer(keys.map(({ key }) => key)))
)

const accessLayer = Layer.mergeAll(Access.layer, Authenticator.layer, ExternalTokens.layer).pipe(
  Layer.provideMerge(Denials.layer),
  Layer.provide([AccessTokens.layer, Pages.layer])
)

/** Services that use cases need in addition to stores and indexes. */
const secretsLayer = Layer.mergeAll(cursorsLayer, OpaqueTokens.layer, PasswordsArgon.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Admission.layer, SecureRandom.layerWebCrypto))
)

const httpSettingsLayer = withSettings(({ corsOrigins, host, port, publicUrl, trustedProxies }) =>
  HttpSettings.layer({
    corsOrigins,
    trustedProxies,
    publicOrigin: publicUrl ?? URL.parse(originOf(host, port))?.origin
  })
)

const webhookRulesLayer = withSettings(({ webhookAllowPrivate }) =>
  Layer.succeed(WebhookAllowPrivate, webhookAllowPrivate)
)

const telegramFilesLayer = withSettings(({ telegramApiUrl }) =>
  TelegramFiles.layer({ apiUrl: telegramApiUrl })
)

const appLayer = httpAppOf(
  Layer.mergeAll(
    healthLayer.pipe(Layer.provide(DatabaseHealthPostgres.layer)),
    homeLayer(Effect.map(DemoPhone, (phone) => phone !== null)),
    phoneLayer,
    handlersLayer.pipe(Layer.provide(useCasesLayer))
  )
).pipe(
  Layer.provide([accessLayer, httpSettingsLayer, telegramFilesLayer, webhookRulesLayer]),
  Layer.provide(storesLayer),
  Layer.provide(secretsLayer)
)

/** Opens the port. On shutdown the port closes first and waits for the requests in flight. */
export const httpServiceLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { accessLog, host, metrics, port, reusePort, telemetry, trustedProxies } = (yield* Config).settings
    const isRecorded = accessLog || metrics !== undefined || telemetry !== undefined
    const record = isRecorded ? [yield* makeRecords({ accessLog })] : []
    const listener = yield* makeListener({}, [...record, dropForeignTraces(trustedProxies)])
    return listenerLayer(appLayer, listener, { host, port, reusePort }).pipe(
      Layer.catchTag("ServeError", ({ cause }) =>
        Layer.effectContext(Effect.fail(listenError({ host, port }, cause)))
      )
    )
  })
).pipe(Layer.provide(spanNamesLayer))
