// How large a share of a model's records meets each condition of a list, by a sample of them: what is met by few is found by its
// index, what is met by many on a walk in the order of the page (docs/contract.md §9.2). It decides nothing but the way.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { RecordList, Where } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { filterConditions, type TableList } from "../sql/ListQuery.ts"
import { rowsOf } from "../sql/Query.ts"
import { conditionsOf, type Shares } from "./Narrowing.ts"

/** Records of a sample, and how many conditions are judged, of all of them together: of more, the sample is the larger work. */
const SAMPLED = 80
const JUDGED_MAX = 800
const CONDITIONS_MAX = 40

const hitRows = rowsOf(Schema.Struct({ hits: Schema.Array(Schema.Int), letters: Schema.Boolean }))
const letterRows = rowsOf(Schema.Struct({ letters: Schema.Boolean }))

/** Whether the index of letters has been built (RecordIndexes.ts). */
const hasLettersText = `coalesce((select index.indisvalid from pg_index index
  where index.indexrelid = to_regclass('custom_values_letters')), false) as letters`

interface Sample {
  /** Undefined of a list without conditions, or with too many, and of a model without records. */
  readonly shares: Shares | undefined
  readonly hasLetters: boolean
}

const leavesOf = (where: Where): ReadonlyArray<Extract<Where, { readonly field: string }>> => {
  if ("and" in where) return where.and.flatMap(leavesOf)
  return "or" in where ? where.or.flatMap(leavesOf) : [where]
}

export const sampled = (
  sql: SqlClient.SqlClient,
  { instanceId }: AuthorizedSession,
  list: RecordList,
  table: TableList
): Effect.Effect<Sample, SqlError.SqlError> => {
  const conditions = conditionsOf(list)
  const leaves = conditions.flatMap(leavesOf)
  if (leaves.length === 0) return Effect.succeed({ shares: undefined, hasLetters: false })
  if (leaves.length > CONDITIONS_MAX)
    return Effect.map(letterRows.get(sql`select ${sql.literal(hasLettersText)}`), ({ letters }) => ({
      shares: undefined,
      hasLetters: letters
    }))
  const number = Math.min(SAMPLED, Math.floor(JUDGED_MAX / leaves.length))
  const places = new Map<Where, string>(leaves.map((leaf, i) => [leaf, `met${i}`]))
  const metText = (where: Where): string => {
    if ("and" in where) return `(${["true", ...where.and.map(metText)].join(" and ")})`
    return "or" in where ? `(${["false", ...where.or.map(metText)].join(" or ")})` : (places.get(where) ?? "")
  }
  const judged: ReadonlyArray<Where> = [...conditions, ...leaves]
  const hits = [...judged.map(metText), conditions.map(metText).join(" and ")]
    .map((met) => `count(*) filter (where ${met})`)
    .join(", ")
  const met = sql.csv(
    leaves.map(
      (leaf, i) => sql`(${sql.and(filterConditions(sql, table, [leaf]))}) as ${sql.literal(`met${i}`)}`
    )
  )
  const own = sql`record.instance_id = ${instanceId} and record.model_id = ${list.model.id}`
  return Effect.map(
    hitRows.get(
      sql`with ${table.common ?? sql.literal("")}, bounds as materialized (
        select min(record.id) as first, max(record.id) as last from custom_records record where ${own})
      select json_build_array(count(*), ${sql.literal(hits)}) as hits, ${sql.literal(hasLettersText)} from (
        select ${met} from bounds, caller u, generate_series(1, ${number}::int4) place, lateral (
          select record.* from custom_records record where ${own} and record.id >= bounds.first
            + floor((bounds.last - bounds.first + 1) * ((hashint4(place)::int8 & 2147483647)::float8 / 2147483648))::int8
          order by record.id limit 1) record offset 0) judged`.unprepared
    ),
    ({ hits: [seen = 0, ...found], letters: hasLetters }) => {
      if (seen === 0) return { shares: undefined, hasLetters }
      const shares = new Map(judged.map((where, i) => [where, (found[i] ?? 0) / seen]))
      return { shares: { of: (where) => shares.get(where), all: (found.at(-1) ?? 0) / seen }, hasLetters }
    }
  )
}
