// Verifies the signature of a provider's request over the bytes of its body, before the body is parsed (contract §8, "Inbound").
import {
  CurrentConnector,
  type InboundConnector,
  InboundSignature
} from "@rapport/contract/delivery/InboundApi.ts"
import { Unauthenticated } from "@rapport/contract/Errors.ts"
import { BODY_BYTES_MAX, SHORT_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { PositiveId } from "@rapport/contract/values/Ids.ts"
import { AUTHENTICATION_MILLIS_MAX } from "@rapport/core/access/AccessStore.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { InboundStore } from "@rapport/core/delivery/InboundStore.ts"
import { orUnavailable, withTimeout } from "@rapport/core/failures/SourceUnavailable.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/TenantQueue.ts"
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"
import { Clock, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"
import { isSigned } from "../../delivery/WebhookSignature.ts"
import { bytesOf } from "../BodyLimit.ts"
import { withRetryAfter } from "./RetryAfter.ts"

/** Addresses from which a connector was recently verified. */
const KNOWN_SOURCES_MAX = 10_000

type Request = HttpServerRequest.HttpServerRequest
type Headers = Request["headers"]

export const inboundSignatureLayer = Layer.effect(
  InboundSignature,
  Effect.gen(function* () {
    const store = yield* InboundStore
    const { countAnonymous, within } = yield* Admission
    const denials = yield* Denials
    const known = new BoundedMap<string, true>(KNOWN_SOURCES_MAX)

    const connectorOf = Effect.fnUntraced(function* (request: Request) {
      const { headers } = request
      if (!isProofGiven(headers)) return yield* new Unauthenticated({ detail })
      const { params } = yield* HttpRouter.RouteContext
      const botId = Option.getOrUndefined(decodeId(params["botId"]))
      const channel = params["channel"] ?? ""
      // A malformed connector id has no valid signature, whatever else is wrong with the request.
      const found =
        botId === undefined || channel.includes("\0") || [...channel].length > SHORT_TEXT_POINTS_MAX
          ? undefined
          : yield* store
              .findConnector(botId, channel)
              .pipe(withTimeout(AUTHENTICATION_MILLIS_MAX, "database"), orUnavailable)
      // RequestBody answers a body that is too large or unreadable.
      const body = yield* bytesOf(request, BODY_BYTES_MAX).pipe(
        Effect.map((buffer) => new Uint8Array(buffer)),
        Effect.orElseSucceed(() => undefined)
      )
      if (body === undefined && (found ?? nobody).kind === "webhook") {
        // Without a body no signature can be verified. This counts like a wrong signature.
        yield* countAnonymous(1)
        return null
      }
      const now = yield* Clock.currentTimeMillis
      return isProved(found ?? nobody, headers, body ?? NO_BYTES, now) && found !== undefined
        ? found
        : yield* new Unauthenticated({ detail })
    })

    return (httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { params } = yield* HttpRouter.RouteContext
        const address = addressKey((yield* CurrentAddress) ?? "")
        const source = `${address} ${params["botId"]}/${params["channel"]}`
        // An address with too many failures is refused before any work. Addresses of verified connectors are exempt, so that a provider
        // does not share the quota of an attacker behind the same address.
        if (!known.delete(source)) yield* countAnonymous(0)
        const connector = yield* connectorOf(request).pipe(
          Effect.tapError((error) =>
            error._tag === "Unauthenticated"
              ? Effect.andThen(
                  countAnonymous(1),
                  denials.note({
                    reason: "unauthenticated",
                    operation: endpoint.identifier,
                    session: null
                  })
                )
              : Effect.void
          ),
          // A body that arrives slowly takes memory, and its failure is not counted yet.
          within([["LOGINS_CONCURRENT_ADDRESS", `inbound ${address}`]])
        )
        const answered = Effect.provideService(httpEffect, CurrentConnector, connector)
        if (connector === null) return yield* answered
        known.set(source, true)
        const { botId, channel, instanceId } = connector
        return yield* answered.pipe(
          within([
            ["REST_AT_ONCE", `${instanceId}/bot/${botId}/${channel}`],
            ["REST_AT_ONCE_INSTANCE", String(instanceId)]
          ]),
          Effect.provideService(CurrentTenant, tenantOf(connector))
        )
      }).pipe(withRetryAfter)
  })
)

const NO_BYTES = new Uint8Array()
const detail = "a valid signature of the connector is needed"

/** Verifying an unknown connector takes the same time. */
const nobody: Pick<InboundConnector, "kind" | "secrets"> = {
  kind: "webhook",
  secrets: [Redacted.make("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
}

const TELEGRAM_HEADER = "x-telegram-bot-api-secret-token"

const isProofGiven = (headers: Headers): boolean =>
  headers[TELEGRAM_HEADER] !== undefined ||
  (headers["webhook-id"] !== undefined &&
    headers["webhook-timestamp"] !== undefined &&
    headers["webhook-signature"] !== undefined)

const isProved = (
  { kind, secrets }: Pick<InboundConnector, "kind" | "secrets">,
  headers: Headers,
  body: Uint8Array,
  now: number
): boolean => {
  if (kind === "telegram")
    return secrets.some((secret) => isSame(headers[TELEGRAM_HEADER] ?? "", Redacted.value(secret)))
  const id = headers["webhook-id"] ?? ""
  const timestamp = headers["webhook-timestamp"] ?? ""
  return isSigned(secrets, { id, timestamp, body, signature: headers["webhook-signature"] ?? "" }, now)
}

/** Compares hashes, so that the time depends on neither value. */
const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(createHash("sha256").update(given).digest(), createHash("sha256").update(wanted).digest())

const decodeId = Schema.decodeUnknownOption(PositiveId)
