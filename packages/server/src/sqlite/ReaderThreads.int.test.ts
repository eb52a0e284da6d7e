// Reader threads on a real index: each finds a write immediately, also after the file is replaced.
import { assert, layer } from "@effect/vitest"
import { type AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import {
  searchAppeals,
  foundIds,
  indexAppeals,
  removal,
  write,
  writeAppeals
} from "@rapport/core/testing/EvidenceFixtures.ts"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Worker } from "node:worker_threads"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { EvidenceIndexSqlite } from "./EvidenceIndexSqlite.ts"

const live = { excludeTestServices: true, timeout: 60_000 } as const
const CONCURRENCY = 8

/** An index with one more thread, its folder, and what its threads have answered. */
const withReader = Effect.fnUntraced(function* <A, E>(
  body: (index: {
    readonly folder: string
    readonly workers: ReadonlyArray<Worker>
    readonly answered: () => number
  }) => Effect.Effect<A, E, AppealIndex | AppealProjection>
) {
  const folder = path.join(yield* temporaryFolder, "index")
  const workers: Array<Worker> = []
  let answered = 0
  const onStart = (worker: Worker, role: "writer" | "reader") => {
    if (role === "writer") return
    workers.push(worker)
    worker.on("message", () => answered++)
  }
  const index = EvidenceIndexSqlite.layer(folder, { readersMax: 1, onStart })
  return yield* Effect.provide(body({ folder, workers, answered: () => answered }), index, { local: true })
})

/** The results of concurrent searches; another thread, once started, answers half of them. */
const foundByAll = (instanceId: number, query: string) =>
  Effect.forEach(Array.from({ length: CONCURRENCY }), () => foundIds(instanceId, { query }), {
    concurrency: "unbounded"
  })

/** Searches until the other thread has answered. */
const readerAnswers = Effect.fnUntraced(function* (instanceId: number, answered: () => number) {
  const before = answered()
  // The first message of the thread reports that it has started.
  yield* eventually(Effect.as(foundByAll(instanceId, "посилка"), answered), (count) => count() > before + 2)
})
const everyone = (ids: ReadonlyArray<number>) => Array.from({ length: CONCURRENCY }, () => ids)

layer(Layer.empty, live)("threads that only search", (it) => {
  it.effect("reader threads find written appeals and no removed ones immediately", () =>
    withReader(
      Effect.fnUntraced(function* ({ answered }) {
        const id = yield* indexAppeals({ texts: ["де моя посилка"] })
        yield* readerAnswers(id, answered)
        for (let other = 2; other <= 20; other++) {
          yield* writeAppeals(id, [{ documentId: other, texts: [`посылка parcel word${other}`] }])
          const before = answered()
          assert.deepStrictEqual(yield* foundByAll(id, `word${other}`), everyone([other]))
          assert.isAbove(answered(), before)
          yield* write(id, [removal(other, 2)])
          assert.deepStrictEqual(yield* foundByAll(id, `word${other}`), everyone([]))
        }
      })
    )
  )

  it.effect("reader threads search the published file, also after a deleted one", () =>
    withReader(
      Effect.fnUntraced(function* ({ answered, folder }) {
        const projection = yield* AppealProjection
        const id = yield* indexAppeals({ texts: ["посилка"] })
        yield* readerAnswers(id, answered)
        yield* projection.reset("building")
        yield* writeAppeals(id, [{ documentId: 2, texts: ["посилка"] }], "building")
        assert.deepStrictEqual(yield* foundByAll(id, "посилка"), everyone([1]))
        yield* projection.publish
        assert.deepStrictEqual(yield* foundByAll(id, "посилка"), everyone([2]))
        yield* projection.reset("active")
        assert.strictEqual((yield* Effect.flip(foundByAll(id, "посилка"))).reason, "search_index_not_ready")
        yield* writeAppeals(id, [{ documentId: 3, texts: ["посилка"] }])
        assert.deepStrictEqual(yield* foundByAll(id, "посилка"), everyone([3]))
        yield* readerAnswers(id, answered)
        for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name))
        // The thread that writes makes a new one when it looks there.
        yield* projection.checkpoints("active")
        assert.strictEqual((yield* Effect.flip(foundByAll(id, "посилка"))).reason, "search_index_not_ready")
        yield* writeAppeals(id, [{ documentId: 4, texts: ["посилка"] }])
        assert.deepStrictEqual(yield* foundByAll(id, "посилка"), everyone([4]))
      })
    )
  )

  it.effect("reader threads lose no search when one of them dies", () =>
    withReader(
      Effect.fnUntraced(function* ({ answered, workers }) {
        const id = yield* indexAppeals({ texts: ["посилка не прийшла"] })
        yield* readerAnswers(id, answered)
        const searches = foundByAll(id, "посилка")
        const [answers] = yield* Effect.all(
          [searches, Effect.promise(async () => workers.at(-1)?.terminate())],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers, everyone([1]))
        assert.deepStrictEqual(yield* foundByAll(id, "посилка"), everyone([1]))
        assert.isTrue((yield* searchAppeals(id, { query: "посилка" })).candidates.length === 1)
      })
    )
  )
})
