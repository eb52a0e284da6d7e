// Cells of rows that we wrote ourselves, read back with their types; anything else means that the file is damaged.

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
