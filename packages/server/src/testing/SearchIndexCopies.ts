// Multiplies the first instance of an embedded index as SearchData.ts multiplies its rows. Words of a text are computed once and
// copied in SQLite: projecting a million appeals would take an hour.
import { STEM_UNITS_MAX } from "@rapport/core/search/SearchLimits.ts"
import { stem, stemOf } from "@rapport/core/search/text/Words.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { indexedWords, POSITIONS, saidText } from "../sqlite/EvidenceRows.ts"
import { numberAt, rowOf, textAt } from "../sqlite/EvidenceFiles.ts"

/** The distance between ids and times of two copies. */
export interface Apart {
  readonly appeals: number
  readonly clients: number
  readonly messages: number
  readonly millis: number
}

/** FTS5 settings for a bulk load, and its defaults. */
const bulk = { hashsize: 256 * 1024 * 1024, automerge: 0, crisismerge: 1_000 }
const usual = { hashsize: 1024 * 1024, automerge: 4, crisismerge: 16 }

/** `folder` has a complete index that no process has open. */
export const multiplyIndex = (folder: string, times: number, apart: Apart): void => {
  const name = fs.readdirSync(folder).find((one) => /^evidence-\d+\.sqlite$/u.test(one))
  if (name === undefined) throw new Error(`${folder} holds no index`)
  const db = new DatabaseSync(path.join(folder, name))
  const configure = (values: Readonly<Record<string, number>>) => {
    for (const [key, value] of Object.entries(values))
      db.exec(`insert into passage_text (passage_text, rank) values ('${key}', ${value})`)
  }
  // A half-written index is useless, so it needs no journal.
  db.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000; begin")
  configure(bulk)
  makeWords(db)
  const refs = numberAt(valuesOf(db, "select max(ref) + 1 from appeal"), 0)
  for (let copy = 1; copy < times; copy++) copyOnce(db, copy, copy * refs, apart)
  db.exec(`update scope set appeals = appeals * ${times}, appeal_words = appeal_words * ${times},
      passages = passages * ${times}, passage_words = passage_words * ${times}
    where token like '1s%' or token like '1u%';
    update word set texts = texts * ${times} where instance = 1`)
  db.exec("insert into passage_text (passage_text) values ('optimize')")
  configure(usual)
  db.exec("commit; drop table temp.said; pragma journal_mode = wal")
  db.close()
}

const valuesOf = (db: DatabaseSync, sql: string) => {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return rowOf(statement.get())
}

/** The indexed words of each text of the first instance, without its client. */
const makeWords = (db: DatabaseSync): void => {
  db.exec("create temp table said (row integer primary key, client integer not null, words text not null)")
  const texts = db.prepare(`select p.row, p.names, p.text, a.client, a.tokens
    from passage p join appeal a on a.ref = p.row / ${POSITIONS} where a.instance = 1 and a.client is not null`)
  texts.setReturnArrays(true)
  const insert = db.prepare("insert into temp.said values (?, ?, ?)")
  for (const found of texts.iterate()) {
    const row = rowOf(found)
    const words = saidText(textAt(row, 2), numberAt(row, 1))
      .split(" ")
      .filter((word) => word !== "")
      .map((folded) => ({
        folded,
        // Folding may lengthen a word; it is not cut again.
        stem: folded.length > STEM_UNITS_MAX ? stemOf(folded) : stem(folded)
      }))
    const [, ...scopes] = textAt(row, 4).split(" ")
    insert.run(numberAt(row, 0), numberAt(row, 3), indexedWords(["", ...scopes], words))
  }
}

const copyOnce = (db: DatabaseSync, copy: number, refs: number, apart: Apart): void => {
  const [appeals, clients, messages, millis] = [
    copy * apart.appeals,
    copy * apart.clients,
    copy * apart.messages,
    copy * apart.millis
  ]
  const rows = refs * POSITIONS
  db.exec(`insert into appeal
      select ref + ${refs}, instance, id + ${appeals}, revision, client + ${clients}, subject, operator, operators, author, closed,
        created + ${millis}, '1c' || (client + ${clients}) || substr(tokens, instr(tokens, ' ')), passages, words, passage_words
      from appeal where instance = 1 and id < ${apart.appeals} and client is not null;
    insert into participation select instance, user, created + ${millis}, id + ${appeals}, ref + ${refs}
      from participation where instance = 1 and id < ${apart.appeals};
    insert into scope select '1c' || (cast(substr(token, 3) as integer) + ${clients}), appeals, appeal_words, passages, passage_words
      from scope where token like '1c%' and cast(substr(token, 3) as integer) < ${apart.clients};
    insert into passage select p.row + ${rows}, p.message + ${messages}, p.words, p.names, p.text
      from temp.said s join passage p on p.row = s.row;
    insert into passage_text (rowid, words) select row + ${rows}, '1c' || (client + ${clients}) || words from temp.said order by row`)
}
