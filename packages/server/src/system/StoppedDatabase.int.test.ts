// Every route while PostgreSQL is there and does not answer: 503 in bounded time, those that were in flight too (contract §10).
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { PostgresFixtures } from "../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"
import { whilePostgresIsStopped } from "../testing/StoppedPostgres.ts"

/** Requests that need no database. */
// The signature of a link is checked without the database.
const without = ["/health/live", "/swagger.json", "/api-docs", "/kw/files/501"]

/** The inbound route checks the signature with a secret from the database; other routes ignore it. */
const signature = { "webhook-id": "m-1", "webhook-timestamp": "1800000000", "webhook-signature": "v1,AAAA" }

const routes = Object.entries(Object(openApiDocument()["paths"])).flatMap(([path, methods]) =>
  Object.keys(Object(methods))
    .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
    .map((method) => ({
      method: method.toUpperCase(),
      path: path
        .replace(/\{(?:session|batch)_id\}/u, "01990000-0000-7000-8000-000000000000")
        .replace("{namespace}", "crm")
        .replaceAll(/\{[^}]*\}/gu, "501")
    }))
    .filter(({ path: place }) => !without.includes(place))
)

const ask = (method: string, path: string) =>
  Effect.gen(function* () {
    const server = yield* RunningServer
    return yield* Effect.promise(async () => {
      const answer = await server.call(path, {
        login: "administrator",
        method,
        ...(method === "GET" || method === "DELETE"
          ? {}
          : {
              body: "{}",
              headers: { "content-type": "application/json", "idempotency-key": "k", ...signature }
            })
      })
      const text = await answer.text()
      return { status: answer.status, text }
    })
  })

layer(ServerFixtures.running().pipe(Layer.provideMerge(PostgresFixtures.smallFolder)), {
  excludeTestServices: true,
  timeout: "180 seconds"
})("PostgreSQL that is stopped", (it) => {
  it.effect("every route answers in time with 503 while PostgreSQL is stopped", () =>
    Effect.gen(function* () {
      yield* ask("GET", "/kw/api/v1/auth/me")
      const answers = yield* whilePostgresIsStopped(
        Effect.forEach(
          routes,
          ({ method, path }) => Effect.map(ask(method, path), (answer) => ({ ...answer, method, path })),
          // As many as the smallest concurrency limit of a user allows; each waits for its deadline.
          { concurrency: 16 }
        )
      )
      assert.isAbove(answers.length, 60)
      for (const { method, path, status, text } of answers) {
        const place = `${method} ${path}: ${status} ${text}`
        // Open routes may find their body wrong before they need the database.
        if (path.startsWith("/kw/api/v1/auth/") && status !== 503) assert.strictEqual(status, 400, place)
        else assert.strictEqual(status, 503, place)
      }
    })
  )

  it.effect("requests in flight end in time when PostgreSQL stops, and the service recovers", () =>
    Effect.gen(function* () {
      const lists = ["OpChatRooms/list", "Ticket/list", "clients", "users", "audit-log"]
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 30 }, (_, n) => `/kw/api/v1/${lists[n % lists.length]}?limit=100`),
          (path) => ask("GET", path),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep("20 millis")
      for (const { status, text } of yield* whilePostgresIsStopped(Fiber.join(fiber))) {
        assert.include([200, 503], status, text)
      }
      const back = ask("GET", "/kw/api/v1/auth/me").pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis") }),
        Effect.timeout("90 seconds")
      )
      assert.strictEqual((yield* back).status, 200)
    })
  )
})
