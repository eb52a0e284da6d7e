// The REST interface on a real PostgreSQL, called without a port: real router, use cases and stores. A token is the ids of its
// session.
import { assert } from "@effect/vitest"
import { Api } from "@rapport/contract/Api.ts"
import type { Permission, Role } from "@rapport/contract/Authorization.ts"
import { Unauthenticated } from "@rapport/contract/Errors.ts"
import { TrafficDefaults, type TrafficLimits } from "@rapport/contract/Limits.ts"
import { Access } from "@rapport/core/access/Access.ts"
import { AccessStore } from "@rapport/core/access/AccessStore.ts"
import { Authenticator } from "@rapport/core/access/Authenticator.ts"
import { ExternalTokens } from "@rapport/core/access/ExternalTokens.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { Denials } from "@rapport/core/audit/Denials.ts"
import { FileStorage } from "@rapport/core/files/FileStorage.ts"
import { MemoryIndex } from "@rapport/core/memory/MemoryIndex.ts"
import { IndexLag } from "@rapport/core/readiness/IndexLag.ts"
import { TelegramFiles } from "@rapport/core/delivery/TelegramFiles.ts"
import { ClientDataStore } from "@rapport/core/clients/ClientDataStore.ts"
import { orUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createHash, randomUUID } from "node:crypto"
import * as AccessTokens from "../access/AccessTokens.ts"
import { handlersLayer } from "../wiring/Handlers.ts"
import { useCasesLayer } from "../wiring/UseCases.ts"
import { routerConfig } from "../config/RouterConfig.ts"
import { httpAppOf } from "../http/HttpApp.ts"
import { HttpSettings } from "../http/HttpSettings.ts"
import * as TelegramFilesHttp from "../delivery/TelegramFiles.ts"
import { temporaryFileStorage, testFileLinks } from "./FileFixtures.ts"
import { emptyIndexLayer } from "./ContextFixtures.ts"
import { PostgresFixtures } from "./PostgresFixtures.ts"
import { insertInstance, insertSession, insertUser, makeStores, testTokenKeys } from "./StoreFixtures.ts"

type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly headers: Response["headers"]
  readonly text: string
  /** The JSON body; undefined without one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members that they then assert
  readonly body: any
}

type SendWithoutBody = (path: string, headers?: Headers) => Effect.Effect<Answer>
type SendWithBody = (path: string, body?: unknown, headers?: Headers) => Effect.Effect<Answer>

export interface Identity {
  readonly id: number
  readonly instanceId: number
  /** The Authorization or x-auth-token header. */
  readonly headers: Headers
}
/**
 * A user or a token, and its requests. A path is below /kw/api/v1 unless it begins with /kw/. A write that requires an
 * Idempotency-Key has a new one, unless the test gives the header.
 */
export interface RestCaller extends Identity {
  readonly call: (method: string, path: string, body?: unknown, headers?: Headers) => Effect.Effect<Answer>
  readonly get: SendWithoutBody
  readonly remove: SendWithoutBody
  readonly post: SendWithBody
  readonly patch: SendWithBody
  readonly put: SendWithBody
  /** The body of a GET that succeeds. */
  readonly read: (path: string) => Effect.Effect<Answer["body"]>
  /** The record that a POST creates. */
  readonly make: (path: string, body?: object) => Effect.Effect<Answer["body"]>
  /** The id of the record that a POST creates. */
  readonly makeId: (path: string, body?: object) => Effect.Effect<number>
  /** A PATCH of the version that the record has. */
  readonly change: (path: string, members: object) => Effect.Effect<Answer>
}

export const expectStatus = (answer: Answer, status: number, code?: string): void => {
  assert.strictEqual(answer.status, status, answer.text.slice(0, 500))
  if (code !== undefined) assert.strictEqual(answer.body.code, code, answer.text.slice(0, 500))
}

/** `rows.map(member("id"))` */
export const member =
  (name: string) =>
  (row: Readonly<Record<string, unknown>>): unknown =>
    row[name]

/** `rows.map(members("id", "status"))` */
export const members =
  (...names: ReadonlyArray<string>) =>
  (row: Readonly<Record<string, unknown>>): ReadonlyArray<unknown> =>
    names.map((name) => row[name])

/** Records of an answer in NDJSON. */
export const linesOf = ({ text }: Answer): ReadonlyArray<Answer["body"]> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** Expects INVALID_REQUEST with a violation at each of the paths, in this order. */
export const expectFaults = (answer: Answer, paths: ReadonlyArray<string>, what = ""): void => {
  expectStatus(answer, 400, "INVALID_REQUEST")
  assert.deepStrictEqual(pathsOf(answer), paths, `${what} ${answer.text}`)
}

/** Runs as many effects concurrently. */
export const runConcurrently = <A, E, R>(
  count: number,
  effectOf: (place: number) => Effect.Effect<A, E, R>
) =>
  Effect.all(
    Array.from({ length: count }, (_, place) => effectOf(place)),
    { concurrency: "unbounded" }
  )

/** Repeats a write as docs/retrying.md says, because a slow machine exceeds deadlines. */
export const untilFinal = <E, R>(write: Effect.Effect<Answer, E, R>): Effect.Effect<Answer, E, R> =>
  Effect.repeat(write, {
    until: ({ body, status }) => status !== 503 && body?.code !== "IDEMPOTENCY_IN_PROGRESS",
    schedule: Schedule.spaced("200 millis")
  })

/** Paths of the errors of a 400. */
export const pathsOf = ({ body }: Answer): ReadonlyArray<string> =>
  body.errors.map((error: { path: string }) => error.path)

export class Rest extends Context.Service<
  Rest,
  {
    readonly call: (
      who: Pick<Identity, "headers">,
      method: string,
      path: string,
      body?: unknown,
      headers?: Headers
    ) => Effect.Effect<Answer>
    readonly caller: (identity: Identity) => RestCaller
    readonly instance: Effect.Effect<number>
    readonly user: (
      instanceId: number,
      roles: ReadonlyArray<Role>,
      groupIds?: ReadonlyArray<number>
    ) => Effect.Effect<RestCaller>
    readonly token: (maker: RestCaller, permissions: ReadonlyArray<Permission>) => Effect.Effect<RestCaller>
  }
>()("server/testing/Rest") {}

/** Routes that require an Idempotency-Key (contract §1.3). */
const keyed = /^\/kw\/(?:clients\/\d+\/context|context\/import-batches)/u

const callerOf = (rest: Rest["Service"]["call"], identity: Identity): RestCaller => {
  const call: RestCaller["call"] = (method, path, body, headers) =>
    rest(identity, method, path, body, {
      ...(method !== "GET" && keyed.test(path) ? { "idempotency-key": randomUUID() } : {}),
      ...headers
    })
  const withBody =
    (method: string): SendWithBody =>
    (path, body, headers) =>
      call(method, path, body, headers)
  const withoutBody =
    (method: string): SendWithoutBody =>
    (path, headers) =>
      call(method, path, undefined, headers)
  const [get, post, patch] = [withoutBody("GET"), withBody("POST"), withBody("PATCH")]
  const read: RestCaller["read"] = (path) =>
    Effect.map(get(path), (answer) => {
      expectStatus(answer, 200)
      return answer.body
    })
  const make: RestCaller["make"] = (path, body = {}) =>
    Effect.map(post(path, body), (answer) => {
      expectStatus(answer, 201)
      const { batch, chat, message, session, ticket } = answer.body
      return chat ?? ticket ?? message ?? session ?? batch ?? answer.body
    })
  return {
    ...identity,
    call,
    get,
    remove: withoutBody("DELETE"),
    post,
    patch,
    put: withBody("PUT"),
    read,
    make,
    makeId: (path, body) => Effect.map(make(path, body), ({ id }) => Number(id)),
    change: (path, members) =>
      Effect.flatMap(read(path), ({ version }) => patch(path, { expectedVersion: version, ...members }))
  }
}

const unlimited: TrafficLimits = {
  ...TrafficDefaults,
  REST_PER_MINUTE: 1_000_000,
  REST_AT_ONCE: 1_000_000,
  REST_AT_ONCE_INSTANCE: 1_000_000,
  CONTEXT_WRITES_PER_MINUTE: 1_000_000,
  APPEAL_IMPORTS_PER_MINUTE: 1_000_000
}

const requireSession = <A>(session: A | undefined) =>
  session === undefined ? Effect.fail(new Unauthenticated()) : Effect.succeed(session)

/** A bearer token is `<instance>.<user>.<session>`. */
const claimsOf = (token: string) => {
  const [instanceId, userId, sessionId = ""] = token.split(".")
  return { instanceId: Number(instanceId), userId: Number(userId), sessionId }
}

const authenticatorLayer = Layer.effect(
  Authenticator,
  Effect.gen(function* () {
    const store = yield* AccessStore
    return Authenticator.of({
      verify: (token) => Effect.succeed(claimsOf(token)),
      isExternal: (token) => !/^\d+\.\d+\b/u.test(token),
      bearer: (token) =>
        store.findSession(claimsOf(token)).pipe(Effect.flatMap(requireSession), orUnavailable),
      external: (token) =>
        store
          .findTokenSession(createHash("sha256").update(token).digest())
          .pipe(Effect.flatMap(requireSession), orUnavailable),
      cachedCaller: () => undefined
    })
  })
)

/** A service that is live and ready. */
export const healthLayer = HttpApiBuilder.group(Api, "health", (handlers) =>
  handlers
    .handle("getLiveness", () => Effect.succeed({ status: "live" as const }))
    .handle("getReadiness", () => Effect.succeed({ status: "ready" as const }))
)

const stores = makeStores(unlimited)

/** All handlers with their use cases and stores, on a database and an index of appeals. Client memory is not indexed. */
export const restHandlers = handlersLayer.pipe(
  Layer.provide(useCasesLayer),
  Layer.provide([
    testFileLinks,
    Layer.mock(MemoryIndex, {
      status: () => Effect.succeed({ ready: false, lagMillis: 0, indexedAt: 0 })
    }),
    Layer.succeed(IndexLag, { millis: () => Effect.succeed(0) })
  ]),
  Layer.provide(stores)
)
const accessHandlers = Layer.mergeAll(Access.layer, ExternalTokens.layer).pipe(
  Layer.provideMerge(Denials.layer),
  Layer.provide([AccessTokens.layer, Pages.layer]),
  Layer.provide(testTokenKeys)
)

/** The interface on a database, with an empty index. */
export const restLayer = Layer.effect(
  Rest,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Real time also in tests with a test clock: the database has no other.
    const shared = Layer.succeedContext(
      Context.add(
        yield* Effect.context<FileStorage | SqlClient.SqlClient | TelegramFiles>(),
        Clock.Clock,
        Clock.Clock.defaultValue()
      )
    )
    const app = httpAppOf(Layer.mergeAll(healthLayer, Layer.provide(restHandlers, emptyIndexLayer))).pipe(
      Layer.provide([accessHandlers, authenticatorLayer, HttpSettings.layer()]),
      Layer.provide(stores),
      Layer.provide([shared, HttpServer.layerServices])
    )
    const { handler } = yield* Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(app, { disableLogger: true, routerConfig })),
      ({ dispose }) => Effect.promise(dispose)
    )
    const call: Rest["Service"]["call"] = (who, method, path, body, headers) =>
      Effect.promise(async () => {
        const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body)
        const response = await handler(
          new Request(`http://rapport.test${path.startsWith("/kw/") ? path : `/kw/api/v1${path}`}`, {
            method,
            headers: {
              ...who.headers,
              ...(text === undefined ? {} : { "content-type": "application/json" }),
              ...headers
            },
            ...(text === undefined ? {} : { body: text })
          })
        )
        // Unlike `text()`, this keeps a byte order mark.
        const answer = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer())
        return {
          status: response.status,
          headers: response.headers,
          text: answer,
          body:
            answer === "" || /^text\/|ndjson/u.test(response.headers.get("content-type") ?? "")
              ? undefined
              : JSON.parse(answer)
        }
      })
    const caller = (identity: Identity) => callerOf(call, identity)
    const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)
    return Rest.of({
      call,
      caller,

      instance: Effect.gen(function* () {
        const id = yield* insertInstance
        yield* sql`insert into ticket_statuses (instance_id, name, position, status_group)
          select ${id}, * from unnest('{new,open,waiting,resolved,closed}'::text[], '{1,2,3,4,5}'::int4[],
            '{new,open,waiting,done,done}'::text[])`
        yield* sql`insert into ticket_status_versions (instance_id) values (${id})`
        return id
      }).pipe(Effect.orDie, onDatabase),

      user: Effect.fnUntraced(
        function* (instanceId, roles, groupIds = []) {
          const id = yield* insertUser(instanceId, roles)
          for (const group of groupIds)
            yield* sql`insert into skill_group_members (instance_id, skill_group_id, user_id) values (${instanceId}, ${group}, ${id})`
          const sessionId = yield* insertSession(instanceId, id)
          return caller({
            id,
            instanceId,
            headers: { authorization: `Bearer ${instanceId}.${id}.${sessionId}` }
          })
        },
        Effect.orDie,
        onDatabase
      ),

      token: Effect.fnUntraced(function* (maker, permissions) {
        const token = randomUUID()
        const hash = createHash("sha256").update(token).digest()
        yield* sql`insert into external_tokens (instance_id, user_id, name, prefix, hash, permissions)
          values (${maker.instanceId}, ${maker.id}, 't', 'p', ${hash}::bytea, ${permissions}::text[])`
        return caller({ id: maker.id, instanceId: maker.instanceId, headers: { "x-auth-token": token } })
      }, Effect.orDie)
    })
  })
)

/** A Bot API that cannot be reached. */
const noBotApi = TelegramFilesHttp.layer({ apiUrl: "http://127.0.0.1:1" })

/** For `layer(…)` of @effect/vitest; each use has its own database. */
export const RestFixtures = restLayer.pipe(
  Layer.provideMerge([temporaryFileStorage, noBotApi, PostgresFixtures.migrated])
)

/** A new instance and its administrator. */
export const newInstance = Effect.gen(function* () {
  const rest = yield* Rest
  const instance = yield* rest.instance
  return { rest, instance, admin: yield* rest.user(instance, ["administrator"]) }
})

/** Erases the data of a client whose erasure has begun, as the worker does. */
export const finishErasure = Effect.fnUntraced(function* (instanceId: number, id: number) {
  const store = yield* ClientDataStore
  return yield* Effect.repeat(store.erase({ id, instanceId }), {
    until: (slice) => slice === undefined || slice.status === "finished"
  })
})

/** Uploads a file. Returns it as `attachments` of a message show it. */
export const upload = Effect.fnUntraced(function* (who: RestCaller, name = "рахунок.pdf", text = "Рахунок") {
  const path = `/files?name=${encodeURIComponent(name)}`
  const answer = yield* who.post(path, text, { "content-type": "text/plain" })
  expectStatus(answer, 201)
  const { sha256: _, ...attachment } = answer.body
  return attachment
})
