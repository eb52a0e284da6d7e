// The HTTP app without a database, called without a port: the real router and middleware, and stubs of some handlers.
import { assert } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, permissions } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  type QueryBudgetExceeded,
  SearchUnavailable,
  Unauthenticated
} from "@rapport/contract/Errors.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { TelegramFiles } from "@rapport/core/delivery/TelegramFiles.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { type Denial, Denials } from "@rapport/core/audit/Denials.ts"
import { InboundStore } from "@rapport/core/delivery/InboundStore.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { TrafficDefaults, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { routerConfig } from "../config/RouterConfig.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { httpAppOf } from "../http/HttpApp.ts"
import { toolsLayer } from "../http/mcp/McpHttp.ts"
import { HttpSettings, type HttpSettingsShape } from "../http/HttpSettings.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"
import { poolLayer } from "../postgres/connection/Database.ts"
import { healthLayer, restHandlers } from "./RestFixtures.ts"

/** Accepts the tokens `<scheme>-<id>`. The token `unavailable` is that of a session that the database cannot confirm. */
const authenticator =
  (scheme: string) =>
  (token: string): Effect.Effect<AuthorizedSession, Unauthenticated | SearchUnavailable> => {
    if (token === "unavailable") return Effect.fail(new SearchUnavailable({ reason: "database_unavailable" }))
    const id = new RegExp(`^${scheme}-(\\d+)$`, "u").exec(token)?.[1]
    return id === undefined
      ? Effect.fail(new Unauthenticated())
      : Effect.succeed(
          anySession({ userId: Number(id), roles: ["administrator"], permissions: new Set(permissions) })
        )
  }

/** Their statements fail: there is no database. */
const handlersWithoutDatabase = restHandlers.pipe(
  Layer.provide([Layer.mock(AppealIndex, {}), Layer.mock(FileStorage, {}), Layer.mock(TelegramFiles, {})]),
  Layer.provide(poolLayer({ socketDir: "/nowhere", password: Redacted.make("") }, 1)),
  Layer.orDie
)

type ReadError = AccessDenied | QueryBudgetExceeded | SearchUnavailable
export type Read = (
  request: ContextRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, ReadError>

const echo: Read = (request) => Effect.succeed(HttpServerResponse.jsonUnsafe(request))

export interface StubAppOptions {
  /** Answers the context read; by default it answers with the decoded request. */
  readonly read?: Read
  /** Runs before GET /auth/me fails; by default nothing. */
  readonly beforeMe?: Effect.Effect<void>
  readonly settings?: Partial<HttpSettingsShape & { readonly limits: TrafficLimits }>
  /** Receives the denied requests. */
  readonly denials?: Array<Denial>
  /** Changes the session of a bearer token. */
  readonly present?: (session: AuthorizedSession) => AuthorizedSession
  readonly clock?: Clock.Clock
  /** Receives the authenticated tokens. */
  readonly authenticated?: Array<string>
}

/** The application with its settings. */
export const stubAppLayer = (options: StubAppOptions = {}) => {
  const groups = Layer.mergeAll(
    handlersWithoutDatabase,
    toolsLayer,
    HttpApiBuilder.group(Api, "context", (handlers) =>
      handlers
        .handle("retrieveContext", ({ payload, request }) =>
          Effect.map((options.read ?? echo)(payload), (answer) =>
            request.headers["accept"] === "text/markdown"
              ? HttpServerResponse.setHeader(answer, "content-type", "text/markdown; charset=utf-8")
              : answer
          )
        )
        .handle("getContextReadiness", () => Effect.succeed(HttpServerResponse.jsonUnsafe({})))
    ),
    HttpApiBuilder.group(Api, "appeals", (handlers) =>
      handlers
        .handle("listChatMessages", ({ query }) => Effect.succeed(HttpServerResponse.jsonUnsafe(query)))
        .handle("listTicketMessages", ({ query }) => Effect.succeed(HttpServerResponse.jsonUnsafe(query)))
    ),
    healthLayer
  )
  const { limits, ...settings } = options.settings ?? {}
  const seenTokens = new Map<string, AuthorizedSession>()
  const services = Layer.mergeAll(
    Layer.mock(Denials, { note: (denial) => Effect.sync(() => void options.denials?.push(denial)) }),
    Layer.mock(Access, {
      me: () =>
        Effect.andThen(
          options.beforeMe ?? Effect.void,
          Effect.fail(new SearchUnavailable({ reason: "timeout" }))
        ),
      logout: () => Effect.void,
      login: () => Effect.fail(new Unauthenticated())
    }),
    Layer.mock(InboundStore, { findConnector: () => Effect.undefined }),
    Layer.mock(ExternalTokens, { remove: () => Effect.undefined }),
    Layer.succeed(Authenticator, {
      verify: (token) =>
        authenticator("user")(token === "unavailable" ? "user-1" : token).pipe(
          Effect.map(({ sessionId, ...claims }) => ({ ...claims, sessionId: sessionId ?? "" })),
          Effect.mapError(() => new Unauthenticated({ detail: "no valid access token" }))
        ),
      isExternal: (token) => token.startsWith("token-"),
      bearer: (token) => {
        options.authenticated?.push(token)
        return Effect.map(authenticator("user")(token), (session) => options.present?.(session) ?? session)
      },
      external: (token) =>
        Effect.tap(authenticator("token")(token), (session) =>
          Effect.sync(() => seenTokens.set(token, session))
        ),
      cachedCaller: (token) => seenTokens.get(token)
    }),
    Admission.memoryLayer(limits),
    HttpSettings.layer(settings)
  )
  return Layer.provide(httpAppOf(groups), services)
}

/** The application as a function from request to response. */
export const stubApp = (options: StubAppOptions = {}) => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    stubAppLayer(options).pipe(
      Layer.provide(HttpServer.layerServices),
      Layer.provide(options.clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, options.clock))
    ),
    { disableLogger: true, routerConfig }
  )
  return {
    dispose,
    stream: (
      method: string,
      path: string,
      headers: Record<string, string>,
      body: ReadableStream<Uint8Array>
    ) => handler(new Request(`http://rapport.test${path}`, { method, headers, body, duplex: "half" })),
    /** `body` other than text and bytes is sent as JSON with its media type. */
    call: (
      method: string,
      path: string,
      init: {
        readonly headers?: Record<string, string>
        readonly body?: unknown
        readonly signal?: AbortSignal
      } = {}
    ) => {
      const headers = new Headers(init.headers)
      const request = (body?: string | Uint8Array<ArrayBuffer>) =>
        handler(
          new Request(`http://rapport.test${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body }),
            ...(init.signal === undefined ? {} : { signal: init.signal })
          })
        )
      if (init.body === undefined) return request()
      if (typeof init.body === "string") return request(init.body)
      if (init.body instanceof Uint8Array) return request(Uint8Array.from(init.body))
      if (!headers.has("content-type")) headers.set("content-type", "application/json")
      return request(JSON.stringify(init.body))
    }
  }
}

/** A clock that stands still: buckets are not refilled, and no request counts as a long one. */
export const stoppedClock: Clock.Clock = {
  ...Clock.Clock.defaultValue(),
  currentTimeMillisUnsafe: () => 0,
  currentTimeMillis: Effect.succeed(0),
  sleep: () => Effect.never
}

export const READ = "/kw/chatrooms/context/retrieve"
export const ME = "/kw/api/v1/auth/me"
export const LOGIN = "/kw/api/v1/auth/login"
export const LOGOUT = "/kw/api/v1/auth/logout"
export const CHAT = "/kw/api/v1/OpChatRooms/9001/messages"
export const GOOD = { scope: { entity: "skill_group", id: 3 } }
export const known = { authorization: "Bearer user-1" }
export const json = { "content-type": "application/json" }

export const unlimited = {
  ...TrafficDefaults,
  CONTEXT_READS_PER_MINUTE: 1_000_000,
  REST_PER_MINUTE: 1_000_000
}

export interface Problem {
  readonly code: string
  readonly detail: string
  readonly requestId: string
  readonly reason?: string
  readonly limit?: { readonly kind: string; readonly retryAfterMs: number }
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** Asserts that the response is a problem document (contract §1.1), and returns it. */
export const problem = async (response: Response, status: number, code: string): Promise<Problem> => {
  const text = await response.text()
  assert.strictEqual(response.status, status, text)
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  const body = JSON.parse(text)
  assert.deepInclude(body, { type: `urn:rapport:error:${code}`, status, code })
  assert.isNotEmpty(body.title)
  assert.isNotEmpty(body.detail)
  assert.strictEqual(body.requestId, response.headers.get("x-request-id"))
  if (code === "INVALID_REQUEST" || code === "QUERY_BUDGET_EXCEEDED") assert.isNotEmpty(body.errors, text)
  return body
}
export const paths = ({ errors = [] }: Problem) => errors.map(({ path }) => path).toSorted()
