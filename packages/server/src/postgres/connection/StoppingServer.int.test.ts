// A PostgreSQL that waits for its clients to go, and a pool that would never.
import { assert, describe, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Fiber, Layer, Redacted, Schedule, Scope } from "effect"
import { installedPostgres, isPostgresMissing } from "../../testing/InstalledPostgres.ts"
import { freePort } from "../../testing/SharedDatabaseFixtures.ts"
import { poolLayer } from "./Database.ts"
import { shortRead } from "./Lanes.ts"

const CONNECTIONS = 16
const times = (count: number) => Array.from({ length: count }, (_, n) => n)

describe.skipIf(isPostgresMissing)("a PostgreSQL that ends after its last client", () => {
  it.live("a PostgreSQL that stops gracefully ends after running statements were answered", () =>
    Effect.gen(function* () {
      const { pid, port } = yield* installedPostgres(yield* freePort)
      const url = Redacted.make(`postgres://rapport@127.0.0.1:${port}/postgres`)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        // One listens, some wait, all lanes are there, one works long, and others are never idle.
        yield* Effect.forkScoped(Effect.andThen(sql.listen("news"), Effect.never))
        yield* Effect.forEach(times(6), () => sql`select pg_sleep(0.1)`, { concurrency: 6 })
        yield* Effect.forEach(times(CONNECTIONS), () => shortRead(sql`select 1`), {
          concurrency: CONNECTIONS
        })
        const others = yield* Scope.make()
        const another = Context.get(
          yield* Layer.buildWithScope(
            PgClient.layer({ url, applicationName: "another", maxConnections: 1 }),
            others
          ),
          PgClient.PgClient
        )
        yield* another`select 1`
        const working = yield* Effect.forkChild(sql`select pg_sleep(3), 'done' as said`)
        yield* Effect.sleep("200 millis")
        const server = pid()
        assert.isDefined(server)
        if (server !== undefined) process.kill(server, "SIGTERM")

        const running = yield* Effect.forkScoped(
          Effect.forever(
            Effect.andThen(
              Effect.forEach(times(CONNECTIONS), () => Effect.ignore(sql`select pg_sleep(0.05)`), {
                concurrency: CONNECTIONS
              }),
              Effect.sleep("1 millis")
            )
          )
        )
        assert.deepInclude((yield* Fiber.join(working))[0], { said: "done" })
        assert.deepInclude((yield* another`select 'here' as said`)[0], { said: "here" })
        yield* Scope.close(others, Exit.void)
        yield* Effect.repeat(Effect.sync(pid), {
          until: (running) => running === undefined,
          schedule: Schedule.spaced("50 millis")
        }).pipe(Effect.timeout("60 seconds"))
        yield* Fiber.interrupt(running)
      }).pipe(Effect.scoped, Effect.provide(poolLayer({ url }, CONNECTIONS)))
    })
  )
})
