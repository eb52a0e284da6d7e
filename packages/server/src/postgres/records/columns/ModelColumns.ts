// Values of the models that are searched, held in memory as columns (docs/performance.md, "Custom data of 100,000 records"). Each
// search first asks the database what has changed since they were read, so it sees what was committed before it began, whichever
// process wrote it. Where columns are not there, or do not tell, SQL finds the same.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { LIST_TOTAL_MAX } from "@rapport/contract/Limits.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/FairPermits.ts"
import { Clock, Context, Effect, Queue } from "effect"
import type { SqlClient } from "effect/sql"
import { conditionsOf } from "../Narrowing.ts"
import { type Block, blocksOf, idOf, layoutOf, type Row, withRows } from "./Block.ts"
import { CHANGED_MAX, type OfModel, presentState, rowsBehind, rowsWith, stateSince } from "./ColumnRows.ts"
import { type AskedText, conditionOf } from "./Conditions.ts"
import { evaluated } from "./Evaluate.ts"
import { behind, FirstRows, type Order, orderOf } from "./FirstRows.ts"
import { drop, type Entry, type Held, HeldModels } from "./HeldModels.ts"

type Sql = SqlClient.SqlClient

/** Memory of all columns of a process; a model that needs more of it has none, and of nothing no model has any. */
export const ColumnBytesMax = Context.Reference<number>("server/records/ColumnBytesMax", {
  defaultValue: () => 128 * 1024 * 1024
})
/** Searches of a model before its columns are read: one alone is answered by SQL. */
const SEARCHES_BEFORE = 2
const LOADS_WAITING_MAX = 64
/** A model that was too large, or could not be read, is tried again. */
const AGAIN_MILLIS = 600_000
const SWEPT_EVERY = "10 minutes"
/** Changes are kept for twice as long as columns rely on them; both by the clock of the database. */
const RELIED_ON_MILLIS = 1_800_000
const CHANGES_KEPT = "1 hour"
/** Tries while others write. */
const TRIES_MAX = 3
/** Conditions that are judged here: a block of 512 records then takes some milliseconds. */
const CONDITIONS_MAX = 40
/** Records up to the end of a page that are found here, and those that are given whatever their order is. */
const PAGE_END_MAX = 1_200
const FEW_MAX = 1_000
/** Records that are given for a page in the order of a text: a walk in that order meets one of twenty of them soon. */
const KNOWN_MAX = 5_000
/** Records more than the page wants: some may go before it is read. */
const SPARE = 20

/** Milliseconds of the process's own clock. */
const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** What columns tell of a list. */
export interface Told {
  /** How many records there are, as far as a list counts. */
  readonly counted: number
  /** Every record that passes, where they are few. */
  readonly few: ReadonlyArray<number> | undefined
  /** The same where they are more, but not many. */
  readonly known: ReadonlyArray<number> | undefined
  /** The records of the page and some behind it. */
  readonly page: ReadonlyArray<number> | undefined
}

const textsOf = (where: Where): ReadonlyArray<string> => {
  if ("and" in where) return where.and.flatMap(textsOf)
  if ("or" in where) return where.or.flatMap(textsOf)
  return (Array.isArray(where.value) ? where.value : [where.value]).filter((one) => typeof one === "string")
}
const leavesOf = (where: Where): number => {
  if ("and" in where) return where.and.reduce((sum, member) => sum + leavesOf(member), 0)
  return "or" in where ? where.or.reduce((sum, member) => sum + leavesOf(member), 0) : 1
}

interface Asked {
  readonly conditions: ReadonlyArray<Where>
  /** To be told by the database as it knows them. */
  readonly texts: ReadonlyArray<string>
  readonly order: Order | undefined
}

/** Undefined of a list near its beginning that SQL answers as well, and of one with conditions that columns do not tell. */
const askedOf = (list: RecordList): Asked | undefined => {
  const { model, request } = list
  const judging = { fields: model.fields, layout: layoutOf(model.fields) }
  const conditions = conditionsOf(list)
  const isByField = request.orders.some(({ field }) => model.fields.some(({ name }) => name === field))
  const isFar = request.offset + request.limit >= PAGE_END_MAX
  if (conditions.length === 0 && !isByField && !isFar) return undefined
  if (leavesOf({ and: conditions }) > CONDITIONS_MAX) return undefined
  const texts = [...new Set(conditions.flatMap(textsOf))]
  const anyhow = new Map(texts.map((text) => [text, { low: text, same: 0 }]))
  if (conditionOf({ ...judging, texts: anyhow }, { and: conditions }) === undefined) return undefined
  const order = isFar && conditions.length > 0 ? undefined : orderOf(judging, request)
  return order === undefined && conditions.length === 0 ? undefined : { conditions, texts, order }
}

/** With two fibers of the scope: one reads columns, the other drops what nobody uses. */
export const modelColumns = Effect.fnUntraced(function* (sql: Sql) {
  const bytesMax = yield* ColumnBytesMax
  const models = new HeldModels(bytesMax)
  const fit = (kept: Entry) => Effect.map(now, (at) => models.makeRoom(kept, at))
  const toLoad = yield* Queue.dropping<{ readonly entry: Entry; readonly of: OfModel }>(LOADS_WAITING_MAX)
  const load = loading(sql, bytesMax, fit)
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(Queue.take(toLoad), ({ entry, of }) =>
        load(entry, of).pipe(
          Effect.provideService(CurrentTenant, tenantOf(of)),
          Effect.ignore({ log: "Warn" })
        )
      )
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(Effect.sleep(SWEPT_EVERY), Effect.ignore(sweep(sql, models), { log: "Warn" }))
    )
  )

  /** Undefined where columns do not tell: they are not there yet, or a condition is none of theirs. */
  const tell = Effect.fnUntraced(function* ({ instanceId }: AuthorizedSession, list: RecordList) {
    const asked = bytesMax === 0 ? undefined : askedOf(list)
    if (asked === undefined) return undefined
    const { fields, id: modelId } = list.model
    const at = yield* now
    const entry = models.used(`${instanceId}/${modelId}`, at)
    if (entry.held !== undefined && !isOf(entry.held, fields)) drop(entry, at)
    if (entry.held === undefined) {
      entry.searches++
      if (entry.searches < SEARCHES_BEFORE || entry.isLoading || at < entry.notBefore) return undefined
      entry.isLoading = true
      if (!(yield* Queue.offer(toLoad, { entry, of: { instanceId, modelId, fields } })))
        entry.isLoading = false
      return undefined
    }
    const present = yield* upToDate(sql, entry, asked.texts, fit)
    return present && (yield* told(list, asked, present))
  })
  return { tell }
})

const isOf = ({ layout }: Held, fields: ReadonlyArray<StoredField>): boolean =>
  fields.every(({ id }) => layout.some(({ key }) => key === id))

const told = Effect.fnUntraced(function* (list: RecordList, asked: Asked, { held, texts }: Present) {
  const { blocks, layout } = held
  const { limit, offset } = list.request
  const judging = { fields: list.model.fields, layout, texts }
  const condition = conditionOf(judging, { and: asked.conditions })
  if (condition === undefined) return undefined
  // Places of the order were those of another layout.
  const order = asked.order && orderOf(judging, list.request)
  const isFar = asked.conditions.length === 0 && offset + limit >= PAGE_END_MAX
  const rest = order !== undefined && isFar ? behind(order, blocks, offset) : { skipped: 0, blocks }
  const begin = offset - rest.skipped
  if (isFar && begin + limit >= PAGE_END_MAX) return undefined
  const end = begin + limit + 1 + SPARE
  const first = order && new FirstRows(order, end)
  const { ids, number } = yield* evaluated({
    blocks: rest.blocks,
    condition,
    counted: list.counted && rest.skipped <= LIST_TOTAL_MAX,
    first,
    idsMax: rest.skipped === 0 ? KNOWN_MAX : 0
  })
  const known = rest.skipped === 0 ? ids : undefined
  const few = known !== undefined && known.length <= FEW_MAX ? known : undefined
  const counted = Math.min(number + rest.skipped, LIST_TOTAL_MAX + 1)
  return { counted, few, known, page: first?.ids().slice(begin, end) } satisfies Told
})

const sweep = Effect.fnUntraced(function* (sql: Sql, models: HeldModels) {
  models.dropUnused(yield* now)
  yield* sql`delete from custom_changes where written_at < now() - ${CHANGES_KEPT}::text::interval`
})

type Fit = (entry: Entry) => Effect.Effect<void>

const loading = (sql: Sql, bytesMax: number, fit: Fit) =>
  Effect.fnUntraced(
    function* (entry: Entry, of: OfModel) {
      // Until it is done: what fails, and what is too large, is not tried again at once.
      entry.notBefore = (yield* now) + AGAIN_MILLIS
      const state = yield* presentState(sql)
      const layout = layoutOf(of.fields)
      const blocks: Array<Block> = []
      let bytes = 0
      let id = 0
      for (;;) {
        const rows = yield* rowsBehind(sql, of, id)
        const last = rows.at(-1)
        if (last === undefined) break
        id = Number(last[0])
        for (const block of blocksOf(layout, rows)) {
          blocks.push(block)
          bytes += block.bytes
        }
        if (bytes > bytesMax) return
        yield* Effect.yieldNow
      }
      entry.notBefore = 0
      entry.held = { of, state, layout, blocks }
      yield* fit(entry)
    },
    (effect, entry) =>
      Effect.ensuring(
        effect,
        Effect.sync(() => void (entry.isLoading = false))
      )
  )

interface Present {
  readonly held: Held
  readonly texts: ReadonlyMap<string, AskedText>
}

/** The columns with everything that was committed before now; undefined where they are dropped, or others write too often. */
const upToDate = Effect.fnUntraced(function* (
  sql: Sql,
  entry: Entry,
  asked: ReadonlyArray<string>,
  fit: Fit
) {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { held } = entry
    if (held === undefined) return undefined
    const at = yield* now
    const isStill = () => entry.held?.blocks === held.blocks
    const { asked: known, changed, ...state } = yield* stateSince(sql, held.of, held.state.snapshot, asked)
    const texts = new Map(known?.map(([low, same], i) => [asked[i] ?? "", { low, same }]))
    const isOld = state.server !== held.state.server || state.at - held.state.at > RELIED_ON_MILLIS
    if (isOld || (changed?.length ?? 0) > CHANGED_MAX) {
      if (isStill()) drop(entry, at)
      return undefined
    }
    if (changed === null) {
      if (isStill()) entry.held = { ...held, state }
      return { held, texts } satisfies Present
    }
    const apply = Effect.gen(function* () {
      if (!isStill()) return undefined
      const rows = yield* rowsWith(sql, held.of, changed)
      if (rows === undefined) {
        drop(entry, at)
        return undefined
      }
      const next = { ...held, state, blocks: yield* replaced(held, changed, rows) }
      if (!isStill()) return undefined
      entry.held = next
      yield* fit(entry)
      return next
    })
    const applied = yield* entry.applying.withPermits(1)(apply)
    if (applied !== undefined) return { held: applied, texts } satisfies Present
  }
  return undefined
})

/** Place of the block that a record is in, or belongs to. */
const placeIn = (blocks: ReadonlyArray<Block>, id: number): number => {
  let [from, to] = [0, blocks.length - 1]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    const block = blocks[middle]
    if (block !== undefined && idOf(block, 0) <= id) from = middle
    else to = middle - 1
  }
  return from
}

/** Blocks that others are looking through stay as they are. */
const replaced = Effect.fnUntraced(function* (
  { blocks, layout }: Held,
  changed: ReadonlyArray<number>,
  rows: ReadonlyArray<Row>
) {
  const touched = new Map<number, { readonly gone: Set<number>; readonly rows: Array<Row> }>()
  const touch = (id: number) => {
    const place = placeIn(blocks, id)
    const one = touched.get(place) ?? { gone: new Set<number>(), rows: [] }
    touched.set(place, one)
    return one
  }
  for (const id of changed) touch(id).gone.add(id)
  for (const row of rows) touch(Number(row[0])).rows.push(row)
  const next: Array<Block> = []
  for (const place of blocks.length === 0 ? [0] : blocks.keys()) {
    const block = blocks[place]
    const change = touched.get(place)
    if (change !== undefined) {
      next.push(...withRows(layout, block, change.gone, change.rows))
      yield* Effect.yieldNow
    } else if (block !== undefined) next.push(block)
  }
  return next
})
