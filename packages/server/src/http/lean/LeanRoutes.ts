// Routes that are asked so often that they are answered beside the framework: by the same judges and the same use case, without
// its router, its chain of middleware and its responses (docs/performance.md).
import { type AuthorizedSession, CurrentSession } from "@rapport/contract/Authorization.ts"
import type { ListQuery, QueryRecord } from "@rapport/contract/lists/Collection.ts"
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { FindMyWay, type HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { IncomingHttpHeaders } from "node:http"
import { queryViolations } from "../middleware/QueryString.ts"
import { paramViolations } from "../middleware/RequestBodyHttp.ts"
import { isDecodable, isElsewhere, pathOf, routerConfig } from "../middleware/ResponseEnvelope.ts"

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
export interface Received {
  readonly params: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  readonly payload: unknown
}

/** A request that is right in itself, to be answered once its caller is known. */
export type Begun = (
  session: AuthorizedSession
) => Effect.Effect<LeanAnswer, HttpServerRespondable.Respondable>

export interface LeanRoute {
  readonly endpoint: HttpApiEndpoint.Top
  /** Undefined where a part is not as its schema wants it: the framework finds the words. */
  readonly begin: (received: Received) => Begun | undefined
}

/** The schemas of an endpoint without a history in its body, as it declares them, and what answers it. */
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
