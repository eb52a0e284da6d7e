// The HTTP app with stub handlers: the real router and middleware, called without a port.
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { clientContextLayer } from "../http/handlers/ClientContextHttp.ts"
import { importsLayer } from "../http/handlers/ImportsHttp.ts"
import { sessionsLayer } from "../http/handlers/SessionsHttp.ts"
import { assert } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import { type AuthorizedSession, type Permission, permissions } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  type ErrorCode,
  type QueryBudgetExceeded,
  SearchUnavailable,
  Unauthenticated
} from "@rapport/contract/Errors.ts"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { TicketStatusList } from "@rapport/core/appeals/TicketStatusList.ts"
import { type Denial, Denials } from "@rapport/core/audit/Denials.ts"
import { AuditEntries } from "@rapport/core/audit/AuditEntries.ts"
import { Inbound } from "@rapport/core/delivery/Inbound.ts"
import { InboundStore } from "@rapport/core/delivery/InboundStore.ts"
import { Properties } from "@rapport/core/directory/Properties.ts"
import { ClientData } from "@rapport/core/clients/ClientData.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { SkillGroups } from "@rapport/core/directory/SkillGroups.ts"
import { Subjects } from "@rapport/core/directory/Subjects.ts"
import { UserEntrance } from "@rapport/core/users/UserEntrance.ts"
import { Assessments } from "@rapport/core/quality/Assessments.ts"
import { Checklists } from "@rapport/core/quality/Checklists.ts"
import { Criteria } from "@rapport/core/quality/Criteria.ts"
import { Broadcasts } from "@rapport/core/broadcasts/Broadcasts.ts"
import { BroadcastTemplates } from "@rapport/core/broadcasts/BroadcastTemplates.ts"
import { Bots } from "@rapport/core/scenarios/Bots.ts"
import { Files } from "@rapport/core/files/Files.ts"
import { Calls } from "@rapport/core/scenarios/Calls.ts"
import { Nodes } from "@rapport/core/scenarios/Nodes.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Calendars } from "@rapport/core/statistics/Calendars.ts"
import { SlaTargets } from "@rapport/core/statistics/SlaTargets.ts"
import { Statistics } from "@rapport/core/statistics/Statistics.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { UserAccount } from "@rapport/core/users/UserAccount.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { AdmissionStore } from "@rapport/core/traffic/RateLimits.ts"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Clock, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { routerConfig } from "../config/RouterConfig.ts"
import { Admission } from "../http/Admission.ts"
import { httpAppOf } from "../http/HttpApp.ts"
import { toolsLayer } from "../http/mcp/McpHttp.ts"
import { HttpSettings, type HttpSettingsShape } from "../http/HttpSettings.ts"
import { restHandlersLayer } from "../wiring/Handlers.ts"
import { anySession } from "@rapport/core/testing/SessionFixtures.ts"

const sessionOf = (userId: number, held: ReadonlyArray<Permission> = permissions) =>
  anySession({ userId, roles: ["administrator"], permissions: new Set(held) })

/** Knows the tokens `user-<id>`; "away" needs a database that is away; every other token is wrong by itself. */
const authenticator =
  (scheme: string) =>
  (token: string): Effect.Effect<AuthorizedSession, Unauthenticated | SearchUnavailable> => {
    if (token === "away") return Effect.fail(new SearchUnavailable({ reason: "database_unavailable" }))
    const id = new RegExp(`^${scheme}-(\\d+)$`, "u").exec(token)?.[1]
    return id === undefined ? Effect.fail(new Unauthenticated()) : Effect.succeed(sessionOf(Number(id)))
  }

/** Use cases that a test answers itself; all others do nothing. */
interface UseCases {
  readonly context?: Partial<ClientContext["Service"]>
  readonly chats?: Partial<Chats["Service"]>
  readonly tickets?: Partial<Tickets["Service"]>
}

/** The rest of the Api: its use cases fail as defects when they are called. */
const stubRest = ({ chats = {}, tickets = {} }: UseCases) =>
  restHandlersLayer.pipe(
    Layer.provide([
      Layer.mock(Chats, chats),
      Layer.mock(Tickets, tickets),
      Layer.mock(AppealMessages, {}),
      Layer.mock(Inbound, {}),
      Layer.mock(TicketStatusList, {}),
      Layer.mock(Clients, {}),
      Layer.mock(ClientData, {}),
      Layer.mock(AuditEntries, {}),
      Layer.mock(Properties, {}),
      Layer.mock(Subjects, {}),
      Layer.mock(SkillGroups, {}),
      Layer.mock(Criteria, {}),
      Layer.mock(Checklists, {}),
      Layer.mock(Assessments, {}),
      Layer.mock(Models, {}),
      Layer.mock(CustomRecords, {}),
      Layer.mock(Broadcasts, {}),
      Layer.mock(BroadcastTemplates, {}),
      Layer.mock(Bots, {}),
      Layer.mock(Nodes, {}),
      Layer.mock(Calls, {}),
      Layer.mock(Files, {}),
      Layer.mock(Calendars, {}),
      Layer.mock(SlaTargets, {}),
      Layer.mock(Statistics, {}),
      Layer.mock(Users, {}),
      Layer.mock(UserAccount, {}),
      Layer.mock(UserEntrance, {})
    ])
  )

const stubWrites = ({ context = {} }: UseCases) =>
  Layer.mergeAll(clientContextLayer, sessionsLayer, importsLayer).pipe(
    Layer.provide([
      Layer.mock(ClientContext, context),
      Layer.mock(Sessions, {}),
      // Its callers may import: their items are counted, and nothing more is done.
      Layer.mock(Imports, {
        run: (_session, _request, _key, count = Effect.void) =>
          Effect.andThen(count, Effect.die("nothing is imported"))
      })
    ])
  )

type ReadError = AccessDenied | QueryBudgetExceeded | SearchUnavailable
export type Read = (
  request: ContextRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, ReadError>

const echo: Read = (request) => Effect.succeed(HttpServerResponse.jsonUnsafe(request))

export interface StubAppOptions {
  /** Answers the context read; by default it answers with the decoded request. */
  readonly read?: Read
  readonly useCases?: UseCases
  /** Runs before GET /auth/me fails; by default nothing. */
  readonly beforeMe?: Effect.Effect<void>
  readonly settings?: Partial<HttpSettingsShape>
  /** Serves POST /kw/mcp; by default the tools. */
  readonly tools?: typeof toolsLayer
  /** What was refused is put here. */
  readonly denials?: Array<Denial>
  /** Whether all sessions have ended, which a token does not say by itself. */
  readonly hasEnded?: () => boolean
  /** Sessions as they are now. */
  readonly present?: (session: AuthorizedSession) => AuthorizedSession
  /** The clock of the application. */
  readonly clock?: Clock.Clock
  /** The tokens that were authenticated are put here. */
  readonly authenticated?: Array<string>
}

/** The application with its settings, ready to be served. */
export const stubAppLayer = (options: StubAppOptions = {}) => {
  const groups = Layer.mergeAll(
    stubRest(options.useCases ?? {}),
    stubWrites(options.useCases ?? {}),
    options.tools ?? toolsLayer,
    HttpApiBuilder.group(Api, "context", (handlers) =>
      handlers
        .handle("retrieve", ({ payload, request }) =>
          Effect.map((options.read ?? echo)(payload), (answer) =>
            request.headers["accept"] === "text/markdown"
              ? HttpServerResponse.setHeader(answer, "content-type", "text/markdown; charset=utf-8")
              : answer
          )
        )
        .handle("readiness", () => Effect.succeed(HttpServerResponse.jsonUnsafe({})))
    ),
    HttpApiBuilder.group(Api, "appeals", (handlers) =>
      handlers
        .handle("listChatMessages", ({ query }) => Effect.succeed(HttpServerResponse.jsonUnsafe(query)))
        .handle("listTicketMessages", ({ query }) => Effect.succeed(HttpServerResponse.jsonUnsafe(query)))
    ),
    HttpApiBuilder.group(Api, "health", (handlers) =>
      handlers
        .handle("live", () => Effect.succeed({ status: "live" as const }))
        .handle("ready", () => Effect.succeed({ status: "ready" as const }))
    )
  )
  const seenTokens = new Set<string>()
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
    Layer.mock(ExternalTokens, { remove: () => Effect.void }),
    Layer.succeed(Authenticator, {
      verify: (token) =>
        authenticator("user")(token === "away" ? "user-1" : token).pipe(
          Effect.map(({ sessionId, ...claims }) => ({ ...claims, sessionId: sessionId ?? "" })),
          Effect.mapError(() => new Unauthenticated({ detail: "no valid access token" }))
        ),
      isExternal: (token) => token.startsWith("token-"),
      bearer: (token) => {
        options.authenticated?.push(token)
        return options.hasEnded?.() === true
          ? Effect.fail(new Unauthenticated())
          : Effect.map(authenticator("user")(token), (session) => options.present?.(session) ?? session)
      },
      external: (token) =>
        Effect.tap(authenticator("token")(token), () => Effect.sync(() => seenTokens.add(token))),
      knownCaller: ({ scheme, token }) =>
        scheme === "bearer" || seenTokens.has(token)
          ? Effect.orElseSucceed(
              authenticator(scheme === "bearer" ? "user" : "token")(token),
              () => undefined
            )
          : Effect.undefined
    }),
    Admission.layer.pipe(Layer.provide(AdmissionStore.layer(options.settings?.limits ?? TrafficDefaults))),
    HttpSettings.layer(options.settings)
  )
  return Layer.provide(httpAppOf(groups), services)
}

/** The same in memory: a function from request to answer. */
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
    /** Sends a body that comes in pieces. */
    stream: (
      method: string,
      path: string,
      headers: Record<string, string>,
      body: ReadableStream<Uint8Array>
    ) => handler(new Request(`http://rapport.test${path}`, { method, headers, body, duplex: "half" })),
    /** Sends what a client would send; `body` other than text and bytes is written as JSON with its media type. */
    call: (
      method: string,
      path: string,
      init: { readonly headers?: Record<string, string>; readonly body?: unknown } = {}
    ) => {
      const headers = new Headers(init.headers)
      const request = (body?: string | Uint8Array<ArrayBuffer>) =>
        handler(
          new Request(`http://rapport.test${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body })
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

/** Asserts the one kind of document that every failure is (contract §1.1), and gives it back. */
export const problem = async (response: Response, status: number, code: ErrorCode): Promise<Problem> => {
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
