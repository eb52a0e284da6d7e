// The client for OpenSearch: every call has a timeout, and an interrupt cancels it.
import { Client } from "@opensearch-project/opensearch"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { type OpenSearchSettings } from "../Config.ts"
import { makeCircuitBreaker } from "./CircuitBreaker.ts"
import { faultOf, OpenSearchFault, unexpectedResponse } from "./OpenSearchFault.ts"

/** Connections to one node. */
const OPENSEARCH_SOCKETS_MAX = 64
/** How long a call may take. */
const OPENSEARCH_CALL_MILLIS_MAX = 10_000
/** How long a probe may take that checks whether OpenSearch is back. */
const OPENSEARCH_PROBE_MILLIS_MAX = 1_000

/** One request of the REST interface of OpenSearch. */
export interface OpenSearchCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Its segments need no encoding. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  /** Newline-delimited JSON instead of `body`. */
  readonly lines?: string
  /** OPENSEARCH_CALL_MILLIS_MAX by default. */
  readonly timeoutMillis?: number
}

export class OpenSearch extends Context.Service<
  OpenSearch,
  {
    /** Decodes the response with `schema`. Interruption closes the connection, which cancels a search. */
    readonly call: <A>(
      schema: Schema.Codec<A, unknown>,
      call: OpenSearchCall
    ) => Effect.Effect<A, OpenSearchFault>
  }
>()("@rapport/server/opensearch/OpenSearch") {
  /** Connects with the first call, so that an unavailable engine does not fail the start. */
  static readonly layer = (settings: OpenSearchSettings): Layer.Layer<OpenSearch> =>
    Layer.effect(OpenSearch, make(settings))
}

const make = Effect.fnUntraced(function* (settings: OpenSearchSettings) {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(settings)),
    (client) => Effect.promise(() => client.close())
  )
  const send = (call: OpenSearchCall): Effect.Effect<unknown, OpenSearchFault> =>
    Effect.callback((resume) => {
      const request = client.transport.request(
        {
          method: call.method,
          path: call.path,
          ...(call.query === undefined ? {} : { querystring: { ...call.query } }),
          ...(call.body === undefined ? {} : { body: call.body }),
          ...(call.lines === undefined ? {} : { bulkBody: call.lines })
        },
        { requestTimeout: call.timeoutMillis ?? OPENSEARCH_CALL_MILLIS_MAX }
      )
      request.then(
        ({ body }) => resume(Effect.succeed(body)),
        (cause: unknown) => resume(Effect.fail(faultOf(cause)))
      )
      return Effect.sync(() => void request.abort())
    })
  const breaker = yield* makeCircuitBreaker(
    send({ method: "GET", path: "/", timeoutMillis: OPENSEARCH_PROBE_MILLIS_MAX })
  )
  return OpenSearch.of({
    call: (schema, call) =>
      breaker.guard(send(call)).pipe(
        Effect.flatMap((body) =>
          Effect.mapError(Schema.decodeUnknownEffect(schema)(body), (error) =>
            unexpectedResponse(`${call.method} ${call.path}: ${String(error).slice(0, 1_000)}`, error)
          )
        ),
        Effect.withSpan("OpenSearch.call", {
          kind: "client",
          attributes: {
            "db.system.name": "opensearch",
            "http.request.method": call.method,
            "url.path": call.path
          }
        })
      )
  })
})

const clientOf = ({ certificates, password, urls, username }: OpenSearchSettings): Client => {
  const nodes = urls.map((url) => new URL(Redacted.value(url)))
  const auth =
    username === undefined || password === undefined
      ? nodes.map(credentialsOf).find((found) => found !== undefined)
      : { username, password: Redacted.value(password) }
  for (const node of nodes) node.username = node.password = ""
  return new Client({
    nodes: nodes.map(({ href }) => href),
    ...(auth === undefined ? {} : { auth }),
    ...(certificates === undefined ? {} : { ssl: { ca: certificates } }),
    // Only for refused connections: the next node is used. Other retries are up to the caller.
    maxRetries: nodes.length - 1,
    requestTimeout: OPENSEARCH_CALL_MILLIS_MAX,
    sniffOnStart: false,
    sniffInterval: false,
    sniffOnConnectionFault: false,
    resurrectStrategy: nodes.length > 1 ? "ping" : "none",
    pingTimeout: OPENSEARCH_PROBE_MILLIS_MAX,
    agent: {
      keepAlive: true,
      keepAliveMsecs: 1_000,
      maxSockets: OPENSEARCH_SOCKETS_MAX,
      maxFreeSockets: OPENSEARCH_SOCKETS_MAX
    }
  })
}

const credentialsOf = ({ password, username }: URL) =>
  username === ""
    ? undefined
    : { username: decodeURIComponent(username), password: decodeURIComponent(password) }
