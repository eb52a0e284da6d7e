// Limits a page by its bytes in PostgreSQL (contract §12, "Pages").
import { PAGE_RECORDS_BYTES_MAX } from "@rapport/core/lists/SequencePages.ts"
import type { SqlClient, Statement } from "effect/sql"

type Fragment = Statement.Fragment

interface PageBytes {
  /**
   * The rows to choose from. `place` counts from 1 in the order of the page. `near` is true for the row in the middle of the page;
   * without one the page starts with the first row.
   */
  readonly rows: Fragment
  /** SQL of the bytes of a row `item`. */
  readonly size: string
  /** A prefix of column names, for nested choices. */
  readonly name: string
}

/**
 * A continuous range of rows within the bytes of a page: always the row `near`, before it as many as fit half of the remaining bytes,
 * after it as many as fit the rest.
 */
export const withinPage = (sql: SqlClient.SqlClient, { name, rows, size }: PageBytes): Fragment => {
  const [bytes, upto, middle, ahead, own, kept, before] = [
    "bytes",
    "upto",
    "middle",
    "ahead",
    "own",
    "kept",
    "before"
  ].map((column) => `${column}_${name}`)
  const budget = String(PAGE_RECORDS_BYTES_MAX)
  return sql`${sql.literal(`select page.* from (
    select chosen.*, coalesce(sum(chosen.${bytes}) filter (where chosen.place < chosen.${middle} and chosen.${kept})
      over (), 0) as ${before} from (
      select halved.*, halved.${ahead} - halved.${upto} + halved.${bytes} <= (${budget} - halved.${own}) / 2 as ${kept}
        from (
        select centred.*, coalesce(sum(centred.${bytes}) filter (where centred.place < centred.${middle})
          over (), 0) as ${ahead},
          sum(centred.${bytes}) filter (where centred.place = centred.${middle}) over () as ${own} from (
          select running.*, sum(running.${bytes}) over (order by running.place) as ${upto},
            coalesce(max(running.place) filter (where running.near) over (), min(running.place) over ()) as ${middle} from (
            select item.*, (${size})::int8 as ${bytes}
              from (`)}${rows}${sql.literal(`) item offset 0) running) centred) halved) chosen) page
    where (page.place < page.${middle} and page.${kept}) or page.place = page.${middle}
      or (page.place > page.${middle} and page.${upto} - page.${ahead} + page.${before} <= ${budget})`)}`
}
