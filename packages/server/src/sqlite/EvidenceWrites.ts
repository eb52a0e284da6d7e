// The writing half of the SQLite evidence index: whole appeals in, of which only what changed is rewritten.
import type { DocumentChange, IndexedDocument } from "@rapport/core/search/DocumentProjection.ts"
import type { IndexCheckpoint } from "@rapport/core/search/IndexCheckpoint.ts"
import { countedText, familiesIn, type Passage, passagesOf } from "@rapport/core/search/text/Passages.ts"
import { Effect } from "effect"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { nullableNumberAt, numberAt, rowOf, type SqliteRow, textAt } from "./SqliteRow.ts"

/** The scopes that a query may ask for, as words of the full text index. */
export const scopeToken = {
  client: (instance: number, id: number) => `i${instance}c${id}`,
  subject: (instance: number, id: number) => `i${instance}s${id}`,
  participant: (instance: number, id: number) => `i${instance}u${id}`
}

export const readMarks = (file: EvidenceFile): Array<IndexCheckpoint> =>
  file
    .write("select instance, checkpoint, complete, indexed_at from mark order by instance")
    .all()
    .map((found) => {
      const row = rowOf(found)
      return {
        instanceId: numberAt(row, 0),
        checkpoint: textAt(row, 1),
        complete: numberAt(row, 2) === 1,
        indexedAt: numberAt(row, 3)
      }
    })

export const checkpointAt = (file: EvidenceFile, instance: number): string | null => {
  const found = file.write("select checkpoint from mark where instance = ?").get(instance)
  return found === undefined ? null : textAt(rowOf(found), 0)
}

export const writeMark = (file: EvidenceFile, mark: IndexCheckpoint): void => {
  file
    .write("insert or replace into mark (instance, checkpoint, complete, indexed_at) values (?, ?, ?, ?)")
    .run(mark.instanceId, mark.checkpoint, mark.complete ? 1 : 0, mark.indexedAt)
}

interface Kept {
  readonly ref: number
  readonly tokens: string
  readonly passages: number
  readonly words: number
  readonly passageWords: number
}

/** Writes one change unless a newer one is there; inside a transaction of the caller. Gives way between passages. */
export const writeChange = Effect.fnUntraced(function* (
  file: EvidenceFile,
  instance: number,
  change: DocumentChange,
  pause: Effect.Effect<void>
) {
  const [id, revision] =
    change._tag === "Upsert"
      ? [change.document.documentId, change.document.revision]
      : [change.documentId, change.revision]
  const found = file
    .write(
      "select ref, revision, tokens, passages, words, passage_words from appeal where instance = ? and id = ?"
    )
    .get(instance, id)
  const row = found === undefined ? undefined : rowOf(found)
  if (row !== undefined && numberAt(row, 1) > revision) return
  const kept = row === undefined ? newAppeal(file, instance, id) : keptOf(row)
  const document = change._tag === "Upsert" ? change.document : undefined
  const made = document === undefined ? { passages: [], words: 0 } : passagesOf(document)
  const tokens = document === undefined ? "" : tokensOf(instance, document).join(" ")
  const rows = passageRows(file, kept.ref)
  for (let at = 0; at < Math.max(rows.length, made.passages.length); at++) {
    if (at % PASSAGES_AT_ONCE === PASSAGES_AT_ONCE - 1) yield* pause
    writePassage(file, kept.ref, tokens, tokens !== kept.tokens, rows[at], made.passages[at])
  }
  const sums = {
    tokens,
    passages: made.passages.length,
    words: made.words,
    passageWords: made.passages.reduce((sum, passage) => sum + passage.words, 0)
  }
  countScopes(file, kept, sums)
  writeAppeal(file, kept.ref, instance, id, revision, document, sums)
})

/** Rows written or compared before other work of the thread is let in. */
const PASSAGES_AT_ONCE = 256

const keptOf = (row: SqliteRow): Kept => ({
  ref: numberAt(row, 0),
  tokens: textAt(row, 2),
  passages: numberAt(row, 3),
  words: numberAt(row, 4),
  passageWords: numberAt(row, 5)
})

const newAppeal = (file: EvidenceFile, instance: number, id: number): Kept => {
  const { lastInsertRowid } = file
    .write(
      `insert into appeal (instance, id, revision, operators, closed, created, tokens, passages, words, passage_words)
       values (?, ?, -1, '[]', 0, 0, '', 0, 0, 0)`
    )
    .run(instance, id)
  return { ref: Number(lastInsertRowid), tokens: "", passages: 0, words: 0, passageWords: 0 }
}

const tokensOf = (instance: number, document: IndexedDocument): ReadonlyArray<string> => [
  scopeToken.client(instance, document.clientId),
  ...(document.subjectId === null ? [] : [scopeToken.subject(instance, document.subjectId)]),
  ...document.operatorIds.map((id) => scopeToken.participant(instance, id))
]

interface PassageRow {
  readonly row: number
  readonly message: number | null
  readonly words: number
  readonly text: string
}

const passageRows = (file: EvidenceFile, ref: number): ReadonlyArray<PassageRow> =>
  file
    .write("select row, message, words, text from passage where ref = ? order by position")
    .all(ref)
    .map((found) => {
      const row = rowOf(found)
      return {
        row: numberAt(row, 0),
        message: nullableNumberAt(row, 1),
        words: numberAt(row, 2),
        text: textAt(row, 3)
      }
    })

const writePassage = (
  file: EvidenceFile,
  ref: number,
  tokens: string,
  moved: boolean,
  old: PassageRow | undefined,
  made: Passage | undefined
): void => {
  if (made === undefined) {
    if (old === undefined) return
    file.write("delete from passage_text where rowid = ?").run(old.row)
    file.write("delete from passage where row = ?").run(old.row)
    return
  }
  const text = countedText(made)
  const find = (row: number | bigint) =>
    file
      .write("insert into passage_text (rowid, stems, families, scope) values (?, ?, ?, ?)")
      .run(row, made.text.map(({ stem }) => stem).join(" "), [...familiesIn(made.text)].join(" "), tokens)
  if (old === undefined) {
    const { lastInsertRowid } = file
      .write("insert into passage (ref, position, message, words, text) values (?, ?, ?, ?, ?)")
      .run(ref, made.position, made.messageId, made.words, text)
    find(lastInsertRowid)
    return
  }
  const same = old.message === made.messageId && old.text === text
  if (!same || old.words !== made.words) {
    file
      .write("update passage set message = ?, words = ?, text = ? where row = ?")
      .run(made.messageId, made.words, text, old.row)
  }
  if (!same || moved) {
    file.write("delete from passage_text where rowid = ?").run(old.row)
    find(old.row)
  }
}

type Sums = Omit<Kept, "ref">

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

/** Participants as they are in the column `operators`. */
export const usersOf = (operators: string): ReadonlyArray<number> =>
  operators === "[]" ? [] : operators.slice(1, -1).split(",").map(Number)
