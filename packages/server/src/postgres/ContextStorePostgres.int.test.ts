// The context read on a real PostgreSQL (docs/contract.md §3).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ContextFixtures, readPack, sessionOf } from "../testing/ContextFixtures.ts"

layer(ContextFixtures.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "Context read (docs/contract.md §3)",
  (it) => {
    it.effect("a client's pack", () =>
      Effect.gen(function* () {
        const session = yield* sessionOf("administrator")
        const { pack, bytes, text } = yield* readPack(session, {
          scope: { entity: "client", id: 501 },
          targets: [
            "previous_client_appeals",
            "relevant_appeals",
            "previous_client_conversations",
            "recent_client_interactions"
          ],
          query: "рахунок",
          actions: {}
        })
        console.log(text)
        assert.strictEqual(pack.budget.bytes.used, bytes.length)
      })
    )
  }
)
