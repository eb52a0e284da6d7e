// The audit log of context reads at a graceful stop of the process: contract §9, "a graceful stop loses none".
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"
import { send } from "../testing/WriterFixtures.ts"

const decodeIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.String })))

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "the audit log at a stop",
  (it) => {
    it.effect("the audit log has every read that was answered, also during a stop", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { origin, process, tokenOf } = yield* startOnShared()
        const token = yield* Effect.promise(() => tokenOf("administrator"))
        const answered: Array<string> = []
        // Each sends requests until the port is closed; the signal comes after all have begun.
        const readUntilRefused = async () => {
          for (;;) {
            const read = {
              path: "/kw/chatrooms/context/retrieve",
              body: { scope: { entity: "client", id: 501 } }
            }
            const got = await send(origin, token, read).catch(() => undefined)
            if (got?.status !== 200) return
            answered.push(String(got.body.requestId))
            if (answered.length === 100) process.signal("SIGTERM")
          }
        }
        yield* Effect.promise(() => Promise.all(Array.from({ length: 8 }, readUntilRefused)))
        assert.strictEqual((yield* Effect.promise(() => process.end)).code, 0)
        assert.isAtLeast(answered.length, 100)
        const entries = decodeIds(
          yield* sql`select request_id as id from audit_log where action = 'context.read' and decision = 'allowed'`
        ).map(({ id }) => id)
        assert.deepStrictEqual(
          answered.filter((id) => !entries.includes(id)),
          []
        )
        assert.strictEqual(new Set(entries).size, entries.length, "none twice")
      })
    )
  }
)
