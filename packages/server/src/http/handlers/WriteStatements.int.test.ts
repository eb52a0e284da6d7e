// Statements of the most frequent writes, authentication included (docs/performance.md).
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { expectStatus, newInstance, RestFixtures } from "../../testing/RestFixtures.ts"

/** Spans of statements (PgClient) and of transactions. */
const names = ["postgresql", "sql.transaction"]
const seen: Array<string> = []
const tracerLayer = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span: (options) => {
      if (names.includes(options.name)) seen.push(options.name)
      return new Tracer.NativeSpan(options)
    }
  })
)

layer(Layer.provide(RestFixtures, tracerLayer), { timeout: "120 seconds" })("statements", (it) => {
  it.effect("a message and an action with externalEventId take two statements each", () =>
    Effect.gen(function* () {
      const { admin } = yield* newInstance
      const { id } = yield* admin.make("/clients", { name: "Олена" })
      const session = yield* admin.make("/kw/context/sessions", { clientId: id, channel: "web" })
      const chat = yield* admin.make("/OpChatRooms", { clientId: id, channel: "web", status: "waiting" })
      const writes = [
        [`/kw/context/sessions/${session.id}/messages`, { role: "client", content: "Де мій роутер?" }],
        [`/OpChatRooms/${chat.id}/messages`, { text: "Роутер в пути." }],
        [
          `/kw/clients/${id}/context/actions`,
          {
            type: "order.created",
            actorType: "client",
            occurredAt: new Date().toISOString(),
            externalEventId: "readme-1",
            summary: "Ordered a blue router"
          }
        ]
      ] as const
      for (const [path, body] of writes) {
        seen.length = 0
        expectStatus(yield* admin.post(path, body, { "idempotency-key": "readme" }), 201)
        assert.deepStrictEqual(seen, ["postgresql", "postgresql"], path)
      }
    })
  )
})
