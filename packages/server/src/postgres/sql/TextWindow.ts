// Reads a part of a long text: its beginning, or the surroundings of a match (contract §3.2, "long texts").
import { TEXT_LETTERS } from "@rapport/core/search/text/TextQuery.ts"
import { type Fragment, sql } from "./Fragment.ts"

interface TextWindow {
  /** The length of the part. */
  readonly points: number
  /** Code points before the match, if the match is not in the beginning of the text. */
  readonly lead: number
  /** From `TextQuery`. Empty: the beginning of the text. */
  readonly starts: ReadonlyArray<string>
}

/**
 * To be joined laterally: a short text, the beginning of a long one, or the part around the words of the query if they are not in the
 * beginning. Columns text, cut_before and cut_after.
 */
export const textWindow = (text: string, { lead, points, starts }: TextWindow): Fragment => {
  const whole = sql.literal(text)
  // `offset 0` prevents PostgreSQL from computing the place for each use.
  const from =
    starts.length === 0
      ? sql.literal("select 1 as at")
      : sql`select case when ${isLonger(text, points)} then (
          select case when met.at > ${points - lead}::int4 then met.at - ${lead}::int4 else 1 end
          from (select ${matchedAt(text, lead, points, starts)} as at offset 0) met) else 1 end as at offset 0`
  return sql`select substr(${whole}, begins.at, ${points}::int4) as text, begins.at > 1 as cut_before,
      char_length(substr(${whole}, begins.at, ${points + 1}::int4)) > ${points}::int4 as cut_after
    from (${from}) begins`
}

/** Whether a text has more code points. Reads only its beginning. */
const isLonger = (text: string, points: number): Fragment =>
  sql`(char_length(left(${sql.literal(text)}, ${points + 1}::int4)) > ${points}::int4)`

/** The place with the most words of the query around it. */
const matchedAt = (text: string, lead: number, points: number, starts: ReadonlyArray<string>): Fragment =>
  sql`(select p.at
    from (select translate(lower(${sql.literal(text)}), ${TEXT_LETTERS.from}, ${TEXT_LETTERS.to}) as plain offset 0) l,
      unnest(${starts}::text[]) beginning(start), lateral (select strpos(l.plain, beginning.start) as at) p,
      lateral (select count(*) as met from unnest(${starts}::text[]) near(start)
        where p.at > 0 and strpos(substr(l.plain, greatest(1, p.at - ${lead}::int4), ${points}::int4), near.start) > 0) n
    where p.at > 0 order by n.met desc, p.at limit 1)`
