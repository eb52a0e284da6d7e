// What a request meets before the application: crowds of callers that are known are refused here, cheaply and in the same words,
// and what is let in begins in turn between tenants (docs/contract.md §1.1, §10, §12).
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import { CurrentRequestId, CurrentResult } from "@rapport/contract/Errors.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { CurrentAddress } from "@rapport/core/audit/Origin.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { placesCounted, placesTaken } from "@rapport/core/traffic/ConcurrencyLimit.ts"
import { type Quota, RateLimit, refusalCounted } from "@rapport/core/traffic/RateLimit.ts"
import { tenantOf } from "@rapport/core/traffic/Tenant.ts"
import { callRoot } from "@rapport/contract/scenarios/CallsApi.ts"
import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRespondable, HttpServerResponse } from "effect/http"
import { randomUUIDv7 } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { noteInstance, noteRequestId } from "../../metrics/RequestNames.ts"
import { CONNECTIONS_MAX } from "../HttpLimits.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { clientAddress } from "../middleware/ClientAddress.ts"
import { mayCarryHistory } from "../middleware/HistoryBody.ts"
import { quotaHeaders, tooMany } from "../middleware/RateLimitsHttp.ts"
import { isRequestId, sealed } from "../middleware/ResponseEnvelope.ts"
import { retryAfterHeaders } from "../middleware/RetryAfter.ts"
import { type CountedRoute, countedRoutes } from "./CountedRoutes.ts"
import { FairTurns } from "./FairTurns.ts"
import { RecentCallers } from "./RecentCallers.ts"
import { Running } from "./Running.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A request that is refused, and for what. */
interface Refused extends CountedRoute {
  readonly session: AuthorizedSession
  /** The quota where the minute is used up; undefined where the places are taken. */
  readonly usedUp: (Quota & { readonly retryAfterMillis: number }) | undefined
}

/** How long refusals may take of one turn of the event loop, and of the time. */
const REFUSALS_SLICE_MILLIS = 2
const REFUSALS_SHARE = 0.25

const unknown = { session: undefined, isRefused: false } as const

export class Admission extends Context.Service<
  Admission,
  {
    /** Puts itself before every handler of requests that is added to the server from now on. */
    readonly guard: (server: Server) => Server
  }
>()("server/http/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const { limits } = yield* HttpSettings
      const callers = yield* RecentCallers
      const refuse = yield* makeRefusal
      const find = countedRoutes()
      const places = new PlacesTaken(limits)
      const running = new Running()
      const turns = new FairTurns({
        waitingMax: CONNECTIONS_MAX,
        mayBegin: (key) => running.mayBegin(key)
      })
      // A flood is refused in slices of its own: neither what was let in nor other refusals of a fair size wait for it.
      const refusals = new FairTurns({
        waitingMax: CONNECTIONS_MAX,
        sliceMillis: REFUSALS_SLICE_MILLIS,
        share: REFUSALS_SHARE
      })

      /** Takes the places of a known caller for as long as the answer is made, or says why not. */
      const judge = (
        route: CountedRoute,
        session: AuthorizedSession,
        response: ServerResponse
      ): Refused | undefined => {
        const { endpoint, policy } = route
        const usedUp = mayCarryHistory(endpoint, session) ? undefined : callers.findUsedUp(policy, session)
        if (usedUp !== undefined) return { ...route, session, usedUp }
        const keys = [
          [policy.atOnceInstance, String(session.instanceId)],
          [policy.atOnce, principalKey(session)]
        ] as const
        if (!places.take(keys)) return { ...route, session, usedUp }
        let isHeld = true
        const give = () => {
          if (isHeld) places.give(keys)
          isHeld = false
        }
        response.once("prefinish", give).once("close", give)
        return undefined
      }

      /** Whether the request was refused, and whose it is where that is known. */
      const judged = (request: IncomingMessage, response: ServerResponse, route: CountedRoute) => {
        const session = callers.find(request.headers)
        const refused = session === undefined ? undefined : judge(route, session, response)
        if (refused !== undefined) {
          const answer = () => refuse(request, response, refused)
          if (!refusals.begin(principalKey(refused.session), answer)) request.socket.destroy()
        }
        return { session, isRefused: refused !== undefined }
      }

      const admit =
        (handler: Handler): Handler =>
        (request, response) => {
          const route = find(request.method ?? "", request.url ?? "")
          const first = route === undefined ? unknown : judged(request, response, route)
          if (first.isRefused) return
          const begin = () => {
            if (response.destroyed || response.writableEnded) return
            // The caller may have become known while the request waited.
            const isAsked = route !== undefined && first.session === undefined
            if (isAsked && judged(request, response, route).isRefused) return
            if (session !== undefined) {
              const end = running.begin(key, () => turns.resume())
              response.once("prefinish", end).once("close", end)
            }
            handler(request, response)
          }
          const { session } = first
          const key = session === undefined ? (request.socket.remoteAddress ?? "") : tenantOf(session)
          if (session !== undefined) running.note(key)
          if (!turns.begin(key, begin)) request.socket.destroy()
        }

      return Admission.of({ guard: (server) => guarded(server, admit) })
    })
  ).pipe(Layer.provide(RecentCallers.layer))
}

/** Handlers are removed as they were given. */
const guarded = (server: Server, admit: (handler: Handler) => Handler): Server => {
  server.on = new Proxy(server.on, {
    apply: (on, _, [event, listener]) =>
      Reflect.apply(on, server, [
        event,
        event === "request" || event === "checkContinue"
          ? Object.assign(admit(listener), { listener })
          : listener
      ])
  })
  return server
}

/** Answers a refusal as the middleware would, and counts and notes it. */
const makeRefusal = Effect.gen(function* () {
  const { corsOrigins, trustedProxies } = yield* HttpSettings
  const callers = yield* RecentCallers
  const rates = yield* RateLimit
  const denials = yield* Denials
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const refusal = Effect.fnUntraced(function* ({ endpoint, policy, session, usedUp }: Refused) {
    const principal = principalKey(session)
    const quota = usedUp ?? (yield* rates.take(policy.perMinute, principal))
    if (usedUp === undefined) callers.noteUsedUp(policy, principal, quota)
    yield* denials.note({ reason: "rate_limited", operation: endpoint.identifier, session })
    if (usedUp !== undefined) yield* refusalCounted(policy.perMinute, usedUp)
    else if (quota.retryAfterMillis === null) yield* placesCounted(policy.atOnce)
    const error = quota.retryAfterMillis === null ? placesTaken() : tooMany(quota.retryAfterMillis)
    const response = yield* HttpServerRespondable.toResponse(error)
    return HttpServerResponse.setHeaders(response, {
      ...quotaHeaders(policy.name, quota),
      ...retryAfterHeaders(error)
    })
  })

  return (request: IncomingMessage, response: ServerResponse, refused: Refused): void => {
    const { headers, socket, url = "" } = request
    const given = headers["x-request-id"]
    const id = isRequestId(given) ? given : randomUUIDv7()
    const remoteAddress = Option.fromUndefinedOr(socket.remoteAddress)
    const seen = { headers, remoteAddress }
    noteRequestId({ source: request }, id)
    noteInstance({ source: request }, refused.session.instanceId)
    run(
      refusal(refused).pipe(
        Effect.map((answer) => send(response, sealed(answer, seen, id, corsOrigins))),
        Effect.provideService(CurrentRequestId, id),
        Effect.provideService(CurrentResult, url.startsWith(callRoot) ? "error" : undefined),
        Effect.provideService(CurrentAddress, Option.getOrNull(clientAddress(seen, trustedProxies)))
      )
    )
  }
})

const send = (response: ServerResponse, { body, headers, status }: HttpServerResponse.HttpServerResponse) => {
  if (response.destroyed) return
  // As text, headers and body are one write.
  const content = body._tag === "Uint8Array" ? Buffer.from(body.body).toString("utf8") : ""
  const contentType = body._tag === "Uint8Array" ? { "content-type": body.contentType } : {}
  // A body that was announced and not asked for would be read as the next request.
  const isAwaited = response.req.headers.expect !== undefined
  response
    .writeHead(status, {
      ...headers,
      ...contentType,
      "content-length": Buffer.byteLength(content),
      ...(isAwaited ? { connection: "close" } : {})
    })
    .end(content)
}

type Keys = ReadonlyArray<readonly [TrafficLimit, string]>

/** Requests of each principal and instance that were let in and are not answered yet. */
class PlacesTaken {
  readonly #limits: TrafficLimits
  readonly #taken = new Map<string, number>()

  constructor(limits: TrafficLimits) {
    this.#limits = limits
  }

  /** All of them, or none. */
  take(keys: Keys): boolean {
    const isFree = keys.every(([limit, key]) => this.#count(limit, key) < this.#limits[limit])
    if (isFree)
      for (const [limit, key] of keys) this.#taken.set(`${limit} ${key}`, this.#count(limit, key) + 1)
    return isFree
  }

  give(keys: Keys): void {
    for (const [limit, key] of keys) {
      const left = this.#count(limit, key) - 1
      if (left === 0) this.#taken.delete(`${limit} ${key}`)
      else this.#taken.set(`${limit} ${key}`, left)
    }
  }

  #count(limit: TrafficLimit, key: string): number {
    return this.#taken.get(`${limit} ${key}`) ?? 0
  }
}
