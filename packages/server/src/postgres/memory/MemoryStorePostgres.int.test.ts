// Entries of client memory as a read gets them: those that the caller may see, the best first, of long texts a part.
import { assert, layer } from "@effect/vitest"
import { SHOWN_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { MemoryStore } from "@rapport/core/memory/MemoryStore.ts"
import { textQueryOf } from "@rapport/core/search/text/TextQuery.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as MemoryStorePostgres from "./MemoryStorePostgres.ts"
import { selectedIds } from "../sql/Query.ts"

layer(MemoryStorePostgres.layer.pipe(Layer.provideMerge(PostgresFixtures.small)), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("client memory", (it) => {
  it.effect("client memory finds words far inside messages of 1 MiB and reads only the part it shows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* MemoryStore
      const caller = yield* sessionOf("administrator")
      const sessionId = randomUUID()
      const filler = "звичайна розмова про погоду ".repeat(9_000)
      const texts = ["Тут повернення коштів", "здесь возврат денег", "the refund is here"].map(
        (written) => `${filler}${written}. ${filler}`
      )
      yield* sql`insert into context_sessions (instance_id, id, client_id, status, created_at, message_count)
        values (1, ${sessionId}::uuid, 501, 'open', now(), 3)`
      for (const [place, text] of texts.entries())
        yield* sql`insert into session_messages
            (instance_id, session_id, sequence, id, client_id, role, content, occurred_at, recorded_at)
          values (1, ${sessionId}::uuid, ${place + 1}, ${randomUUID()}::uuid, 501, 'client', ${text}, now(), now())`
      const entryIds = yield* selectedIds(
        sql`select e.id::float8 as id from memory_entries e join session_messages m on m.id = e.source_id
          where m.session_id = ${sessionId}::uuid order by m.sequence desc`
      )
      const entries = yield* store.entries(caller, 501, {
        entryIds,
        leftOut: null,
        limit: 3,
        wordStarts: textQueryOf("повернення возврат refunds").starts
      })
      assert.deepStrictEqual(
        entries.map(({ entryId }) => entryId),
        entryIds
      )
      for (const [place, written] of ["the refund is here", "возврат денег", "повернення коштів"].entries()) {
        assert.include(entries[place]?.text, written)
        assert.strictEqual(pointsOf(entries[place]?.text ?? ""), SHOWN_TEXT_POINTS_MAX)
        assert.deepInclude(entries[place], { cutBefore: true, cutAfter: true, role: "client" })
      }
      const first = yield* store.entries(caller, 501, { entryIds, leftOut: null, limit: 1, wordStarts: [] })
      assert.deepStrictEqual(
        first.map(({ entryId }) => entryId),
        entryIds.slice(0, 1)
      )
      assert.isTrue(filler.startsWith(first[0]?.text ?? "?"))
    })
  )
})
