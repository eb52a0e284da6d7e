// Searches a real file page by page: a pause after a bounded number of texts can end every search (contract §3.4).
import { assert, it } from "@effect/vitest"
import { everyDocument, type DocumentQuery } from "@rapport/core/search/DocumentIndex.ts"
import { appeal, indexCheckpoint, nothing, upsert } from "@rapport/core/testing/EvidenceFixtures.ts"
import { Effect } from "effect"
import * as path from "node:path"
import type { SQLInputValue, StatementSync } from "node:sqlite"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { EvidenceFolder, type ReadFile } from "./EvidenceFiles.ts"
import { searchEvidence } from "./EvidenceReads.ts"
import { makeVocabulary } from "./EvidenceVocabulary.ts"
import { writeChange, writeCheckpoint } from "./EvidenceWrites.ts"
import { SEARCH_TEXTS_BATCH } from "./EvidenceTexts.ts"

/** So many that a loop without a pause exceeds the rows that are allowed between two. */
const PAGES = 3

const openFile = Effect.gen(function* () {
  const at = path.join(yield* temporaryFolder, "index")
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => new EvidenceFolder(at)),
    (folder) => Effect.sync(() => folder.close())
  )
  const file = folder.active()
  file.exec("begin immediate")
  const vocabulary = makeVocabulary(file, 1)
  for (let documentId = 1; documentId <= PAGES * SEARCH_TEXTS_BATCH; documentId++) {
    const change = upsert(appeal({ documentId, texts: [`повернення коштів ${documentId}`] }))
    yield* writeChange(file, 1, change, vocabulary, Effect.void)
  }
  vocabulary.write()
  writeCheckpoint(file, indexCheckpoint(1))
  file.exec("commit")
  return file
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
const pausesOf = Effect.fnUntraced(function* (file: ReadFile, more: Partial<DocumentQuery>, last = Infinity) {
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
  const query: DocumentQuery = {
    instanceId: 1,
    scope: { _tag: "Subject", subjectId: 1 },
    visibility: everyDocument,
    query: "повернення коштів",
    from: null,
    to: null,
    limit: 5,
    passagesPerDocument: 3,
    deadline: 0,
    ...more
  }
  const result = yield* Effect.result(searchEvidence(counted, query, pause))
  return { pauses, rows: most, isLate: result._tag === "Failure" }
})

it.effect("a search of hidden texts pauses at every page and ends at the pause that fails", () =>
  Effect.gen(function* () {
    const file = yield* openFile
    for (const query of ["повернення коштів", null]) {
      const hidden = { query, visibility: nothing }
      const { isLate, pauses, rows } = yield* pausesOf(file, hidden)
      assert.isFalse(isLate)
      assert.isAtMost(rows, 2 * SEARCH_TEXTS_BATCH)
      assert.isAtLeast(pauses, PAGES)
      for (let last = 1; last <= pauses; last++)
        assert.deepInclude(yield* pausesOf(file, hidden, last), { pauses: last, isLate: true })
    }
  })
)
