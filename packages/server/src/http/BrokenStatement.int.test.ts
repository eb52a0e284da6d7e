// A statement that PostgreSQL always refuses is a bug: 500 and one line in the log, not a 503 that clients retry (contract §1.1).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { vi } from "vitest"
import { Rest, RestFixtures } from "../testing/RestFixtures.ts"

/** Values stand in double quotes, but in the messages of class 42: there names do. */
const raiseStatement = (state: string) => `create function broken() returns trigger language plpgsql as
  $$ begin raise exception 'no ${state.startsWith("42") ? "" : '"Олена"'}' using errcode = '${state}'; end $$`

/** Statements that break a statement and repair it, the request that runs it, and the SQLSTATE of its failure. */
const cases: ReadonlyArray<{
  readonly breaks: ReadonlyArray<string>
  readonly mends: ReadonlyArray<string>
  readonly request: readonly [method: string, path: string, body?: unknown]
  readonly state: string
}> = [
  {
    breaks: ["alter table subjects rename column alias to gone"],
    mends: ["alter table subjects rename column gone to alias"],
    request: ["GET", "/subjects"],
    state: "42703"
  },
  {
    breaks: ["alter table skill_groups rename to gone"],
    mends: ["alter table gone rename to skill_groups"],
    request: ["GET", "/skill-groups"],
    state: "42P01"
  },
  ...["42601", "22012", "XX000"].map((state): (typeof cases)[number] => ({
    breaks: [
      raiseStatement(state),
      "create trigger broken before insert on subjects for each row execute function broken()"
    ],
    mends: ["drop function broken cascade"],
    request: ["POST", "/subjects", { name: "Теми", alias: `a${state.toLowerCase()}` }],
    state
  }))
]

layer(RestFixtures)("a broken statement", (it) => {
  it.effect.each(cases)(
    "$asks returns 500 and is logged for the database state $state",
    ({ request, breaks, mends, state }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rest = yield* Rest
        const who = yield* rest.user(yield* rest.instance, ["administrator"])
        const logged = vi.spyOn(console, "log").mockImplementation(() => undefined)
        yield* Effect.addFinalizer(() => Effect.sync(() => logged.mockRestore()))
        for (const statement of breaks) yield* sql.unsafe(statement)
        const [method, path, body] = request
        const key = { "idempotency-key": randomUUID() }
        const answer = yield* rest.call(who, method, path, body, method === "GET" ? {} : key)
        for (const statement of mends) yield* sql.unsafe(statement)
        assert.deepInclude(answer.body, { code: "INTERNAL_ERROR", status: 500 })
        assert.isNull(answer.headers.get("retry-after"))
        const lines = logged.mock.calls.map((call) => call.map(String).join(" "))
        assert.isTrue(
          lines.some((line) => line.includes("StatementFailed") && line.includes(`SQLSTATE ${state}`)),
          lines.join("\n")
        )
        for (const text of [answer.text, ...lines]) assert.notMatch(text, /select |insert |Олена/iu)
        // Nothing of it is kept: the same request succeeds when the statement is mended.
        assert.isBelow((yield* rest.call(who, method, path, body, method === "GET" ? {} : key)).status, 300)
      })
  )
})
