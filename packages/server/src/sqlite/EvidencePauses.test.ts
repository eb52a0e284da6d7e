// Searches a real file page by page: a pause after a bounded number of texts can end every search (contract §3.4).
import { assert, it } from "@effect/vitest"
import type { DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { indexAppeals, nothing } from "@rapport/core/testing/EvidenceFixtures.ts"
import { Effect } from "effect"
import * as path from "node:path"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { EvidenceFolder, type ReadFile } from "./EvidenceFiles.ts"
import { EvidenceIndexSqlite } from "./EvidenceIndexSqlite.ts"
import { searchEvidence } from "./EvidenceReads.ts"
import { SEARCH_TEXTS_BATCH } from "./EvidenceTexts.ts"

/** So many that a loop without a pause exceeds the rows that are allowed between two. */
const PAGES = 3

const openFile = Effect.gen(function* () {
  const at = path.join(yield* temporaryFolder, "index")
  const texts = ["повернення коштів"]
  const appeals = Array.from({ length: PAGES * SEARCH_TEXTS_BATCH }, (_, i) => ({ documentId: i + 1, texts }))
  const instanceId = yield* Effect.provide(indexAppeals(...appeals), EvidenceIndexSqlite.layer(at))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => new EvidenceFolder(at)),
    (folder) => Effect.sync(() => folder.close())
  )
  return { file: folder.active(), instanceId }
})

/** Adds the rows that a statement returns. */
const countingStatement = (statement: StatementSync, add: (rows: number) => void): StatementSync =>
  new Proxy(statement, {
    get: (_, name) => {
      if (name === "get") return statement.get.bind(statement)
      return (...values: ReadonlyArray<SQLInputValue>) => {
        const rows = statement.all(...values)
        add(rows.length)
        return rows
      }
    }
  })

/** The pauses of a search, of which the one with the number `last` fails, and the most rows that were read between two. */
const pausesOf = Effect.fnUntraced(function* (file: ReadFile, query: DocumentQuery, last = Infinity) {
  let pauses = 0
  let since = 0
  let most = 0
  const counted: ReadFile = {
    ...file,
    read: (sql) =>
      countingStatement(file.read(sql), (rows) => {
        since += rows
        most = Math.max(most, since)
      })
  }
  const pause = Effect.suspend(() => {
    since = 0
    return ++pauses === last ? Effect.fail("late" as const) : Effect.void
  })
  const result = yield* Effect.result(searchEvidence(counted, query, pause))
  return { pauses, rows: most, isLate: result._tag === "Failure" }
})

it.effect("a search of hidden texts pauses at every page and ends at the pause that fails", () =>
  Effect.gen(function* () {
    const { file, instanceId } = yield* openFile
    for (const query of ["повернення коштів", null]) {
      const hidden: DocumentQuery = {
        instanceId,
        scope: { _tag: "Subject", subjectId: 1 },
        visibility: nothing,
        query,
        from: null,
        to: null,
        limit: 5,
        passagesPerDocument: 3,
        deadline: 0
      }
      const { isLate, pauses, rows } = yield* pausesOf(file, hidden)
      assert.isFalse(isLate)
      assert.isAtMost(rows, 2 * SEARCH_TEXTS_BATCH)
      assert.isAtLeast(pauses, PAGES)
      for (let last = 1; last <= pauses; last++)
        assert.deepInclude(yield* pausesOf(file, hidden, last), { pauses: last, isLate: true })
    }
  })
)
