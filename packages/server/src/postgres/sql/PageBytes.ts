// Where a page ends by its bytes (docs/contract.md §12, "Pages"): decided in PostgreSQL, so that the rest is never read.
import { PAGE_BYTES_MAX, PAGE_ENVELOPE_BYTES } from "@rapport/contract/Limits.ts"
import type { SqlClient, Statement } from "effect/sql"

type Fragment = Statement.Fragment

/** Bytes for the records of a page, their commas included. */
const BUDGET = PAGE_BYTES_MAX - PAGE_ENVELOPE_BYTES

interface PageBytes {
  /**
   * What to choose from: rows with `place`, from 1 in the order of the page, and `near`, true of the one around which the
   * page is made; without such a one the page begins with the first.
   */
  readonly rows: Fragment
  /** SQL of the bytes that `i`, one of the rows, takes. */
  readonly size: string
  /** Distinguishes the columns of this choice from those of another around it. */
  readonly name: string
}

/**
 * An unbroken stretch of the rows within the bytes of a page: of those before `near` as many as fit one half of what it
 * leaves, then it, whatever it takes, then as many as fit the rest.
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
  const budget = String(BUDGET)
  return sql`${sql.literal(`select p.* from (
    select k.*, coalesce(sum(k.${bytes}) filter (where k.place < k.${middle} and k.${kept}) over (), 0) as ${before} from (
      select w.*, w.${ahead} - w.${upto} + w.${bytes} <= (${budget} - w.${own}) / 2 as ${kept} from (
        select v.*, coalesce(sum(v.${bytes}) filter (where v.place < v.${middle}) over (), 0) as ${ahead},
          sum(v.${bytes}) filter (where v.place = v.${middle}) over () as ${own} from (
          select u.*, sum(u.${bytes}) over (order by u.place) as ${upto},
            coalesce(max(u.place) filter (where u.near) over (), min(u.place) over ()) as ${middle} from (
            select i.*, (${size})::int8 as ${bytes} from (`)}${rows}${sql.literal(`) i offset 0) u) v) w) k) p
    where (p.place < p.${middle} and p.${kept}) or p.place = p.${middle}
      or (p.place > p.${middle} and p.${upto} - p.${ahead} + p.${before} <= ${budget})`)}`
}
