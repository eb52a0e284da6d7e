// Pages of the messages of an appeal or a session, by their sequence, with limited bytes (contract §5, §7).
import {
  PAGE_RECORDS_BYTES_MAX,
  type SequenceFound,
  type SequenceStretch
} from "@rapport/core/lists/SequencePages.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, type Sql, sql } from "./Fragment.ts"
import { rowsOf } from "./Query.ts"

interface Messages {
  readonly table: string
  /** The column that refers to the appeal or session. */
  readonly owner: string
  readonly idType: string
  /** SQL of the JSON of a row `message`. */
  readonly json: string
  /** SQL of the stored bytes of a row `item`, which are fewer than those of its JSON. */
  readonly size: string
}

interface Owner {
  readonly instanceId: number
  /** Tables up to `owner`: instance_id, id and the last sequence of the appeal or session; no row without access. */
  readonly tables: Fragment
}

/** Returns undefined without an owner, or if the message in the middle is not one of its messages. */
export const sequencePages = <A, I>(
  message: Schema.Codec<A, I>,
  { idType, json, owner, size, table }: Messages
) => {
  // An owner without messages in the range is one row without a message.
  const rows = rowsOf(
    Schema.Struct({
      message: Schema.NullOr(Schema.toCodecJson(message)),
      more: Schema.NullOr(Schema.Boolean)
    })
  )
  const [messages, id] = [`${table} message`, `message.${owner}`]
  return (
    sql: Sql,
    { instanceId, tables }: Owner,
    { limit, order, start }: SequenceStretch<number | string>
  ): Effect.Effect<SequenceFound<A> | undefined, SqlError.SqlError> => {
    const ascending = order === "asc"
    const near = start.at === "around" ? String(start.messageId) : null
    const first = start.at === "after" ? start.sequence : ascending ? 0 : 2_147_483_647
    // A full page with the message in its middle. Near the ends the page moves inwards.
    const before = Math.floor((limit - 1) / 2)
    const edge =
      start.at === "around"
        ? sql`select owner.id, greatest(1, least(message.sequence - ${before}::int4, owner.last - ${limit}::int4 + 1))
            ${ascending ? sql.literal("- 1") : sql`+ ${limit}::int4`} as sequence
          from owner join ${sql.literal(`${messages} on message.instance_id = owner.instance_id and ${id} = owner.id`)}
          where message.id = ${near}::text::${sql.literal(idType)}`
        : sql`select owner.id, ${first}::int4 as sequence from owner`
    const read = sql`select * from (
        select message.*, row_number() over (order by message.sequence ${sql.literal(order)}) as place,
          count(*) over () as available, coalesce(message.id = ${near}::text::${sql.literal(idType)}, false) as near
        from (select * from ${sql.literal(messages)} where message.instance_id = ${instanceId}
          and ${sql.literal(`${id} = edge.id and message.sequence ${ascending ? ">" : "<"} edge.sequence`)}
          order by message.sequence ${sql.literal(order)} limit ${limit + 1}) message) message
      where message.place <= ${limit}`
    const fitting = sql`select message.place, message.near, message.available, ${sql.literal(json)} as message
      from (${withinPage(size, read)}) message`
    const shown = withinPage("octet_length(item.message::text) + 1", fitting)
    return Effect.map(
      rows.all(sql`with ${tables}, edge as (${edge})
        select page.message, page.place < page.available as more from edge left join lateral (${shown}) page on true
        order by page.place`),
      (found) =>
        found.length === 0
          ? undefined
          : { records: found.flatMap(({ message }) => message ?? []), more: found.at(-1)?.more === true }
    )
  }
}

/**
 * A continuous range of rows within the bytes of a page: the row `near`, or the first one, and the adjacent rows on both sides until one
 * does not fit. `place` counts from 1 in the order of the page. `size` is SQL of the bytes of a row `item`.
 */
const withinPage = (size: string, rows: Fragment): Fragment =>
  sql`select page.* from (
    select sized.*, sum(sized.bytes) over (order by abs(sized.place - sized.middle), sized.place) as upto from (
      select item.*, (${sql.literal(size)})::int8 as bytes,
        coalesce(max(item.place) filter (where item.near) over (), 1) as middle
      from (${rows}) item offset 0) sized) page
  where page.place = page.middle or page.upto <= ${sql.literal(String(PAGE_RECORDS_BYTES_MAX))}`
