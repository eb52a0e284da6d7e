// Answers 429 before routing, authentication and decoding if this process already knows that the caller's limit is used up.
import { CurrentRequestId, CurrentResult, RateLimited } from "@rapport/contract/Errors.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { Admission, type Decision } from "@rapport/core/traffic/Admission.ts"
import { Effect, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { audited, credentialOf } from "./AuthorizationHttp.ts"
import { entranceOf, quotaHeaders } from "./RateLimitsHttp.ts"
import { retryAfter } from "./RetryAfter.ts"

/** Returns undefined if the request has to be authenticated first. */
export const makeEarlyRefusal = Effect.gen(function* () {
  const admission = yield* Admission
  const authenticator = yield* Authenticator
  const denials = yield* Denials
  return Effect.fnUntraced(function* (
    { headers }: HttpServerRequest.HttpServerRequest,
    endpoint: HttpApiEndpoint.Top
  ) {
    const credential = credentialOf(headers, authenticator)
    const caller = credential && (yield* authenticator.knownCaller(credential))
    if (caller === undefined) return undefined
    const decision = yield* admission.findRefusal(...entranceOf(endpoint, caller))
    if (decision?.refusal === undefined) return undefined
    const { identifier: operation } = endpoint
    const isAudited = audited.has(operation)
    yield* denials.note({ reason: "rate_limited", operation, session: caller, isAudited })
    return yield* answerTo(decision, decision.refusal)
  })
})

/** The constant part of a 429. Encoding the error for each refusal would double the cost of the answer. */
const { limit: _, ...constantPart } = Schema.encodeSync(RateLimited)(
  new RateLimited({ limit: { kind: "rate", retryAfterMs: 0 } })
)

const answerTo = Effect.fnUntraced(function* (
  decision: Decision,
  refusal: Pick<RateLimited, "detail" | "limit">
) {
  const requestId = yield* CurrentRequestId
  const result = yield* CurrentResult
  const body = { ...constantPart, ...refusal, requestId, ...(result === undefined ? {} : { result }) }
  return HttpServerResponse.text(JSON.stringify(body), {
    status: constantPart.status,
    contentType: "application/problem+json",
    headers: { ...quotaHeaders(decision), ...retryAfter(refusal.limit.retryAfterMs) }
  })
})
