// What a request meets before the application: crowds of callers that are known are refused here, cheaply and in the same words,
// and what is let in begins in turn between tenants (docs/contract.md §1.1, §10, §12).
import { type AuthorizedSession, principalKey } from "@rapport/contract/Authorization.ts"
import { type TenantKey, tenantOf } from "@rapport/core/traffic/FairPermits.ts"
import { Context, Effect, Layer } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { noteInstance, noteRequestId } from "../middleware/RequestOrigin.ts"
import type { Recorded } from "../../metrics/RequestRecords.ts"
import { CONNECTIONS_MAX } from "../HttpLimits.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { FairTurns } from "./FairTurns.ts"
import { Room } from "./Room.ts"
import { Running } from "./Running.ts"
import { type Callers, RecentCallers } from "../middleware/RateLimitsHttp.ts"
import { type CountedRoute, makeRefusal, type Refused, type Refuse, respond, written } from "./Refusal.ts"
import { bytesBehindHead, type WholeRequest, wholeRequest } from "./WholeRequest.ts"
import type { TrafficLimit, TrafficLimits } from "@rapport/contract/Limits.ts"
import { mayCarryHistory } from "../middleware/RequestBodyHttp.ts"
import { Api } from "@rapport/contract/Api.ts"
import { Counted, RateLimits } from "@rapport/contract/http/RateLimits.ts"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { isDecodable, isElsewhere, pathOf, routerConfig } from "../middleware/ResponseEnvelope.ts"

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** How long refusals may take of one turn of the event loop, and of the time. */
const REFUSALS_SLICE_MILLIS = 1
const REFUSALS_SHARE = 0.25

/**
 * A connection on which a request was refused before the parser is read again after so long, together with all that were refused
 * meanwhile: one by one, each request of a flood would wake the main thread and make a turn of the event loop.
 */
export const REST_MILLIS = 5

interface Judged {
  readonly isRefused: boolean
  /** Whether its places were looked at. */
  readonly isKnown: boolean
  /** On whose behalf it comes, where that is known or was a moment ago. */
  readonly tenant: TenantKey | undefined
}
const unknown: Judged = { isRefused: false, isKnown: false, tenant: undefined }

export class Admission extends Context.Service<
  Admission,
  {
    /**
     * Puts itself before every handler of requests that is added to the server from now on. `record` hears of what is refused before
     * Node parses it, as that becomes no request of the server.
     */
    readonly guard: (server: Server, record?: (recorded: Recorded) => void) => Server
  }
>()("server/http/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const { limits } = yield* HttpSettings
      const callers = yield* RecentCallers
      const refuse = yield* makeRefusal
      const find = countedRoutes()
      const judge = makeJudge(limits, callers)
      const running = new Running(new Room())
      const connections = { accepted: 0 }
      const { refusals, turns } = makeTurns(running, () => connections.accepted)
      const resume = () => turns.resume()
      const parts = { callers, find, judge, refuse, refusals }

      /** Refuses the request of a known caller, or takes its places until it is answered. */
      const judged = (request: IncomingMessage, response: ServerResponse, route: CountedRoute): Judged => {
        const caller = callers.find(request.headers)
        if (caller === undefined) return unknown
        const { isTrusted: isKnown, session } = caller
        const tenant = tenantOf(session)
        const refused = isKnown ? judge.refusal(route, session) : undefined
        if (isKnown && refused === undefined) onceAnswered(response, judge.take(route, session))
        if (refused === undefined) return { isKnown, tenant, isRefused: false }
        const { headers, socket, url = "" } = request
        const answer = () =>
          refuse({ headers, url, remoteAddress: socket.remoteAddress }, refused, (answer) => {
            noteRequestId({ source: request }, answer.requestId)
            noteInstance({ source: request }, refused.session.instanceId)
            respond(response, answer)
          })
        if (!refusals.begin(principalKey(refused.session), answer)) socket.destroy()
        return { isKnown, tenant, isRefused: true }
      }

      const admit =
        (early: BeforeParser, handler: Handler): Handler =>
        (request, response) => {
          early.note(request, response)
          const route = find(request.method ?? "", request.url ?? "")
          const first = route === undefined ? unknown : judged(request, response, route)
          // Who was refused on a connection will probably be refused there again.
          if (first.isRefused) return void setImmediate(() => early.watch(request.socket))
          const begin = () => {
            if (response.destroyed || response.writableEnded) return
            // The caller may have become known while the request waited.
            const isAsked = route !== undefined && !first.isKnown
            if (isAsked && judged(request, response, route).isRefused) return
            if (tenant !== undefined) {
              const end = running.begin(key, resume)
              onceAnswered(response, end)
            }
            handler(request, response)
          }
          const { tenant } = first
          const key = tenant ?? request.socket.remoteAddress ?? ""
          if (tenant !== undefined) onceAnswered(response, running.note(key))
          if (!turns.begin(key, begin)) request.socket.destroy()
        }

      return Admission.of({
        guard: (server, record = () => undefined) => {
          const early = new BeforeParser(refusingEarly(parts, server, record))
          return guarded(server, (handler) => admit(early, handler)).on(
            "connection",
            () => connections.accepted++
          )
        }
      })
    })
  ).pipe(Layer.provide(RecentCallers.layer))
}

interface Parts {
  readonly callers: Callers
  readonly find: ReturnType<typeof countedRoutes>
  readonly judge: Judge
  readonly refuse: Refuse
  readonly refusals: FairTurns
}

/** Refuses what is to be refused before Node parses it. */
const refusingEarly = (
  { callers, find, judge, refusals, refuse }: Parts,
  server: Server,
  record: (recorded: Recorded) => void
): Looking => ({
  isOn: () => judge.mayRefuse,
  take: (asked, socket, done) => {
    const route = find(asked.method, asked.url)
    const session = route && callers.peek(asked.headers)
    const refused = route && session && judge.refusal(route, session)
    if (refused === undefined) return false
    const { instanceId: instance } = refused.session
    const begunAt = performance.now()
    const answer = () =>
      refuse({ ...asked, remoteAddress: socket.remoteAddress }, refused, (answer) => {
        if (socket.destroyed) return
        const bytes = write(socket, written(answer, server.keepAliveTimeout))
        const millis = performance.now() - begunAt
        record({ ...asked, status: 429, millis, bytes, instance, requestId: answer.requestId })
        done()
      })
    if (!refusals.begin(principalKey(refused.session), answer)) socket.destroy()
    return true
  }
})

/** How many bytes that were. */
const write = (socket: Socket, text: string): number => {
  // ASCII alone, which Node need not encode.
  socket.write(text, "latin1")
  return text.length
}

const makeTurns = (running: Running, accepted: () => number) => ({
  turns: new FairTurns({
    accepted,
    waitingMax: CONNECTIONS_MAX,
    mayBegin: (key) => running.mayBegin(key),
    asksLittle: (key) => running.asksLittle(key)
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

/** What was given to Node last. */
interface Given {
  /** Bytes behind the first head. */
  bodyBytes: number
  /** The answer to what began in it. */
  response: ServerResponse | undefined
}

export interface Looking {
  /** Whether it is worth a look. */
  readonly isOn: () => boolean
  /** Whether the request is answered here, on its connection, which is not read until `done`. */
  readonly take: (request: WholeRequest, socket: Socket, done: () => void) => boolean
}

/** Whether Node waits for the next request: it found one in what it was given, which ended there and is answered. */
const isBetween = ({ bodyBytes, response }: Given): boolean => {
  if (response === undefined || !response.writableFinished || !response.req.complete) return false
  return Number(response.req.headers["content-length"] ?? 0) === bodyBytes
}

/**
 * Looks at what comes on a connection before Node parses it: a request that is refused there takes two thirds of the main thread's
 * time. Only between two requests, where every byte before was parsed and answered, so that no part of one is taken for another.
 */
export class BeforeParser {
  readonly #looking: Looking
  readonly #watched = new WeakMap<Socket, Given>()
  /** Refused a moment ago. */
  #resting: Array<Socket> = []

  constructor(looking: Looking) {
    this.#looking = looking
  }

  /** To be told of every request that Node has parsed, at once. */
  note({ socket }: IncomingMessage, response: ServerResponse): void {
    const given = this.#watched.get(socket)
    if (given !== undefined) given.response = response
  }

  /** Looks at this connection from now on. Others cost nothing: Node reads them without a detour through JavaScript. */
  watch(socket: Socket): void {
    const [parse] = socket.listeners("data")
    if (parse === undefined || this.#watched.has(socket)) return
    // What of it was given to Node before is not known.
    const given: Given = { bodyBytes: -1, response: undefined }
    this.#watched.set(socket, given)
    socket.off("data", parse as (bytes: Buffer) => void).on("data", (bytes: Buffer) => {
      const isFree = this.#looking.isOn() && socket.writableLength === 0 && isBetween(given)
      if (isFree && this.#isTaken(wholeRequest(bytes), socket)) return
      given.bodyBytes = bytesBehindHead(bytes)
      given.response = undefined
      parse.call(socket, bytes)
    })
  }

  #isTaken(request: WholeRequest | undefined, socket: Socket): boolean {
    if (request === undefined) return false
    const isTaken = this.#looking.take(request, socket, () => this.#rest(socket))
    if (isTaken) socket.pause()
    return isTaken
  }

  /** Reads the connection again, together with others that were refused meanwhile. */
  #rest(socket: Socket): void {
    if (this.#resting.push(socket) > 1) return
    setTimeout(() => {
      const rested = this.#resting
      this.#resting = []
      for (const socket of rested) if (!socket.destroyed && socket.isPaused()) socket.resume()
    }, REST_MILLIS)
  }
}

/** Finds the route of a request; undefined where it is not counted, or where something else answers it first. */
export const countedRoutes = (): ((method: string, url: string) => CountedRoute | undefined) => {
  const router = FindMyWay.make<CountedRoute>(routerConfig)
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => {
      if (![...middleware].some(({ key }) => key === RateLimits.key)) return
      const policy = Context.get(endpoint.annotations, Counted)
      router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, { endpoint, policy })
    }
  })
  return (method, url) => {
    const path = pathOf(url)
    if (isElsewhere(path) || !isDecodable(path)) return undefined
    return router.find(method === "HEAD" ? "GET" : (method as "GET"), path)?.handler
  }
}

/**
 * Whether a request of a known caller is refused early: where the places of the caller are taken or their minute is used up, by the
 * policy of the route.
 */
interface Judge {
  /** Why the request is refused; undefined where it is let in. */
  readonly refusal: (route: CountedRoute, session: AuthorizedSession) => Refused | undefined
  /** Takes the places of one that is let in; the result gives them back, once. */
  readonly take: (route: CountedRoute, session: AuthorizedSession) => () => void
  /** Whether anything may be refused now. */
  readonly mayRefuse: boolean
}

const keysOf = ({ policy }: CountedRoute, session: AuthorizedSession): Keys => [
  [policy.atOnceInstance, String(session.instanceId)],
  [policy.atOnce, principalKey(session)]
]

export const makeJudge = (limits: TrafficLimits, callers: Callers): Judge => {
  const places = new PlacesTaken(limits)
  return {
    refusal: (route, session) => {
      const { endpoint, policy } = route
      const usedUp = mayCarryHistory(endpoint, session) ? undefined : callers.findUsedUp(policy, session)
      if (usedUp === undefined && places.areFree(keysOf(route, session))) return undefined
      return { ...route, session, usedUp }
    },
    take: (route, session) => places.take(keysOf(route, session)),
    get mayRefuse() {
      return places.isAnyFull || callers.isAnyUsedUp
    }
  }
}

type Keys = ReadonlyArray<readonly [TrafficLimit, string]>

/** Requests of each principal and instance that were let in and are not answered yet. */
class PlacesTaken {
  readonly #limits: TrafficLimits
  readonly #taken = new Map<string, number>()
  /** Keys that have no place left. */
  #full = 0

  constructor(limits: TrafficLimits) {
    this.#limits = limits
  }

  get isAnyFull(): boolean {
    return this.#full > 0
  }

  areFree(keys: Keys): boolean {
    return keys.every(([limit, key]) => this.#count(limit, key) < this.#limits[limit])
  }

  take(keys: Keys): () => void {
    for (const [limit, key] of keys) this.#add(limit, key, 1)
    let isHeld = true
    return () => {
      if (isHeld) for (const [limit, key] of keys) this.#add(limit, key, -1)
      isHeld = false
    }
  }

  #add(limit: TrafficLimit, key: string, amount: 1 | -1): void {
    const before = this.#count(limit, key)
    const count = before + amount
    if (Math.max(before, count) === this.#limits[limit]) this.#full += amount
    if (count === 0) this.#taken.delete(`${limit} ${key}`)
    else this.#taken.set(`${limit} ${key}`, count)
  }

  #count(limit: TrafficLimit, key: string): number {
    return this.#taken.get(`${limit} ${key}`) ?? 0
  }
}
