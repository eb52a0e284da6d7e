// The SQLite files of an evidence index.
import type { IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { BoundedMap } from "@rapport/core/values/BoundedMap.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import { makePrivateFolder, PRIVATE_FILE, restrict } from "../files/PrivateFiles.ts"
import { EVIDENCE_FORMAT, SQLITE_FORMATS_READABLE } from "@rapport/core/search/EvidenceFormat.ts"
import { DatabaseSync, type StatementSync } from "node:sqlite"

export const tables = `
  create table about (published integer not null);
  insert into about values (0);
  create table mark (instance integer primary key, checkpoint text not null, complete integer not null, indexed_at integer not null);
  -- Of a removed appeal only the revision stays, with neither client nor subject.
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
  -- The row encodes appeal and position (EvidenceRows.ts); the first (names) words of the text name the speaker.
  create table passage (
    row integer primary key, message integer, words integer not null, names integer not null, text text not null);
  -- The number of texts of an instance in which a word occurs.
  create table word (
    instance integer not null, stem text not null, texts integer not null, primary key (instance, stem)) without rowid;
  -- Sums of a scope, for the statistics of a ranking.
  create table scope (
    token text primary key, appeals integer not null, appeal_words integer not null,
    passages integer not null, passage_words integer not null) without rowid;
  create virtual table passage_text using fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');
  pragma user_version = ${EVIDENCE_FORMAT};`

/** Prepares a statement once; rows are arrays in the order of the columns. */
type Prepare = (sql: string) => StatementSync

export interface EvidenceFile {
  readonly path: string
  /** Inode of the file, by which a deletion is noticed. */
  readonly inode: number
  /** It has an older format and answers until its successor is built. */
  readonly outdated: boolean
  /** Connection for searches: it never waits for the writer, and sees only committed batches. */
  readonly read: Prepare
  /** Begins a search, and returns the function that ends it. */
  readonly search: () => () => void
  /** Connection of the only writer. */
  readonly write: Prepare
  readonly exec: (sql: string) => void
  /** Closes the file after the last search that reads from it. */
  readonly close: () => void
}

/** What a search needs of a file. */
export type ReadFile = Pick<EvidenceFile, "read">

/** Creates a file. Throws the errors of SQLite, for example for a full disk. */
export const makeEvidenceFile = (path: string): EvidenceFile => {
  removeEvidenceFile(path)
  const db = new DatabaseSync(path)
  // SQLite creates its -wal and -shm files with the same rights.
  restrict(path, PRIVATE_FILE)
  try {
    db.exec(`pragma journal_mode = wal; begin; ${tables} commit`)
  } finally {
    db.close()
  }
  return connect(path)
}

/** Opens the file at `path`; `published`: it has been active; undefined: it is unusable. */
const openEvidenceFile = (
  path: string
): { readonly file: EvidenceFile; readonly published: boolean } | undefined => {
  let file: EvidenceFile | undefined
  try {
    file = connect(path)
    const format = numberAt(rowOf(file.read("pragma user_version").get()), 0)
    const published = numberAt(rowOf(file.read("select published from about").get()), 0) === 1
    const outdated = SQLITE_FORMATS_READABLE.includes(format)
    if (outdated || format === EVIDENCE_FORMAT) return { file: { ...file, outdated }, published }
  } catch {
    // Not an index file, or damaged: the caller creates a new one.
  }
  file?.close()
  return undefined
}

const removeEvidenceFile = (path: string): void => {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) fs.rmSync(path + suffix, { force: true })
}

const connect = (path: string): EvidenceFile => {
  const writer = new DatabaseSync(path, { timeout: BUSY_MILLIS_MAX })
  const reader = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MILLIS_MAX })
  reader.exec(`pragma cache_size = -${CACHE_KIB}`)
  writer.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -${CACHE_KIB};
    pragma wal_autocheckpoint = ${WAL_PAGES}; pragma secure_delete = on`)
  let searches = 0
  let isClosing = false
  const closeReader = () => {
    if (isClosing && searches === 0 && reader.isOpen) reader.close()
  }
  return {
    path,
    inode: fs.statSync(path).ino,
    outdated: false,
    read: makePrepare(reader),
    search: () => {
      searches++
      return () => {
        searches--
        closeReader()
      }
    },
    write: makePrepare(writer),
    exec: (sql) => writer.exec(sql),
    close: () => {
      isClosing = true
      closeReader()
      if (writer.isOpen) writer.close()
    }
  }
}

const BUSY_MILLIS_MAX = 1_000
const CACHE_KIB = 16_384
// Pages of the log before a checkpoint. A high number, because a build writes the same pages many times.
const WAL_PAGES = 8_000
// Few statements vary: only those with a list of scopes.
const STATEMENTS_MAX = 100

const makePrepare = (db: DatabaseSync): Prepare => {
  const statements = new BoundedMap<string, StatementSync>(STATEMENTS_MAX)
  return (sql) =>
    statements.getOrSet(sql, () => {
      const made = db.prepare(sql)
      made.setReturnArrays(true)
      return made
    })
}

/** A row of a statement with `setReturnArrays`. */
export type SqliteRow = ReadonlyArray<unknown>

/** The file does not contain what was written. */
export class SqliteDamaged extends Error {}

/**
 * A parameter bound as an integer. node:sqlite binds numbers as floating-point, which FTS5 does not use as a bound of rowids:
 * it would read all rows of a word.
 */
export const INTEGER = "cast(? as integer)"

export const rowOf = (found: unknown): SqliteRow => {
  if (Array.isArray(found)) return found
  throw new SqliteDamaged("a row is missing")
}

export const numberAt = (row: SqliteRow, at: number): number => {
  const cell = row[at]
  if (typeof cell === "number") return cell
  throw new SqliteDamaged(`column ${at} is not a number`)
}

export const nullableNumberAt = (row: SqliteRow, at: number): number | null =>
  row[at] === null ? null : numberAt(row, at)

export const textAt = (row: SqliteRow, at: number): string => {
  const cell = row[at]
  if (typeof cell === "string") return cell
  throw new SqliteDamaged(`column ${at} is not a text`)
}

// SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOTADB.
const DAMAGED = new Set([10, 11, 14, 26])

/** True if only a new file helps; false for a full disk, a busy or a locked file. */
export const isDamage = (cause: unknown): boolean =>
  cause instanceof SqliteDamaged ||
  (cause instanceof Error &&
    "errcode" in cause &&
    typeof cause.errcode === "number" &&
    DAMAGED.has(cause.errcode & 0xff))

/** Files are named evidence-<number>.sqlite. The highest published one is active, a higher one is being built. */
export class EvidenceFolder {
  readonly #folder: string
  #active: EvidenceFile | undefined
  #building: EvidenceFile | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The active file; created if there is none or it was deleted. */
  active(): EvidenceFile {
    if (this.#active === undefined) this.#open()
    const current = this.#active
    if (current !== undefined && exists(current)) return current
    this.#retire(current)
    this.#active = this.#make()
    publish(this.#active)
    return this.#active
  }

  /** The active file for a search. Only writes check whether it still exists, because another file must not replace it meanwhile. */
  activeUnchecked(): EvidenceFile {
    return this.#active ?? this.active()
  }

  /** The file that is being built, if any. */
  building(): EvidenceFile | undefined {
    this.active()
    if (this.#building !== undefined && !exists(this.#building)) this.#dropBuilding()
    return this.#building
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

  /** Makes the file that is being built the active one, if any. */
  publish(): void {
    if (this.building() === undefined || this.#building === undefined) return
    publish(this.#building)
    const old = this.#active
    this.#active = this.#building
    this.#building = undefined
    this.#retire(old)
  }

  /** Deletes both copies, because it is unknown which one is damaged. */
  discard(): void {
    this.#dropBuilding()
    this.#retire(this.#active)
    this.#active = undefined
  }

  close(): void {
    this.#building?.close()
    this.#active?.close()
    this.#building = undefined
    this.#active = undefined
  }

  #open(): void {
    makePrivateFolder(this.#folder)
    for (const name of fs.readdirSync(this.#folder)) restrict(path.join(this.#folder, name), PRIVATE_FILE)
    for (const number of numbersIn(this.#folder)) {
      const found = openEvidenceFile(pathIn(this.#folder, number))
      const isNewest = found !== undefined && this.#active === undefined
      if (isNewest && found.published) this.#active = found.file
      // A copy of an older format would be outdated as soon as it is active.
      else if (isNewest && !found.file.outdated && this.#building === undefined) this.#building = found.file
      else {
        found?.file.close()
        removeEvidenceFile(pathIn(this.#folder, number))
      }
    }
    // Without an active file a building one is useless: the new active file gets a higher number.
    if (this.#active === undefined) this.#dropBuilding()
  }

  #make(): EvidenceFile {
    makePrivateFolder(this.#folder)
    const open = [this.#active, this.#building].map((file) => numberOf(file?.path ?? ""))
    return makeEvidenceFile(pathIn(this.#folder, Math.max(...open, ...numbersIn(this.#folder)) + 1))
  }

  #dropBuilding(): void {
    this.#retire(this.#building)
    this.#building = undefined
  }

  // Deletes the file immediately; open connections keep reading.
  #retire(old: EvidenceFile | undefined): void {
    if (old === undefined) return
    old.close()
    removeEvidenceFile(old.path)
  }
}

/** Numbers of the existing files, the highest first. */
const numbersIn = (folder: string): ReadonlyArray<number> =>
  fs
    .readdirSync(folder)
    .map(numberOf)
    .filter((number) => number > 0)
    .toSorted((a, b) => b - a)

/** 0: it is no file of an index. */
const numberOf = (file: string): number =>
  Number(/^evidence-(\d+)\.sqlite$/u.exec(path.basename(file))?.[1] ?? 0)

const pathIn = (folder: string, number: number): string => path.join(folder, `evidence-${number}.sqlite`)

const exists = ({ inode, path }: EvidenceFile): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.ino === inode

const publish = ({ exec }: EvidenceFile): void => exec("update about set published = 1")
