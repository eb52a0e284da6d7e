// The part that is read of a column of long texts (contract §3.2, "long texts").
import { TEXT_LETTERS } from "@rapport/core/search/text/Sought.ts"
import type { SqlClient, Statement } from "effect/sql"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

interface TextWindow {
  /** Code points that are read of a longer text. */
  readonly points: number
  /** Code points before the match, where the beginning of the text does not hold it. */
  readonly lead: number
  /** From `Sought`; none: the beginning of the text. */
  readonly starts: ReadonlyArray<string>
}

/**
 * The part that is read of a text, to be joined laterally: the text, of a longer one its beginning, or the part around the
 * words sought where they are further on. Columns text, cut_before and cut_after: whether the text goes on there.
 */
export const textWindow = (sql: Sql, text: string, { lead, points, starts }: TextWindow): Fragment => {
  const whole = sql.literal(text)
  // `offset 0` keeps PostgreSQL from computing the place again wherever it is used.
  const from =
    starts.length === 0
      ? sql.literal("select 1 as at")
      : sql`select case when ${isLonger(sql, text, points)} then (
          select case when met.at > ${points - lead}::int4 then met.at - ${lead}::int4 else 1 end
          from (select ${matchedAt(sql, text, lead, points, starts)} as at offset 0) met) else 1 end as at offset 0`
  return sql`select substr(${whole}, begins.at, ${points}::int4) as text, begins.at > 1 as cut_before,
      char_length(substr(${whole}, begins.at, ${points + 1}::int4)) > ${points}::int4 as cut_after
    from (${from}) begins`
}

/** Whether it has more code points; of a long text only the beginning is read for it. */
const isLonger = (sql: Sql, text: string, points: number): Fragment =>
  sql`(char_length(left(${sql.literal(text)}, ${points + 1}::int4)) > ${points}::int4)`

/** The place of the word that has most of the words around it. */
const matchedAt = (
  sql: Sql,
  text: string,
  lead: number,
  points: number,
  starts: ReadonlyArray<string>
): Fragment =>
  sql`(select p.at
    from (select translate(lower(${sql.literal(text)}), ${TEXT_LETTERS.from}, ${TEXT_LETTERS.to}) as plain offset 0) l,
      unnest(${starts}::text[]) sought(start), lateral (select strpos(l.plain, sought.start) as at) p,
      lateral (select count(*) as met from unnest(${starts}::text[]) near(start)
        where p.at > 0 and strpos(substr(l.plain, greatest(1, p.at - ${lead}::int4), ${points}::int4), near.start) > 0) n
    where p.at > 0 order by n.met desc, p.at limit 1)`
