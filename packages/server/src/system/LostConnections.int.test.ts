// Connections to PostgreSQL that are lost under requests (contract §1.1, §3.4): a request is done or answered with 503.
import { assert, layer } from "@effect/vitest"
import { Effect, Ref, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { exampleRequests } from "../testing/ExampleRequests.ts"
import { SharedDatabaseFixtures, startOnShared } from "../testing/SharedDatabaseFixtures.ts"

const ROUNDS = 2
const CONCURRENCY = 4
const LOST_EVERY = "12 millis"
/** It would end the session of the test. */
const left = "logout"
/** A file that is on its way is cut short, which its reader sees: nothing else can be said of it any more. */
const streamed = new Set([
  "exportChats",
  "exportClient",
  "exportClients",
  "exportCustomRecords",
  "exportTickets",
  "listDialogues"
])
/** At least so many, or the test has shown nothing. */
const LOST_MIN = 20

/** Ends whichever connections of the service are busy now. */
const loseBusy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'rapport' and pid <> pg_backend_pid()
      and (state = 'active' or state like 'idle in transaction%') and query not like '%pg_terminate_backend%'`
})

layer(SharedDatabaseFixtures.layer, { excludeTestServices: true, timeout: "180 seconds" })(
  "connections to the database are lost while every operation is requested",
  (it) => {
    it.effect(
      "requests during lost database connections get no server error but 503",
      () =>
        Effect.gen(function* () {
          const { call, process, tokenOf } = yield* startOnShared()
          yield* Effect.promise(() => tokenOf("administrator"))
          const lost = yield* Ref.make(0)
          yield* Effect.forkScoped(
            Effect.repeat(
              Effect.flatMap(loseBusy, ({ length }) => Ref.update(lost, (n) => n + length)),
              Schedule.spaced(LOST_EVERY)
            )
          )
          const found: Array<string> = []
          const requests = exampleRequests.filter(({ operationId }) => operationId !== left)
          for (let round = 0; round < ROUNDS; round++)
            yield* Effect.forEach(
              requests,
              ({ headers, method, operationId, path, ...rest }) =>
                Effect.promise(async () => {
                  // A key of its own: what needs one is written in every round.
                  const sent =
                    "idempotency-key" in headers ? { ...headers, "idempotency-key": randomUUID() } : headers
                  const answer = await call(path, { method, headers: sent, ...rest, login: "administrator" })
                  const text = await answer
                    .text()
                    .catch((error: unknown) =>
                      streamed.has(operationId) ? "" : found.push(`${operationId}: ${String(error)}`)
                    )
                  if (answer.status >= 500 && answer.status !== 503)
                    found.push(`${operationId}: ${answer.status} ${text}`)
                }),
              { concurrency: CONCURRENCY, discard: true }
            )
          assert.isAbove(yield* Ref.get(lost), LOST_MIN)
          // What the service logged of it says why.
          const errors = process.stderr.split("\n").filter((line) => line.includes('"level":"ERROR"'))
          assert.deepStrictEqual(found, [], errors.join("\n"))
        }).pipe(Effect.scoped),
      180_000
    )
  }
)
