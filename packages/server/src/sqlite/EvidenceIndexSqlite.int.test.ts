import { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import { assert, layer } from "@effect/vitest"
import { SEARCH_APPEALS_READ_MAX, SEARCH_TEXTS_PLAIN_MAX } from "./EvidenceMatches.ts"
import { SEARCH_ROWS_MAX } from "./EvidencePostings.ts"
import { everyDocument } from "@rapport/core/search/DocumentIndex.ts"
import {
  appeal,
  searchAppeals,
  checkpointOf,
  foundIds,
  indexCheckpoint,
  indexAppeals,
  newInstance,
  nothing,
  removal,
  upsert,
  write,
  writeAppeals
} from "@rapport/core/testing/EvidenceFixtures.ts"
import { evidenceIndexLaws } from "@rapport/core/testing/EvidenceIndexLaws.ts"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { EvidenceIndexSqlite } from "./EvidenceIndexSqlite.ts"

const temporary = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => EvidenceIndexSqlite.layer(path.join(folder, "index")))
)

evidenceIndexLaws("SQLite", temporary)

/** Appeals of subject 1, each with a common word; the first ones, long ago, with a rare one too, in subject 2's care. */
const many = Effect.fnUntraced(function* (count: number, rare: number) {
  const id = yield* newInstance
  for (let from = 1; from <= count; from += 1_000) {
    yield* writeAppeals(
      id,
      Array.from({ length: Math.min(1_000, count - from + 1) }, (_, at) => {
        const documentId = from + at
        const texts = [documentId <= rare ? "a rare and common thing" : `common thing ${documentId}`]
        return { documentId, texts, operatorIds: documentId <= rare ? [1, 7] : [1] }
      })
    )
  }
  return id
})

const oftenOne = (appealId: number): string =>
  appealId <= 3 ? "common usual" : appealId % 2 === 0 ? "common thing" : "usual thing"

const live = { excludeTestServices: true, timeout: 120_000 } as const
const subject = { _tag: "Subject", subjectId: 1 } as const

layer(temporary, live)("EvidenceIndexSqlite with very many matches", (it) => {
  it.effect("the SQLite index ranks a rare word first without ranking all matches of a common one", () =>
    Effect.gen(function* () {
      const id = yield* many(SEARCH_ROWS_MAX + 3_000, 3)
      assert.isAbove(SEARCH_ROWS_MAX, SEARCH_TEXTS_PLAIN_MAX)
      const answer = yield* searchAppeals(id, { scope: subject, query: "common rare", limit: 5 })
      assert.sameMembers(
        answer.candidates.slice(0, 3).map((one) => one.documentId),
        [1, 2, 3]
      )
      assert.deepStrictEqual([answer.candidates.length, answer.more], [5, true])
      // Only the oldest are visible: behind more hidden ones than are ever ranked.
      const few = {
        scope: subject,
        query: "common",
        visibility: { ...nothing, participantIds: [7] },
        limit: 5
      }
      const seen = yield* searchAppeals(id, few)
      assert.sameMembers(
        seen.candidates.map((one) => one.documentId),
        [1, 2, 3]
      )
      assert.isFalse(seen.more)
    })
  )

  it.effect("the SQLite index finds the oldest texts with two common words behind many with one", () =>
    Effect.gen(function* () {
      const group = { _tag: "Group", subjectIds: [1], userIds: [7] } as const
      const ofBoth = { subjectId: 1, operatorIds: [1, 7] }
      const ofSubject = { subjectId: 1, operatorIds: [1] }
      const ofMember = { subjectId: 2, operatorIds: [7] }
      const count = 3 * SEARCH_ROWS_MAX
      // Of a group neither half may be overlooked, not even where it shares no appeal with the other, larger one.
      for (const { old, rest, scopes } of [
        { old: ofBoth, rest: ofBoth, scopes: [subject, group] },
        { old: ofMember, rest: ofSubject, scopes: [group] },
        { old: ofSubject, rest: ofMember, scopes: [group] }
      ]) {
        const id = yield* newInstance
        for (let from = 1; from <= count; from += 1_000) {
          yield* writeAppeals(
            id,
            Array.from({ length: 1_000 }, (_, at) => ({
              documentId: from + at,
              texts: [oftenOne(from + at)],
              ...(from + at <= 3 ? old : rest)
            }))
          )
        }
        for (const scope of scopes) {
          const { candidates, more } = yield* searchAppeals(id, {
            scope,
            query: "common and usual",
            limit: 5
          })
          assert.sameMembers(
            candidates.slice(0, 3).map((one) => one.documentId),
            [1, 2, 3]
          )
          assert.deepStrictEqual([new Set(candidates.map((one) => one.documentId)).size, more], [5, true])
        }
      }
    })
  )

  it.effect("the SQLite index finds short texts behind many long ones with the same words", () =>
    Effect.gen(function* () {
      const count = SEARCH_APPEALS_READ_MAX - 10
      assert.isAbove(count, SEARCH_TEXTS_PLAIN_MAX)
      const long = `common thing ${Array.from({ length: 20 }, (_, at) => `word${at}`).join(" ")}`
      const id = yield* indexAppeals(
        ...Array.from({ length: count }, (_, at) => ({
          texts: [at < 3 ? "a common thing" : long],
          documentId: at + 1
        }))
      )
      const { candidates } = yield* searchAppeals(id, { scope: subject, query: "common thing", limit: 5 })
      assert.sameMembers(
        candidates.slice(0, 3).map((one) => one.documentId),
        [1, 2, 3]
      )
    })
  )

  it.effect("the SQLite index counts a word as known only where a visible text contains it", () =>
    Effect.gen(function* () {
      const mistyped = "gjdthytyyz"
      const id = yield* indexAppeals(
        { texts: ["повернення"], operatorIds: [7] },
        { texts: [mistyped], operatorIds: [7] },
        { texts: [mistyped], operatorIds: [8] }
      )
      const searchAs = (user: number) =>
        Effect.map(
          searchAppeals(id, {
            scope: subject,
            query: mistyped,
            visibility: { ...nothing, participantIds: [user] },
            limit: 5
          }),
          ({ candidates, readings }) => [
            candidates.map((one) => one.documentId),
            readings.map((one) => one.readAs)
          ]
        )
      assert.deepStrictEqual(yield* searchAs(7), [[2], []])
      yield* writeAppeals(id, [{ documentId: 2, revision: 2, texts: ["nothing"], operatorIds: [7] }])
      assert.deepStrictEqual(yield* searchAs(7), [[1], ["повернення"]])
    })
  )

  it.effect("the thread of the SQLite index refuses a search after its deadline", () =>
    Effect.gen(function* () {
      const id = yield* indexAppeals({ texts: ["common thing"] })
      // At time 0 the caller still waits. The clock of the thread is the real one.
      const search = Effect.provide(
        searchAppeals(id, { query: "common thing", deadline: 1_000 }),
        TestClock.layer()
      )
      const late = yield* Effect.flip(search)
      assert.deepInclude(late.cause, { reason: "timeout", detail: "deadline passed" })
    })
  )

  it.effect("the SQLite index answers during a long write and never shows half of a batch", () =>
    Effect.gen(function* () {
      const projection = yield* AppealProjection
      const index = yield* AppealIndex
      const id = yield* indexAppeals({ texts: ["refund"] })
      const texts = Array.from(
        { length: 5_000 },
        (_, at) => `message ${at} about a parcel and its long way here`
      )
      const step = { copy: "active", from: yield* checkpointOf(id), to: indexCheckpoint(id, "x") } as const
      const writing = yield* Effect.forkChild(
        projection.apply(step, [
          upsert(appeal({ documentId: 2, texts: ["parcel"] })),
          upsert(appeal({ documentId: 3, texts }))
        ])
      )
      let during = 0
      for (let parcels = 0; parcels === 0;) {
        parcels = (yield* searchAppeals(id, { query: "parcel" })).candidates.length
        assert.include([0, 2], parcels)
        if (parcels === 0) during++
      }
      yield* Fiber.join(writing)
      assert.isAbove(during, 1)
      assert.isTrue((yield* index.status(id)).ready)
      assert.sameMembers(yield* foundIds(id, { query: "parcel", visibility: everyDocument }), [2, 3])
    })
  )
})

layer(Layer.empty, live)("a cancelled search of the embedded index", (it) => {
  it.effect("the SQLite index stops a cancelled search and frees its thread", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporaryFolder, "index")
      let ended = 0
      const onStart = (worker: Worker) => void worker.on("message", () => ended++)
      yield* Effect.gen(function* () {
        const id = yield* many(12_000, 0)
        const small = foundIds(id, { limit: 1 })
        const hidden = { query: "common thing", visibility: nothing }
        const count = 8
        const before = ended
        const heavy = yield* Effect.forEach(Array.from({ length: count }), () =>
          Effect.forkChild(searchAppeals(id, hidden))
        )
        // The thread answers in order of its turns: the small search needs few, a heavy one many. It has begun all of them.
        assert.lengthOf(yield* small, 1)
        yield* Fiber.interruptAll(heavy)
        assert.lengthOf(yield* small, 1)
        assert.isAtLeast(ended - before, count + 2)
      }).pipe(Effect.provide(EvidenceIndexSqlite.layer(folder, onStart)))
    })
  )
})

layer(Layer.empty, live)("a purge of the embedded index that fails", (it) => {
  it.effect("a failed purge of the SQLite index is logged once and repeated until it succeeds", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporaryFolder, "index")
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const said = () => logged.filter((line) => line.includes("not purged from the embedded index"))
      yield* Effect.gen(function* () {
        const id = yield* indexAppeals({ texts: ["zqxjkcanary їжак"] })
        yield* write(id, [removal(1, 9)])
        // Another program holds the file: nothing can be written to it.
        const other = new DatabaseSync(path.join(folder, "evidence-1.sqlite"), { timeout: 5_000 })
        other.exec("pragma application_id = 1; begin immediate")
        yield* eventually(Effect.sync(said), (lines) => lines.length === 1)
        yield* Effect.sleep("3 seconds")
        assert.lengthOf(said(), 1)
        other.exec("commit")
        other.close()
        const isThere = Effect.try(() =>
          fs
            .readdirSync(folder)
            .some((name) => fs.readFileSync(path.join(folder, name)).includes("zqxjkcanary"))
        )
        yield* eventually(isThere, (there) => !there)
      }).pipe(Effect.provide(EvidenceIndexSqlite.layer(folder)), Effect.provide(Logger.layer([logger])))
    })
  )
})
