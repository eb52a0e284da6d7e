// A PostgreSQL that ends is started again: soon, and ever more rarely where it ends again and again (docs/operations.md).
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { ChildProcess } from "node:child_process"
import { keepRunning } from "./EmbeddedPostgres.ts"
import { PostgresFailed, type PostgresProcess } from "./PostgresProcess.ts"

/** Milliseconds between one end and the next start: twice as long each time, up to half a minute. */
const GROWING = [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]
const STEADY_MILLIS = 60_000

/** A server that runs until it is told to end; no process is behind it. */
const running = (): PostgresProcess => Object.assign(new ChildProcess(), { log: [] })
const end = (server: PostgresProcess | undefined) =>
  Effect.andThen(
    Effect.sync(() => {
      if (server === undefined) return assert.fail("nothing runs")
      Object.assign(server, { exitCode: 1 })
      return server.emit("exit", 1, null)
    }),
    // What waits for its end goes on.
    TestClock.adjust(0)
  )

/** Servers that were started, and when; `failing`: not now. */
const makeWorld = () => {
  const world = { servers: new Array<PostgresProcess>(), startedAt: new Array<number>(), failing: false }
  const start = Effect.gen(function* () {
    world.startedAt.push(yield* Clock.currentTimeMillis)
    if (world.failing) return yield* new PostgresFailed({ message: "no space is left" })
    const server = running()
    world.servers.push(server)
    return server
  })
  /** How long nothing was started after an end: it is not started a millisecond before. */
  const restartedAfter = Effect.fnUntraced(function* (millis: number) {
    const before = world.startedAt.length
    yield* TestClock.adjust(millis - 1)
    assert.lengthOf(world.startedAt, before, `before ${millis} ms`)
    yield* TestClock.adjust(1)
    assert.lengthOf(world.startedAt, before + 1, `after ${millis} ms`)
  })
  return { world, start, restartedAfter }
}

describe("a PostgreSQL that ends", () => {
  it.effect("again and again is started ever more rarely, every 30 s in the end", () =>
    Effect.gen(function* () {
      const { restartedAfter, start, world } = makeWorld()
      yield* keepRunning(start)
      for (const delay of GROWING) {
        yield* end(world.servers.at(-1))
        yield* restartedAfter(delay)
      }
    })
  )

  it.effect("after it has run for a minute is started soon, however often it ended before", () =>
    Effect.gen(function* () {
      const { restartedAfter, start, world } = makeWorld()
      yield* keepRunning(start)
      for (const delay of GROWING.slice(0, 5)) {
        yield* end(world.servers.at(-1))
        yield* restartedAfter(delay)
      }
      yield* TestClock.adjust(STEADY_MILLIS)
      yield* end(world.servers.at(-1))
      yield* restartedAfter(200)
      yield* end(world.servers.at(-1))
      yield* restartedAfter(400)
    })
  )

  it.effect("and does not start again is tried as rarely, until it does", () =>
    Effect.gen(function* () {
      const { restartedAfter, start, world } = makeWorld()
      yield* keepRunning(start)
      world.failing = true
      yield* end(world.servers.at(-1))
      for (const delay of GROWING.slice(0, 4)) yield* restartedAfter(delay)
      world.failing = false
      yield* restartedAfter(3_200)
      assert.lengthOf(world.servers, 2)
      // One that runs is left alone.
      yield* TestClock.adjust(STEADY_MILLIS * 10)
      assert.lengthOf(world.servers, 2)
    })
  )

  it.effect("at its first start ends the start", () =>
    Effect.gen(function* () {
      const { start, world } = makeWorld()
      world.failing = true
      const exit = yield* Effect.exit(keepRunning(start))
      assert.isTrue(Exit.isFailure(exit))
      yield* TestClock.adjust(STEADY_MILLIS)
      assert.lengthOf(world.startedAt, 1)
    })
  )
})
