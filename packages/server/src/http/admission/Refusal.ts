// The answer to a request that is refused early, as the middleware would give it. Its words are made once: refusing a crowd must
// cost little more than reading it.
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import type { TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentRequestId, CurrentResult, type RateLimited } from "@rapport/contract/Errors.ts"
import { callRoot } from "@rapport/contract/scenarios/CallsApi.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import {
  placesCounted,
  placesTaken,
  type Quota,
  RateLimit,
  refusalCounted
} from "@rapport/core/traffic/RateLimits.ts"
import { Effect, Option } from "effect"
import { HttpServerRespondable } from "effect/http"
import { randomUUIDv7 } from "node:crypto"
import { type ServerResponse, STATUS_CODES } from "node:http"
import { HttpSettings } from "../HttpSettings.ts"
import { clientAddress, type SeenRequest } from "../middleware/RequestOrigin.ts"
import { quotaHeaders, RecentCallers, tooMany } from "../middleware/RateLimitsHttp.ts"
import { isRequestId, sealOf } from "../middleware/ResponseEnvelope.ts"
import { retryAfterHeaders, retryAfterMillisHeaders } from "../middleware/RetryAfter.ts"

/** A route whose requests are counted. */
export interface CountedRoute {
  readonly endpoint: HttpApiEndpoint.Top
  readonly policy: TrafficPolicy
}

/** A request that is refused, and for what. */
export interface Refused extends CountedRoute {
  readonly session: AuthorizedSession
  /** The quota where the minute is used up; undefined where the places are taken. */
  readonly usedUp: (Quota & { readonly retryAfterMillis: number }) | undefined
}

/** What of a request its refusal looks at. */
export interface Asked {
  readonly headers: SeenRequest["headers"]
  readonly url: string
  readonly remoteAddress: string | undefined
}

/** An answer with status 429. */
export interface RefusalAnswer {
  readonly requestId: string
  readonly headers: Readonly<Record<string, string>>
  readonly content: string
}

/** Counts and notes a refusal, and gives its answer; at once where limits are counted in this process. */
export type Refuse = (asked: Asked, refused: Refused, send: (answer: RefusalAnswer) => void) => void

/** Answers a refusal, and counts and notes it. */
export const makeRefusal: Effect.Effect<Refuse, never, HttpSettings | RecentCallers | RateLimit | Denials> =
  Effect.gen(function* () {
    const { corsOrigins, trustedProxies } = yield* HttpSettings
    const callers = yield* RecentCallers
    const rates = yield* RateLimit
    const denials = yield* Denials
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const wordsOf = yield* makeWords

    /** Counts and notes it; how long the minute is used up, or null where only the places are taken. */
    const counted = Effect.fnUntraced(function* ({ endpoint, policy, session, usedUp }: Refused) {
      const principal = principalKey(session)
      const quota = usedUp ?? (yield* rates.take(policy.perMinute, principal))
      if (usedUp === undefined) callers.noteUsedUp(policy, principal, quota)
      yield* denials.note({ reason: "rate_limited", operation: endpoint.identifier, session })
      if (usedUp !== undefined) yield* refusalCounted(policy.perMinute, usedUp)
      else if (quota.retryAfterMillis === null) yield* placesCounted(policy.atOnce)
      return quota
    })

    return ({ headers, remoteAddress, url }, refused, send) => {
      const given = headers["x-request-id"]
      const requestId = isRequestId(given) ? given : randomUUIDv7()
      const seen = { headers, remoteAddress: Option.fromUndefinedOr(remoteAddress) }
      const { name } = refused.policy
      const answer = (quota: Quota) => {
        const words = wordsOf(url.startsWith(callRoot), quota.retryAfterMillis)
        const content = words.body(requestId)
        send({
          requestId,
          headers: {
            ...sealOf(BARE, seen, requestId, corsOrigins),
            ...words.headers,
            ...quotaHeaders(name, quota),
            "content-length": String(Buffer.byteLength(content))
          },
          content
        })
      }
      run(
        counted(refused).pipe(
          Effect.map(answer),
          Effect.provideService(CurrentRequestId, requestId),
          Effect.provideService(CurrentAddress, Option.getOrNull(clientAddress(seen, trustedProxies)))
        )
      )
    }
  })

const BARE = { status: 429, headers: {} }

interface Words {
  readonly headers: Readonly<Record<string, string>>
  readonly body: (requestId: string) => string
}

/** Stand for what differs between answers while the rest is encoded. */
const SOME_ID = "0190b0c4-0000-7000-8000-000000000000"
const SOME_MILLIS = 8_675_309_421

/** The bodies as the schema of the error encodes them, cut where request id and time belong. */
const makeWords = Effect.gen(function* () {
  const cut = Effect.fnUntraced(function* (error: RateLimited, result: "error" | undefined) {
    const response = yield* HttpServerRespondable.toResponse(error).pipe(
      Effect.provideService(CurrentRequestId, SOME_ID),
      Effect.provideService(CurrentResult, result)
    )
    const { body } = response
    const text = body._tag === "Uint8Array" ? Buffer.from(body.body).toString("utf8") : ""
    const type = body._tag === "Uint8Array" ? body.contentType : "application/problem+json"
    return {
      type,
      parts: text.split(JSON.stringify(SOME_ID)).map((part) => part.split(String(SOME_MILLIS)))
    }
  })
  const crowded = yield* Effect.all([cut(placesTaken(), undefined), cut(placesTaken(), "error")])
  const usedUp = yield* Effect.all([cut(tooMany(SOME_MILLIS), undefined), cut(tooMany(SOME_MILLIS), "error")])
  const retryCrowded = retryAfterHeaders(placesTaken())

  return (isCall: boolean, retryAfterMillis: number | null): Words => {
    const [plain, ofCall] = retryAfterMillis === null ? crowded : usedUp
    const { parts, type } = isCall ? ofCall : plain
    const millis = String(retryAfterMillis)
    const retry = retryAfterMillis === null ? retryCrowded : retryAfterMillisHeaders(retryAfterMillis)
    return {
      headers: { ...retry, "content-type": type },
      body: (id) => parts.map((part) => part.join(millis)).join(JSON.stringify(id))
    }
  }
})

/** Answers a request that Node has parsed. */
export const respond = (response: ServerResponse, { content, headers }: RefusalAnswer): void => {
  if (response.destroyed) return
  // A body that was announced and not asked for would be read as the next request.
  const isAwaited = response.req.headers.expect !== undefined
  // As text, headers and body are one write.
  response.writeHead(429, { ...headers, ...(isAwaited ? { connection: "close" } : {}) }).end(content)
}

/** The same answer for a connection that is kept, as Node would write it. */
export const written = ({ content, headers }: RefusalAnswer, keptMillis: number): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keptMillis / 1_000)}\r\n`
  return `${STATUS_LINE}${lines.join("")}Date: ${now()}\r\n${kept}\r\n${content}`
}

const STATUS_LINE = `HTTP/1.1 429 ${STATUS_CODES[429]}\r\n`

/** The date of an answer, made once a second. */
const makeNow = () => {
  let second = 0
  let text = ""
  return () => {
    const at = Math.floor(Date.now() / 1_000)
    if (at !== second) text = new Date(at * 1_000).toUTCString()
    second = at
    return text
  }
}
const now = makeNow()
