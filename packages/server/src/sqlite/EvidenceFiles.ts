// The files of the evidence index: how one is made, opened and recognised, with the cells of its rows read back with their types
// (anything else means that it is damaged), and which of a folder is served, which is a draft, and what becomes of lost ones.
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import { makePrivateFolder, PRIVATE_FILE, restrict } from "../files/PrivateFiles.ts"
import {
  EVIDENCE_FORMAT,
  SQLITE_FORMATS_SERVED,
  SQLITE_FORMATS_USED
} from "@rapport/core/search/EvidenceFormat.ts"
import { DatabaseSync, type StatementSync } from "node:sqlite"

export const tables = `
  create table about (published integer not null);
  insert into about values (0);
  create table mark (instance integer primary key, checkpoint text not null, complete integer not null, indexed_at integer not null);
  -- A removed appeal stays as its revision alone, with neither client nor subject.
  create table appeal (
    ref integer primary key, instance integer not null, id integer not null, revision integer not null,
    client integer, subject integer, operator integer, operators text not null, author integer,
    closed integer not null, created integer not null, tokens text not null,
    passages integer not null, words integer not null, passage_words integer not null);
  create unique index appeal_id on appeal (instance, id);
  create index appeal_client on appeal (instance, client, created desc, id desc) where client is not null;
  create index appeal_subject on appeal (instance, subject, created desc, id desc) where subject is not null;
  create table participation (
    instance integer not null, user integer not null, created integer not null, id integer not null, ref integer not null,
    primary key (instance, user, created desc, id desc)) without rowid;
  -- The row holds the appeal and the position (EvidenceRows.ts); the text begins with the names, so many words of the speaker.
  create table passage (
    row integer primary key, message integer, words integer not null, names integer not null, text text not null);
  -- In how many texts of an instance a word occurs.
  create table word (
    instance integer not null, stem text not null, texts integer not null, primary key (instance, stem)) without rowid;
  -- What a scope holds, for the statistics of a ranking.
  create table scope (
    token text primary key, appeals integer not null, appeal_words integer not null,
    passages integer not null, passage_words integer not null) without rowid;
  create virtual table passage_text using fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  pragma user_version = ${EVIDENCE_FORMAT};`

/** A statement prepared once; rows are arrays in the order of its columns. */
type Prepare = (sql: string) => StatementSync

/** As searches see it. */
export interface ReadFile {
  readonly path: string
  /** Identity of the file on the disk, to see that it was deleted. */
  readonly inode: number
  /** Connection for searches, which never wait for the writer. */
  readonly read: Prepare
  readonly close: () => void
}

export interface EvidenceFile extends ReadFile {
  /** It is of an older format that is served until its successor is built. */
  readonly outdated: boolean
  /** Connection of the one writer. */
  readonly write: Prepare
  readonly exec: (sql: string) => void
}

/** Throws what SQLite throws: the folder is missing or full, the file is damaged. */
export const makeEvidenceFile = (path: string): EvidenceFile => {
  removeEvidenceFile(path)
  const db = new DatabaseSync(path)
  // What SQLite lays beside it has the rights of the file itself.
  restrict(path, PRIVATE_FILE)
  try {
    db.exec(`pragma journal_mode = wal; begin; ${tables} commit`)
  } finally {
    db.close()
  }
  return connect(path)
}

/** Whether the file at `path` can be used as it is: `published`: it was active once; undefined: it cannot. */
export const openEvidenceFile = (
  path: string
): { readonly file: EvidenceFile; readonly published: boolean } | undefined => {
  const found = opened(path, connect)
  return found && { file: { ...found.file, outdated: found.outdated }, published: found.published }
}

/** The file at `path` for searches alone, where it is served. */
const openServedFile = (path: string): ReadFile | undefined => {
  const found = opened(path, connectReader)
  if (found?.published === true) return found.file
  found?.file.close()
  return undefined
}

const opened = <A extends ReadFile>(path: string, connected: (path: string) => A) => {
  let file: A | undefined
  try {
    file = connected(path)
    const format = numberAt(rowOf(file.read("pragma user_version").get()), 0)
    const published = numberAt(rowOf(file.read("select published from about").get()), 0) === 1
    const outdated = SQLITE_FORMATS_SERVED.includes(format)
    if (outdated || SQLITE_FORMATS_USED.includes(format)) return { file, outdated, published }
  } catch {
    // Not a database, not ours, or damaged where it begins: the caller makes a new one.
  }
  file?.close()
  return undefined
}

const removeEvidenceFile = (path: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) fs.rmSync(path + suffix, { force: true })
}

const connect = (path: string): EvidenceFile => {
  const writer = new DatabaseSync(path, { timeout: BUSY_MILLIS_MAX })
  const reader = connectReader(path)
  writer.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -${CACHE_KIB};
    pragma wal_autocheckpoint = ${WAL_PAGES}; pragma secure_delete = on`)
  return {
    ...reader,
    outdated: false,
    write: prepared(writer),
    exec: (sql) => writer.exec(sql),
    close: () => {
      reader.close()
      if (writer.isOpen) writer.close()
    }
  }
}

const connectReader = (path: string): ReadFile => {
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLIS_MAX })
  db.exec(`pragma cache_size = -${CACHE_KIB}`)
  return {
    path,
    inode: fs.statSync(path).ino,
    read: prepared(db),
    close: () => {
      if (db.isOpen) db.close()
    }
  }
}

const BUSY_MILLIS_MAX = 1_000
const CACHE_KIB = 16_384
// Pages written to the log before they are copied into the file: a build writes the same pages again and again.
const WAL_PAGES = 8_000
// The texts of statements are few, but a list of scopes makes some of them vary.
const STATEMENTS_MAX = 100

const prepared = (db: DatabaseSync): Prepare => {
  const statements = new BoundedMap<string, StatementSync>(STATEMENTS_MAX)
  return (sql) =>
    statements.getOrSet(sql, () => {
      const made = db.prepare(sql)
      made.setReturnArrays(true)
      return made
    })
}

/** A row as a statement with `setReturnArrays` gives it. */
export type SqliteRow = ReadonlyArray<unknown>

/** The file does not hold what was written to it. */
export class SqliteDamaged extends Error {}

/**
 * A parameter that is bound as an integer. node:sqlite binds each number of JavaScript as a floating-point one, which FTS5
 * does not take as a bound of rows: it reads all rows of a word, and SQLite compares each.
 */
export const INTEGER = "cast(? as integer)"

export const rowOf = (found: unknown): SqliteRow => {
  if (Array.isArray(found)) return found
  throw new SqliteDamaged("a row is missing")
}

export const numberAt = (row: SqliteRow, at: number): number => {
  const cell = row[at]
  if (typeof cell === "number") return cell
  throw new SqliteDamaged(`column ${at} holds no number`)
}

export const nullableNumberAt = (row: SqliteRow, at: number): number | null =>
  row[at] === null ? null : numberAt(row, at)

export const textAt = (row: SqliteRow, at: number): string => {
  const cell = row[at]
  if (typeof cell === "string") return cell
  throw new SqliteDamaged(`column ${at} holds no text`)
}

// SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOTADB.
const DAMAGED = new Set([10, 11, 14, 26])

/** True where only a new file helps; false for a full disk, a busy or a locked file. */
export const isDamage = (cause: unknown): boolean =>
  cause instanceof SqliteDamaged ||
  (cause instanceof Error &&
    "errcode" in cause &&
    typeof cause.errcode === "number" &&
    DAMAGED.has(cause.errcode & 0xff))

interface Used<File extends ReadFile> {
  readonly file: File
  /** Searches that are under way: a file that was replaced is closed after the last of them. */
  searches: number
  replaced: boolean
}

interface Opened extends Used<EvidenceFile> {
  readonly number: number
}

/** A file for one search; `release` must follow. */
export interface Lease {
  readonly file: ReadFile
  readonly release: () => void
}

const leased = (used: Used<ReadFile>): Lease => {
  used.searches++
  return {
    file: used.file,
    release: () => {
      used.searches--
      if (used.replaced && used.searches === 0) used.file.close()
    }
  }
}

/** Its connections go with the last search that reads from it. */
const leave = (used: Used<ReadFile>): void => {
  used.replaced = true
  if (used.searches === 0) used.file.close()
}

/** The same folder for a thread that only searches: it makes, publishes and deletes nothing. */
export class ServedFolder {
  readonly #folder: string
  #served: Used<ReadFile> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The served file; none: the thread that writes has to make one first. */
  lease(): Lease | undefined {
    const kept = this.#served
    if (kept !== undefined && isThere(kept)) return leased(kept)
    this.discard()
    for (const number of numbersIn(this.#folder)) {
      const file = openServedFile(pathIn(this.#folder, number))
      if (file === undefined) continue
      this.#served = { file, searches: 0, replaced: false }
      return leased(this.#served)
    }
    return undefined
  }

  /** What is damaged is opened again, or is another file by then. */
  discard(): void {
    if (this.#served !== undefined) leave(this.#served)
    this.#served = undefined
  }
}

/** Files are called evidence-<number>.sqlite; the highest that was ever published is served, one above it is the draft. */
export class EvidenceFolder {
  readonly #folder: string
  #active: Opened | undefined
  #building: Opened | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file that answers searches, made where none is there; a deleted one is noticed here. */
  active(): EvidenceFile {
    if (this.#active === undefined) this.#open()
    const kept = this.#active
    if (kept !== undefined && isThere(kept)) return kept.file
    this.#retire(kept)
    this.#active = this.#make()
    publish(this.#active)
    return this.#active.file
  }

  /** The draft, where one is under way. */
  building(): EvidenceFile | undefined {
    this.active()
    if (this.#building !== undefined && !isThere(this.#building)) this.#dropBuilding()
    return this.#building?.file
  }

  copy(name: IndexCopy): EvidenceFile | undefined {
    return name === "active" ? this.active() : this.building()
  }

  /** Replaces a copy by an empty one. */
  reset(name: IndexCopy): void {
    this.active()
    if (name === "building") {
      this.#dropBuilding()
      this.#building = this.#make()
      return
    }
    const old = this.#active
    this.#active = this.#make()
    publish(this.#active)
    this.#retire(old)
  }

  /** The draft is served from now on; without a draft nothing changes. */
  publish(): void {
    if (this.building() === undefined || this.#building === undefined) return
    publish(this.#building)
    const old = this.#active
    this.#active = this.#building
    this.#building = undefined
    this.#retire(old)
  }

  /** The served file for one search. */
  lease(): Lease {
    if (this.#active === undefined) this.active()
    return this.#active === undefined ? { file: this.active(), release: () => {} } : leased(this.#active)
  }

  /** Throws away what is damaged: both copies, since it is unknown which one it was. */
  discard(): void {
    this.#dropBuilding()
    this.#retire(this.#active)
    this.#active = undefined
  }

  close(): void {
    this.#building?.file.close()
    this.#active?.file.close()
    this.#building = undefined
    this.#active = undefined
  }

  #open(): void {
    makePrivateFolder(this.#folder)
    for (const name of fs.readdirSync(this.#folder)) restrict(path.join(this.#folder, name), PRIVATE_FILE)
    for (const number of numbersIn(this.#folder)) {
      const found = openEvidenceFile(pathIn(this.#folder, number))
      const opened =
        found === undefined ? undefined : { number, file: found.file, searches: 0, replaced: false }
      if (opened !== undefined && found?.published === true && this.#active === undefined)
        this.#active = opened
      else if (
        opened !== undefined &&
        found?.published === false &&
        // A draft of an older format would be replaced as soon as it is served.
        !opened.file.outdated &&
        this.#building === undefined &&
        this.#active === undefined
      ) {
        this.#building = opened
      } else {
        opened?.file.close()
        removeEvidenceFile(pathIn(this.#folder, number))
      }
    }
    // A file that is being built without an active one is of no use: a new one has a higher number.
    if (this.#active === undefined) this.#dropBuilding()
  }

  #make(): Opened {
    makePrivateFolder(this.#folder)
    const number =
      Math.max(0, this.#active?.number ?? 0, this.#building?.number ?? 0, ...numbersIn(this.#folder)) + 1
    return { number, file: makeEvidenceFile(pathIn(this.#folder, number)), searches: 0, replaced: false }
  }

  #dropBuilding(): void {
    this.#building?.file.close()
    if (this.#building !== undefined) removeEvidenceFile(this.#building.file.path)
    this.#building = undefined
  }

  // The file goes at once.
  #retire(old: Opened | undefined): void {
    if (old === undefined) return
    leave(old)
    removeEvidenceFile(old.file.path)
  }
}

/** Of the files that are there, the highest first. */
const numbersIn = (folder: string): ReadonlyArray<number> =>
  fs
    .readdirSync(folder)
    .flatMap((name) => /^evidence-(\d+)\.sqlite$/u.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a)

const pathIn = (folder: string, number: number): string => path.join(folder, `evidence-${number}.sqlite`)

const isThere = ({ file }: { readonly file: ReadFile }): boolean =>
  fs.statSync(file.path, { throwIfNoEntry: false })?.ino === file.inode

const publish = ({ file }: Opened): void => file.exec("update about set published = 1")
