// Writes documents into a SQLite evidence index; only changed passages are rewritten.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import type { IndexCheckpoint } from "@rapport/core/search/IndexCheckpoint.ts"
import { countedText, type Passage, passagesOf } from "@rapport/core/search/text/Words.ts"
import { Effect } from "effect"
import {
  type EvidenceFile,
  nullableNumberAt,
  numberAt,
  rowOf,
  SqliteDamaged,
  type SqliteRow,
  textAt
} from "./EvidenceFiles.ts"
import { indexedWords, positionOf, rowAt, scopesOf, stemsIn, usersOf } from "./EvidenceRows.ts"
import type { EvidenceVocabulary } from "./EvidenceVocabulary.ts"

const marks = "select instance, checkpoint, complete, indexed_at from mark"

const checkpointIn = (row: SqliteRow): IndexCheckpoint => ({
  instanceId: numberAt(row, 0),
  checkpoint: textAt(row, 1),
  complete: numberAt(row, 2) === 1,
  indexedAt: numberAt(row, 3)
})

export const readCheckpoints = (file: EvidenceFile): ReadonlyArray<IndexCheckpoint> =>
  file.write(`${marks} order by instance`).all().map(rowOf).map(checkpointIn)

/** `prepare` is that of the reader or of the writer. */
export const checkpointOf = (
  prepare: EvidenceFile["read"],
  instance: number
): IndexCheckpoint | undefined => {
  const found = prepare(`${marks} where instance = ?`).get(instance)
  return found === undefined ? undefined : checkpointIn(rowOf(found))
}

/** A smaller instance has few segments. */
const LARGE_APPEALS_MIN = 5_000

export const isLarge = (file: EvidenceFile, instance: number): boolean => {
  const found = file
    .write("select count(*) from (select 1 from appeal where instance = ? limit ?)")
    .get(instance, LARGE_APPEALS_MIN)
  return numberAt(rowOf(found), 0) === LARGE_APPEALS_MIN
}

export const writeCheckpoint = (file: EvidenceFile, mark: IndexCheckpoint): void => {
  file
    .write("insert or replace into mark (instance, checkpoint, complete, indexed_at) values (?, ?, ?, ?)")
    .run(mark.instanceId, mark.checkpoint, mark.complete ? 1 : 0, mark.indexedAt)
}

interface StoredAppeal {
  readonly ref: number
  readonly tokens: string
  readonly passages: number
  readonly words: number
  readonly passageWords: number
}

/** Writes one change unless a newer one is stored; in the caller's transaction. Pauses between passages. */
export const writeChange = Effect.fnUntraced(function* (
  file: EvidenceFile,
  instance: number,
  change: DocumentChange,
  vocabulary: EvidenceVocabulary,
  pause: Effect.Effect<void>
) {
  const { documentId: id, revision } = change._tag === "Upsert" ? change.document : change
  const found = file
    .write(
      "select ref, revision, tokens, passages, words, passage_words from appeal where instance = ? and id = ?"
    )
    .get(instance, id)
  const row = found === undefined ? undefined : rowOf(found)
  if (row !== undefined && numberAt(row, 1) > revision) return
  const stored = row === undefined ? newAppeal(file, instance, id) : storedOf(row)
  const document = change._tag === "Upsert" ? change.document : undefined
  const made = document === undefined ? { passages: [], words: 0 } : passagesOf(document)
  const scopes = document === undefined ? [] : scopesOf(instance, document)
  const tokens = scopes.join(" ")
  const rows = passageRows(file, stored.ref)
  const target = { file, ref: stored.ref, scopes, moved: tokens !== stored.tokens, vocabulary }
  for (let at = 0; at < Math.max(rows.length, made.passages.length); at++) {
    if (at % PASSAGES_BATCH === PASSAGES_BATCH - 1) yield* pause
    writePassage(target, rows[at], made.passages[at])
  }
  const sums = {
    tokens,
    passages: made.passages.length,
    words: made.words,
    passageWords: made.passages.reduce((sum, passage) => sum + passage.words, 0)
  }
  countScopes(file, stored, sums)
  writeAppeal(file, stored.ref, instance, id, revision, document, sums)
})

/** Rows between two pauses. */
const PASSAGES_BATCH = 256

const storedOf = (row: SqliteRow): StoredAppeal => ({
  ref: numberAt(row, 0),
  tokens: textAt(row, 2),
  passages: numberAt(row, 3),
  words: numberAt(row, 4),
  passageWords: numberAt(row, 5)
})

const newAppeal = (file: EvidenceFile, instance: number, id: number): StoredAppeal => {
  const { lastInsertRowid } = file
    .write(
      `insert into appeal (instance, id, revision, operators, closed, created, tokens, passages, words, passage_words)
       values (?, ?, -1, '[]', 0, 0, '', 0, 0, 0)`
    )
    .run(instance, id)
  return { ref: Number(lastInsertRowid), tokens: "", passages: 0, words: 0, passageWords: 0 }
}

interface PassageRow {
  readonly row: number
  readonly message: number | null
  readonly words: number
  readonly names: number
  readonly text: string
}

const passageRows = (file: EvidenceFile, ref: number): ReadonlyArray<PassageRow> =>
  file
    .write("select row, message, words, names, text from passage where row >= ? and row < ? order by row")
    .all(rowAt(ref, 0), rowAt(ref + 1, 0))
    .map((found, at) => {
      const row = rowOf(found)
      if (positionOf(numberAt(row, 0)) !== at) throw new SqliteDamaged("a text is missing")
      return {
        row: numberAt(row, 0),
        message: nullableNumberAt(row, 1),
        words: numberAt(row, 2),
        names: numberAt(row, 3),
        text: textAt(row, 4)
      }
    })

/** The appeal whose passages are written. */
interface PassageTarget {
  readonly file: EvidenceFile
  readonly ref: number
  readonly scopes: ReadonlyArray<string>
  /** Its scopes have changed. */
  readonly moved: boolean
  readonly vocabulary: EvidenceVocabulary
}

const writePassage = (
  { file, moved, ref, scopes, vocabulary }: PassageTarget,
  old: PassageRow | undefined,
  made: Passage | undefined
): void => {
  const text = made === undefined ? undefined : countedText(made)
  const names = made?.speaker.length ?? 0
  const same = old !== undefined && text === old.text && names === old.names
  if (old !== undefined && (!same || moved)) {
    file.write("delete from passage_text where rowid = ?").run(old.row)
  }
  if (old !== undefined && !same) vocabulary.removed(old.text, old.names)
  if (made === undefined || text === undefined) {
    if (old !== undefined) file.write("delete from passage where row = ?").run(old.row)
    return
  }
  const row = rowAt(ref, made.position)
  if (!same || old.message !== made.messageId || old.words !== made.words) {
    file
      .write("insert or replace into passage (row, message, words, names, text) values (?, ?, ?, ?, ?)")
      .run(row, made.messageId, made.words, names, text)
  }
  if (!same) vocabulary.added(stemsIn(made.text))
  if (!same || moved) {
    file
      .write("insert into passage_text (rowid, words) values (?, ?)")
      .run(row, indexedWords(scopes, made.text))
  }
}

type Sums = Omit<StoredAppeal, "ref">

const countScopes = (file: EvidenceFile, before: Sums, after: Sums): void => {
  const same =
    before.tokens === after.tokens &&
    before.passages === after.passages &&
    before.words === after.words &&
    before.passageWords === after.passageWords
  if (same) return
  for (const [sums, sign] of [
    [before, -1],
    [after, 1]
  ] as const) {
    if (sums.passages === 0) continue
    for (const token of sums.tokens.split(" ")) {
      file
        .write(
          `insert into scope (token, appeals, appeal_words, passages, passage_words) values (?, ?, ?, ?, ?)
           on conflict (token) do update set appeals = appeals + excluded.appeals,
             appeal_words = appeal_words + excluded.appeal_words, passages = passages + excluded.passages,
             passage_words = passage_words + excluded.passage_words`
        )
        .run(token, sign, sign * sums.words, sign * sums.passages, sign * sums.passageWords)
    }
  }
}

const writeAppeal = (
  file: EvidenceFile,
  ref: number,
  instance: number,
  id: number,
  revision: number,
  document: IndexedDocument | undefined,
  sums: Sums
): void => {
  const before = rowOf(file.write("select operators, created from appeal where ref = ?").get(ref))
  const operators = document?.operatorIds ?? []
  const created = document?.createdAt ?? 0
  if (textAt(before, 0) !== JSON.stringify(operators) || numberAt(before, 1) !== created) {
    for (const user of usersOf(textAt(before, 0))) {
      file
        .write("delete from participation where instance = ? and user = ? and created = ? and id = ?")
        .run(instance, user, numberAt(before, 1), id)
    }
    for (const user of new Set(operators)) {
      file
        .write("insert into participation (instance, user, created, id, ref) values (?, ?, ?, ?, ?)")
        .run(instance, user, created, id, ref)
    }
  }
  file
    .write(
      `update appeal set revision = ?, client = ?, subject = ?, operator = ?, operators = ?, author = ?, closed = ?,
         created = ?, tokens = ?, passages = ?, words = ?, passage_words = ? where ref = ?`
    )
    .run(
      revision,
      document?.clientId ?? null,
      document?.subjectId ?? null,
      document?.operatorId ?? null,
      JSON.stringify(operators),
      document?.authorId ?? null,
      document?.closed === true ? 1 : 0,
      created,
      sums.tokens,
      sums.passages,
      sums.words,
      sums.passageWords,
      ref
    )
}
