// A context read of a real process while its database and its embedded index are killed or broken.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { postgresPids } from "../testing/StoppedPostgres.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const TIMEOUT_MILLIS = 500

const read = Effect.fnUntraced(function* (allowPartial: boolean, timeoutMs = TIMEOUT_MILLIS) {
  const { send } = yield* RunningServer
  const { body, status } = yield* send({
    login: "operator",
    path: "/kw/chatrooms/context/retrieve",
    body: {
      scope: { entity: "client", id: 501 },
      targets: ["relevant_appeals"],
      query: "рахунок",
      timeoutMs,
      allowPartial
    }
  })
  const evidence = body.sections?.evidence
  return {
    allowPartial,
    status,
    reason: body.reason,
    evidence: evidence?.status,
    appealIds: (evidence?.appeals ?? []).map(({ appealId }: { appealId: number }) => appealId)
  }
})
type Read = Effect.Success<ReturnType<typeof read>>

/** Reads with and without allowPartial alternately until a read without it is complete. Returns all answers. */
const untilWhole = Effect.gen(function* () {
  const seen: Array<Read> = []
  yield* Effect.gen(function* () {
    seen.push(yield* read(true))
    const strict = yield* read(false)
    seen.push(strict)
    return strict.status
  }).pipe(Effect.repeat({ until: (status) => status === 200, schedule: Schedule.spaced("50 millis") }))
  return seen
})

/** A read with everything in it; a start does not wait for its index. */
const whole = Effect.gen(function* () {
  yield* untilWhole
  const found = yield* read(false, 5_000)
  assert.deepInclude(found, { status: 200, evidence: "available" })
  assert.isNotEmpty(found.appealIds)
  return found
})

const indexFiles = Effect.map(PreparedFolder, ({ path: folder }) =>
  fs.readdirSync(path.join(folder, "index")).map((name) => path.join(folder, "index", name))
)

/** Without its index, a read is refused, or with allowPartial has no evidence; its other sections are complete. */
const checkWithoutIndex = (seen: ReadonlyArray<Read>, whole: Read) => {
  for (const one of seen) {
    if (one.status !== 200) {
      assert.strictEqual(one.status, 503)
      assert.include(["search_index_not_ready", "search_index_unavailable", "timeout"], one.reason)
    } else if (one.evidence === "unavailable") {
      assert.isTrue(one.allowPartial)
    } else {
      assert.deepInclude(one, { evidence: "available", appealIds: whole.appealIds })
    }
  }
}

layer(Layer.merge(ServerFixtures.running(), PostgresFixtures.smallFolder), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("a context read in bad times (contract §3.4)", (it) => {
  it.effect("a killed PostgreSQL gives 503, never 401, and reads recover without a restart", () =>
    Effect.gen(function* () {
      const before = yield* whole
      const [postmaster = 0] = yield* postgresPids
      process.kill(postmaster, "SIGKILL")
      const first = yield* read(true)
      assert.deepInclude(first, { status: 503, reason: "database_unavailable" })
      // An unreachable database may have been restored, so its evidence waits until the index has compared the two.
      for (const { reason, status } of yield* untilWhole) {
        if (status !== 200)
          assert.include(["database_unavailable", "timeout", "search_index_not_ready"], reason)
      }
      assert.deepStrictEqual((yield* whole).appealIds, before.appealIds)
    })
  )

  it.effect("an index whose files are damaged is reported and rebuilt", () =>
    Effect.gen(function* () {
      const before = yield* whole
      for (const file of yield* indexFiles) {
        const garbage = randomBytes(Math.min(200_000, fs.statSync(file).size))
        const handle = fs.openSync(file, "r+")
        fs.writeSync(handle, garbage)
        fs.closeSync(handle)
      }
      checkWithoutIndex(yield* untilWhole, before)
      assert.deepStrictEqual((yield* whole).appealIds, before.appealIds)
    })
  )
})
