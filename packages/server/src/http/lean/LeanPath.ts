// Routes that are asked so often that they are answered beside the framework: plain requests to them in one fiber, by the same judges
// and the same use case (docs/performance.md). What is not plain goes on as it came: nothing counted, its body unread.
import { type AuthorizedSession, CurrentSession, principalKey } from "@rapport/contract/Authorization.ts"
import { Counted, policies, type TrafficPolicy } from "@rapport/contract/http/RateLimits.ts"
import { LeavePlace } from "@rapport/core/traffic/WorkPlace.ts"
import { Context, Effect, Layer, Option, Predicate, References, Schema } from "effect"
import { FindMyWay, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { randomUUIDv7 } from "node:crypto"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import {
  clientAddress,
  isForwardedByStranger,
  leavePlaceOf,
  noteRequestId
} from "../middleware/RequestOrigin.ts"
import type { Handler } from "../admission/Admission.ts"
import { HistoryBody } from "@rapport/contract/http/RequestBody.ts"
import { makeCounting, orTooMany, quotaHeaders, RecentCallers } from "../middleware/RateLimitsHttp.ts"
import { HttpSettings } from "../HttpSettings.ts"
import {
  accepts,
  answersTo,
  isJsonType,
  mayCarryHistory,
  paramViolations
} from "../middleware/RequestBodyHttp.ts"
import { RequestAuthentication } from "../middleware/RequestAuthentication.ts"
import {
  ambiguity,
  answerToDefect,
  isDecodable,
  isElsewhere,
  isRequestId,
  namedContext,
  pathOf,
  routerConfig,
  sealOf
} from "../middleware/ResponseEnvelope.ts"
import { retryAfterHeaders } from "../middleware/RetryAfter.ts"
import { sentBackText } from "@rapport/core/json/SentBackJson.ts"
import { strictJsonNow } from "../middleware/StrictJson.ts"
import { utf8 } from "../../Utf8.ts"
import type { ListQuery, QueryRecord } from "@rapport/contract/lists/Collection.ts"
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import type { HttpApiEndpoint } from "effect/http-api"
import { queryViolations } from "../middleware/QueryString.ts"

/** An answer as it leaves. */
export interface LeanAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The handler of the framework that gives the same answer. */
export const throughFramework =
  <Asked, E, R>(answer: (session: AuthorizedSession, asked: Asked) => Effect.Effect<LeanAnswer, E, R>) =>
  (asked: Asked) =>
    Effect.flatMap(CurrentSession, (session) => Effect.map(answer(session, asked), responseOf))

/** An answer as the framework has it. */
export const responseOf = ({ text, ...options }: LeanAnswer): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, options)

/** What a request says. */
interface Asked<Params, Headers, Payload> {
  readonly params: Params
  readonly query: QueryRecord
  /** Parameters of the query in the order in which they were sent. */
  readonly names: ReadonlyArray<string>
  /** Those that the endpoint declares. */
  readonly headers: Headers
  readonly payload: Payload
  readonly accept: string | undefined
}

/** The same before any schema has seen it. */
interface Received {
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  readonly payload: unknown
}

/** A request that is right in itself, to be answered once its caller is known. */
type Begun = (session: AuthorizedSession) => Effect.Effect<LeanAnswer, HttpServerRespondable.Respondable>

interface LeanRoute {
  readonly endpoint: HttpApiEndpoint.Top
  /** Undefined where a part is not as its schema wants it: the framework finds the words. */
  readonly begin: (received: Received) => Begun | undefined
}

/** The schemas of an endpoint as it declares them, and what answers it. */
interface Answering<Params, Headers, Payload> {
  readonly params: Schema.Decoder<Params>
  /** Undefined where the use case judges the parameters, as they were sent. */
  readonly query: ListQuery | undefined
  readonly headers: Schema.Decoder<Headers>
  readonly payload: Schema.Decoder<Payload>
  readonly answer: (
    session: AuthorizedSession,
    asked: Asked<Params, Headers, Payload>
  ) => Effect.Effect<LeanAnswer, HttpServerRespondable.Respondable>
}

/** As the schema of all would, which walks over a hundred and more that were not sent. */
const makeDecodeQuery = (parameters: ListQuery | undefined) => {
  if (parameters === undefined) return asSent
  const byName = new Map(
    Object.entries(parameters).map(([name, { schema }]) => [
      name,
      Schema.decodeUnknownOption(schema, strictFirst)
    ])
  )
  return (query: Received["query"]): Option.Option<QueryRecord> => {
    const decoded: Record<string, QueryRecord[string]> = {}
    for (const [name, text] of Object.entries(query)) {
      const value = byName.get(name)?.(text)
      if (value?._tag !== "Some") return Option.none()
      decoded[name] = value.value
    }
    return Option.some(decoded)
  }
}

const asSent = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.String))

const routeOf = <Params, Headers, Payload>(
  endpoint: HttpApiEndpoint.Top,
  { answer, headers, params, payload, query }: Answering<Params, Headers, Payload>
): LeanRoute => {
  const decode = {
    params: Schema.decodeUnknownOption(params, strictFirst),
    query: makeDecodeQuery(query),
    // Every request carries others than those of the endpoint.
    headers: Schema.decodeUnknownOption(headers, { errors: "first" }),
    payload: Schema.decodeUnknownOption(payload, strictFirst)
  }
  return {
    endpoint,
    begin: (received) => {
      const found = Option.all({
        params: decode.params(received.params),
        query: decode.query(received.query),
        headers: decode.headers(received.headers),
        payload: decode.payload(received.payload)
      })
      if (Option.isNone(found)) return undefined
      const { accept } = received.headers
      const asked = { ...found.value, names: Object.keys(received.query), accept }
      return (session) => answer(session, asked)
    }
  }
}

/** Of an endpoint that declares no part; its own parts go over these. */
export const plain = {
  params: Schema.Struct({}),
  query: {},
  headers: Schema.Struct({}),
  payload: Schema.Undefined
}

/** Handlers add their routes as they are made; the listener asks for them. */
class Routes {
  readonly #router = FindMyWay.make<LeanRoute>(routerConfig)

  add<Params, Headers, Payload>(
    endpoint: HttpApiEndpoint.Top,
    answering: Answering<Params, Headers, Payload>
  ): void {
    this.#router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, routeOf(endpoint, answering))
  }

  /** Undefined also where its path or its query is refused, or something else would answer it first. */
  find(method: string, url: string) {
    const path = pathOf(url)
    if (isElsewhere(path) || !isDecodable(path)) return undefined
    const found = this.#router.find(method as "GET", url)
    if (found === undefined || paramViolations(found.params).length > 0) return undefined
    if (path === url) return found
    return found.handler.endpoint.query === undefined || queryViolations(url).length > 0 ? undefined : found
  }
}

export class LeanRoutes extends Context.Service<LeanRoutes, Routes>()("server/http/LeanRoutes") {
  static readonly layer: Layer.Layer<LeanRoutes> = Layer.sync(LeanRoutes, () => new Routes())
}

/** A longer body is left to the framework, which judges it in slices. */
const BODY_BYTES_MAX = 64 * 1_024
/** Services of a request that lie over those of the process before all of them are copied. */
const CONTEXT_DEPTH = 24
const NO_BODY = Buffer.alloc(0)

/** A plain request, right in itself. */
interface Plain {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: LeanRoute
  readonly bytes: Buffer
  readonly payload: unknown
  readonly begun: Begun
}

export class LeanPath extends Context.Service<
  LeanPath,
  {
    /** A handler of requests that leaves to `general` what is not plain. */
    readonly before: (general: Handler) => Handler
  }
>()("server/http/LeanPath") {
  static readonly layer = Layer.effect(
    LeanPath,
    Effect.gen(function* () {
      const routes = yield* LeanRoutes
      const { trustedProxies } = yield* HttpSettings
      const context = yield* Effect.context<never>()
      const serve = yield* makeServing
      // Spans are made by the framework.
      if (Context.get(context, References.TracerEnabled)) return LeanPath.of({ before: (general) => general })

      /** Length of the body of a request that can be plain, where there is one. */
      const lengthOf = (
        { headers, socket, url = "" }: IncomingMessage,
        { endpoint }: LeanRoute
      ): number | undefined => {
        const length = Number(headers["content-length"] ?? 0)
        const isPlain =
          headers["x-auth-token"] === undefined &&
          headers["transfer-encoding"] === undefined &&
          headers["content-encoding"] === undefined &&
          headers.expect === undefined &&
          (endpoint.payload.size > 0
            ? length > 0 && length <= BODY_BYTES_MAX && isJsonType(headers["content-type"])
            : length === 0 && headers["content-type"] === undefined) &&
          accepts(headers.accept, answersTo(endpoint, url))
        if (!isPlain) return undefined
        const seen = { headers, remoteAddress: Option.fromUndefinedOr(socket.remoteAddress) }
        const isClear = ambiguity(seen) === undefined && !isForwardedByStranger(seen, trustedProxies)
        return isClear ? length : undefined
      }

      return LeanPath.of({
        before: (general) => (request, response) => {
          const { method = "", url = "" } = request
          const found = routes.find(method, url)
          const length = found && lengthOf(request, found.handler)
          if (found === undefined || length === undefined) return general(request, response)
          const go = (bytes: Buffer | undefined) => {
            const judged = bytes && payloadOf(bytes)
            const begun =
              judged &&
              found.handler.begin({
                params: found.params,
                query: found.searchParams,
                headers: request.headers,
                payload: judged.payload
              })
            if (bytes !== undefined && judged !== undefined && begun !== undefined)
              return serve({ request, response, route: found.handler, bytes, payload: judged.payload, begun })
            if (bytes !== undefined && bytes.length > 0) request.unshift(bytes)
            general(request, response)
          }
          if (length === 0) go(NO_BODY)
          else onceHere(request, length, go)
        }
      })
    })
  ).pipe(Layer.provide(RequestAuthentication.layer), Layer.provide(RecentCallers.layer))
}

const makeServing = Effect.gen(function* () {
  const { corsOrigins, trustedProxies } = yield* HttpSettings
  const authentication = yield* RequestAuthentication
  const counting = yield* makeCounting
  const base = yield* Effect.context<never>()
  const ground = Context.makeUnsafe<never>(new Map(base.mapUnsafe), { maxDepth: CONTEXT_DEPTH })

  return ({ begun, bytes, payload, request, response, route }: Plain): void => {
    const { endpoint } = route
    const { headers, socket } = request
    const given = headers["x-request-id"]
    const id = isRequestId(given) ? given : randomUUIDv7()
    noteRequestId({ source: request }, id)
    let quota: Readonly<Record<string, string>> = {}

    const counted = countingOf(counting, { endpoint, payload, begun }, (shown) => (quota = shown))
    const send = (answer: LeanAnswer) => {
      // Whatever of the body is still there is of no use.
      request.resume()
      if (response.destroyed) return
      const { headers, status, text } = answer
      const body = utf8(headers["content-type"]?.endsWith("json") === true ? sentBackText(text) : text)
      response
        .writeHead(status, {
          ...headers,
          ...quota,
          ...sealOf(answer, request, id, corsOrigins),
          "content-length": body.length
        })
        .end(body)
    }
    const judged = authentication.judge<LeanAnswer, HttpServerRespondable.Respondable, never>(
      { endpoint, headers, source: request, body: Effect.succeed(bytes) },
      {
        serve: Effect.flatMap(CurrentSession, counted),
        refuse: (error) => {
          quota = {}
          return refusalOf(error)
        }
      }
    )
    const seen = { headers, remoteAddress: Option.fromUndefinedOr(socket.remoteAddress) }
    const address = Option.getOrNull(clientAddress(seen, trustedProxies))
    const named = namedContext(ground, address, id)
    const leavePlace = leavePlaceOf(request)
    const fiber = Effect.runForkWith(leavePlace ? Context.add(named, LeavePlace, leavePlace) : named)(
      judged.pipe(
        Effect.catch(refusalOf),
        Effect.catchCause((cause) => Effect.map(answerToDefect(cause), answerOf)),
        Effect.map(send)
      )
    )
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
    // As the framework answers what is interrupted while its caller waits.
    fiber.addObserver(() => {
      if (!response.writableEnded && !response.destroyed)
        response.writeHead(503, { "content-length": 0 }).end()
    })
  }
})

/** Counts a request as its route says and answers it; `show` gets the headers of what was counted last. */
const countingOf = (
  counting: Effect.Success<typeof makeCounting>,
  {
    begun,
    endpoint,
    payload
  }: { readonly endpoint: HttpApiEndpoint.Top; readonly payload: unknown; readonly begun: Begun },
  show: (headers: Readonly<Record<string, string>>) => void
) => {
  const declared = Context.get(endpoint.annotations, Counted)
  return (session: AuthorizedSession) => {
    const countAs = (policy: TrafficPolicy) =>
      Effect.flatMap(counting.take(policy, principalKey(session), 1), (left) => {
        show(quotaHeaders(policy.name, left))
        return orTooMany(left)
      })
    const one = countAs(declared)
    if (!mayCarryHistory(endpoint, session))
      return counting.limited(declared, session, { all: one, one }, begun(session))
    // The framework counts before it knows the body: an import first, and the request besides where it is none.
    const answer = carriesHistory(endpoint, payload) ? begun(session) : Effect.andThen(one, begun(session))
    return counting.limited(declared, session, { all: countAs(policies.appealImport), one }, answer)
  }
}

const carriesHistory = ({ annotations }: HttpApiEndpoint.Top, payload: unknown): boolean =>
  Predicate.isObject(payload) &&
  Context.get(annotations, HistoryBody).some((name) => Object.hasOwn(payload, name))

const answerOf = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): LeanAnswer => ({
  status,
  headers: body._tag === "Uint8Array" ? { ...headers, "content-type": body.contentType } : headers,
  text: body._tag === "Uint8Array" ? (body.text ?? Buffer.from(body.body).toString("utf8")) : ""
})

const refusalOf = (error: HttpServerRespondable.Respondable) =>
  Effect.map(HttpServerRespondable.toResponse(error), (found) => {
    const answer = answerOf(found)
    return { ...answer, headers: { ...answer.headers, ...retryAfterHeaders(error) } }
  })

/** Undefined where the body is not strict JSON. */
const payloadOf = (bytes: Buffer): { readonly payload: unknown } | undefined => {
  if (bytes.length === 0) return { payload: undefined }
  const judged = strictJsonNow(bytes)
  return "text" in judged ? { payload: JSON.parse(judged.text) } : undefined
}

/** Turns of the event loop that a body may come later than its head. */
const TURNS_MAX = 2

/**
 * Gives the bytes as soon as so many are here, or undefined where they are not in time: then nothing of the body was read. Who
 * does not want them puts them back at once, and the request is as it was.
 */
const onceHere = (
  request: IncomingMessage,
  length: number,
  then: (bytes: Buffer | undefined) => void
): void => {
  let turns = 0
  const look = () => {
    // Nobody waits for an answer any more.
    if (request.destroyed) return
    if (request.readableLength >= length) return then(bytesOf(request))
    if (turns++ === TURNS_MAX) return then(undefined)
    setImmediate(look)
  }
  // What came in the same packet is parsed once this turn is over.
  process.nextTick(look)
}

const bytesOf = (request: IncomingMessage): Buffer | undefined => {
  const bytes: unknown = request.read()
  return Buffer.isBuffer(bytes) ? bytes : undefined
}
