// Routes that are asked so often that they are answered beside the framework: by the same judges and the same use case, without
// its router, its chain of middleware and its responses (docs/performance.md).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import { Context, type Effect, Layer, Option, Schema } from "effect"
import { FindMyWay, type HttpServerRespondable } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { IncomingHttpHeaders } from "node:http"
import { isDecodable, isElsewhere, routerConfig } from "../middleware/ResponseEnvelope.ts"

/** An answer as it leaves. */
export interface LeanAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What a request says. */
interface Asked<Params, Payload> {
  readonly params: Params
  readonly payload: Payload
  readonly headers: IncomingHttpHeaders
}

/** A request that is right in itself, to be answered once its caller is known. */
export type Begun = (
  session: AuthorizedSession
) => Effect.Effect<LeanAnswer, HttpServerRespondable.Respondable>

export interface LeanRoute {
  readonly endpoint: HttpApiEndpoint.Top
  /** Undefined where a part is not as its schema wants it: the framework finds the words. */
  readonly begin: (asked: Asked<unknown, unknown>) => Begun | undefined
}

/** The schemas of an endpoint without a query or a history in its body, as it declares them, and what answers it. */
interface Answering<Params, Payload> {
  readonly params: Schema.Decoder<Params>
  readonly payload: Schema.Decoder<Payload>
  readonly answer: (
    session: AuthorizedSession,
    asked: Asked<Params, Payload>
  ) => Effect.Effect<LeanAnswer, HttpServerRespondable.Respondable>
}

const routeOf = <Params, Payload>(
  endpoint: HttpApiEndpoint.Top,
  { answer, params, payload }: Answering<Params, Payload>
): LeanRoute => {
  const decodeParams = Schema.decodeUnknownOption(params, strictFirst)
  const decodePayload = Schema.decodeUnknownOption(payload, strictFirst)
  return {
    endpoint,
    begin: (asked) => {
      const found = Option.all([decodeParams(asked.params), decodePayload(asked.payload)])
      if (Option.isNone(found)) return undefined
      const [params, payload] = found.value
      return (session) => answer(session, { params, payload, headers: asked.headers })
    }
  }
}

/** Of a route without parameters; the payload of one without a body is Schema.Undefined. */
export const noParams = Schema.Struct({})

/** Handlers add their routes as they are made; the listener asks for them. */
class Routes {
  readonly #router = FindMyWay.make<LeanRoute>(routerConfig)

  add<Params, Payload>(endpoint: HttpApiEndpoint.Top, answering: Answering<Params, Payload>): void {
    this.#router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, routeOf(endpoint, answering))
  }

  /** Undefined also where a query follows the path, or something else would answer it first. */
  find(method: string, url: string) {
    if (url.includes("?") || isElsewhere(url) || !isDecodable(url)) return undefined
    return this.#router.find(method as "GET", url)
  }
}

export class LeanRoutes extends Context.Service<LeanRoutes, Routes>()("server/http/LeanRoutes") {
  static readonly layer: Layer.Layer<LeanRoutes> = Layer.sync(LeanRoutes, () => new Routes())
}
