// Every route while PostgreSQL is there and does not answer: 503 in bounded time, those that were in flight too (contract §10).
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { exampleRequests } from "../testing/ExampleRequests.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"
import { whilePostgresIsStopped } from "../testing/StoppedPostgres.ts"

/** Operations that need no database; the form of a link, an invitation and a refresh token is checked without it. */
const without = [
  "getLiveness",
  "getOpenApiDocument",
  "getDocumentationPage",
  "getLinkedFile",
  "acceptInvitation",
  "refreshTokens"
]

/** The inbound route checks the signature with a secret from the database; other routes ignore it. */
const signature = { "webhook-id": "m-1", "webhook-timestamp": "1800000000", "webhook-signature": "v1,AAAA" }

const requests = exampleRequests.filter(({ operationId }) => !without.includes(operationId))

const ask = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const { call } = yield* RunningServer
  return yield* Effect.promise(async () => {
    const answer = await call(path, { ...init, login: "administrator" })
    return { status: answer.status, text: await answer.text() }
  })
})

layer(ServerFixtures.running().pipe(Layer.provideMerge(PostgresFixtures.smallFolder)), {
  excludeTestServices: true,
  timeout: "180 seconds"
})("PostgreSQL that is stopped", (it) => {
  it.effect("every route answers in time with 503 while PostgreSQL is stopped", () =>
    Effect.gen(function* () {
      yield* ask("/kw/api/v1/auth/me")
      const answers = yield* whilePostgresIsStopped(
        Effect.forEach(
          requests,
          ({ body = null, headers, method, operationId, path }) =>
            Effect.map(ask(path, { method, body, headers: { ...headers, ...signature } }), (answer) => ({
              ...answer,
              operationId
            })),
          // As many as the smallest concurrency limit of a user allows; each waits for its deadline.
          { concurrency: 16 }
        )
      )
      assert.isAbove(answers.length, 60)
      for (const { operationId, status, text } of answers)
        assert.strictEqual(status, 503, `${operationId}: ${text}`)
    })
  )

  it.effect("requests in flight end in time when PostgreSQL stops, and the service recovers", () =>
    Effect.gen(function* () {
      const lists = ["OpChatRooms/list", "Ticket/list", "clients", "users", "audit-log"]
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 30 }, (_, n) => `/kw/api/v1/${lists[n % lists.length]}?limit=100`),
          (path) => ask(path),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep("20 millis")
      for (const { status, text } of yield* whilePostgresIsStopped(Fiber.join(fiber))) {
        assert.include([200, 503], status, text)
      }
      const back = ask("/kw/api/v1/auth/me").pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis") }),
        Effect.timeout("90 seconds")
      )
      assert.strictEqual((yield* back).status, 200)
    })
  )
})
