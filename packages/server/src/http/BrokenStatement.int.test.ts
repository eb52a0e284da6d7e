// A statement that PostgreSQL always refuses is a bug: 500 and one line in the log, not a 503 that clients retry (contract §1.1).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { newInstance, RestFixtures } from "../testing/RestFixtures.ts"

/** Statements that break a statement and repair it, the request that runs it, and the SQLSTATE of its failure. */
const cases = [
  {
    breaks: "alter table subjects rename column alias to gone",
    mends: "alter table subjects rename column gone to alias",
    request: ["GET", "/subjects"],
    state: "42703"
  },
  {
    // PostgreSQL repeats the alias in its message.
    breaks: "alter table subjects add constraint broken check (alias::int4 > 0) not valid",
    mends: "alter table subjects drop constraint broken",
    request: ["POST", "/subjects", { name: "Теми", alias: "canary" }],
    state: "22P02"
  }
] as const

layer(RestFixtures)("a broken statement", (it) => {
  it.effect.each(cases)(
    "a broken statement returns 500 and is logged for the database state $state",
    ({ request: [method, path, body], breaks, mends, state }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { admin } = yield* newInstance
        const logged = vi.spyOn(console, "log").mockImplementation(() => undefined)
        yield* Effect.addFinalizer(() => Effect.sync(() => logged.mockRestore()))
        yield* sql.unsafe(breaks)
        const answer = yield* admin.call(method, path, body)
        yield* sql.unsafe(mends)
        assert.deepInclude(answer.body, { code: "INTERNAL_ERROR", status: 500 })
        assert.isNull(answer.headers.get("retry-after"))
        const lines = logged.mock.calls.map((call) => call.map(String).join(" "))
        assert.isTrue(
          lines.some((line) => line.includes("StatementFailed") && line.includes(`SQLSTATE ${state}`)),
          lines.join("\n")
        )
        for (const text of [answer.text, ...lines]) assert.notMatch(text, /select |insert |canary/iu)
        // Nothing of it is kept: the same request succeeds when the statement is mended.
        assert.isBelow((yield* admin.call(method, path, body)).status, 300)
      })
  )
})
