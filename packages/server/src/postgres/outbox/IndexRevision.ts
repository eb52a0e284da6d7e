// The revision of a document read for an index: a clock that every commit moves forward.

/**
 * SQL of transactions that ended before the snapshot. The documents hold at least what was committed by then, so of two of
 * them the one with the greater revision is the newer.
 */
export const indexRevision = `(select (pg_snapshot_xmax(s)::text::int8 - (select count(*) from pg_snapshot_xip(s)))::float8
  from pg_current_snapshot() s)`
