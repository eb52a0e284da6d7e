// What a request meets before the application: crowds of callers that are known are refused here, cheaply and in the same words,
// and what is let in begins in turn between tenants (docs/contract.md §1.1, §10, §12).
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { tenantOf } from "@rapport/core/traffic/Tenant.ts"
import { Context, Effect, Layer } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { CONNECTIONS_MAX } from "../HttpLimits.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { mayCarryHistory } from "../middleware/HistoryBody.ts"
import { type CountedRoute, countedRoutes } from "./CountedRoutes.ts"
import { FairTurns } from "./FairTurns.ts"
import { RecentCallers } from "./RecentCallers.ts"
import { makeRefusal, type Refused } from "./Refusal.ts"
import { Running } from "./Running.ts"

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** How long refusals may take of one turn of the event loop, and of the time. */
const REFUSALS_SLICE_MILLIS = 2
const REFUSALS_SHARE = 0.25

const unknown = { session: undefined, isRefused: false } as const

export class Admission extends Context.Service<
  Admission,
  {
    /** Puts itself, and behind it `first`, before every handler of requests that is added to the server from now on. */
    readonly guard: (server: Server, first?: (handler: Handler) => Handler) => Server
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
      const connections = { accepted: 0 }
      const { refusals, turns } = makeTurns(running, () => connections.accepted)

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
        const give = places.take(keys)
        if (give === undefined) return { ...route, session, usedUp }
        onceAnswered(response, give)
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
              onceAnswered(
                response,
                running.begin(key, () => turns.resume())
              )
            }
            handler(request, response)
          }
          const { session } = first
          const key = session === undefined ? (request.socket.remoteAddress ?? "") : tenantOf(session)
          if (session !== undefined) onceAnswered(response, running.note(key))
          if (!turns.begin(key, begin)) request.socket.destroy()
        }

      return Admission.of({
        guard: (server, first = (handler) => handler) =>
          guarded(server, (handler) => admit(first(handler))).on("connection", () => connections.accepted++)
      })
    })
  ).pipe(Layer.provide(RecentCallers.layer))
}

const makeTurns = (running: Running, accepted: () => number) => ({
  turns: new FairTurns({
    accepted,
    waitingMax: CONNECTIONS_MAX,
    mayBegin: (key) => running.mayBegin(key)
  }),
  // A flood is refused in slices of its own: neither what was let in nor other refusals of a fair size wait for it.
  refusals: new FairTurns({
    accepted,
    waitingMax: CONNECTIONS_MAX,
    sliceMillis: REFUSALS_SLICE_MILLIS,
    share: REFUSALS_SHARE
  })
})

/** When the answer is made, or its caller is gone; perhaps twice. */
const onceAnswered = (response: ServerResponse, run: () => void): void =>
  void response.once("prefinish", run).once("close", run)

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

type Keys = ReadonlyArray<readonly [TrafficLimit, string]>

/** Requests of each principal and instance that were let in and are not answered yet. */
class PlacesTaken {
  readonly #limits: TrafficLimits
  readonly #taken = new Map<string, number>()

  constructor(limits: TrafficLimits) {
    this.#limits = limits
  }

  /** All of them, or none: what gives them back, once. */
  take(keys: Keys): (() => void) | undefined {
    if (keys.some(([limit, key]) => this.#count(limit, key) >= this.#limits[limit])) return undefined
    for (const [limit, key] of keys) this.#taken.set(`${limit} ${key}`, this.#count(limit, key) + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#give(keys)
      isHeld = false
    }
  }

  #give(keys: Keys): void {
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
