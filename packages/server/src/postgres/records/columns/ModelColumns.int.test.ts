// What columns tell of lists against a plain read of the table: random conditions, orders and pages, while records are written by
// others, in transactions that end later, and by what knows nothing of columns (docs/contract.md §1.2, §9.2).
import { assert, layer } from "@effect/vitest"
import { MODEL_FIELDS_MAX } from "@rapport/contract/Limits.ts"
import { recordsOf } from "@rapport/contract/records/CustomRecord.ts"
import type { ListOrder, ListRequest } from "@rapport/core/lists/ListRequest.ts"
import type { RecordList, StoredField, Where } from "@rapport/core/records/RecordStore.ts"
import { Clock, Deferred, Duration, Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { Rest, RestFixtures, type Who } from "../../../testing/RestFixtures.ts"
import { ColumnBytesMax, modelColumns } from "./ModelColumns.ts"

/** More than two blocks. */
const RECORDS = 1_300
const CASES = 120
const TOTAL_MAX = 10_000

const fields = [
  { name: "text", type: "TEXT" },
  { name: "name", type: "STRING" },
  { name: "rank", type: "INTEGER" },
  { name: "part", type: "FLOAT" },
  { name: "flag", type: "BOOLEAN" },
  { name: "day", type: "DATE" },
  { name: "moment", type: "DATETIME" },
  { name: "other", type: "INTEGER" }
] as const
type Name = (typeof fields)[number]["name"]

/** The values of the n-th record, in SQL: each may be missing, texts may be empty or hold what looks like a pattern. */
const valueTexts: Readonly<Record<Name, string>> = {
  text: `case when n % 7 = 0 then null when n % 50 = 3 then '' when n % 40 = 5 then repeat('Довгий рядок ', 120) || 'КІНЕЦЬ ' || n
    when n % 97 = 1 then E'ціна ''а\\\\б'' | & ! : * ( 5% _' when n % 31 = 4 then 'Їж' when n % 31 = 5 then E'a\\tb😀𝔘'
    else concat_ws(' ', case when n % 5 <> 1 then 'Замовлення' end, case when n % 2 = 0 then 'Invoice' end,
      case when n % 3 = 0 then 'Ёлка подъезда' end, 'num' || n % 500) end`,
  name: `(array['рахунок','Їжак','ґанок','parcel','Ёж', null])[1 + n % 6]`,
  rank: "case when n % 11 > 0 then n - 600 end",
  part: "case when n % 13 > 0 then (n * 7919 % 1009) / 8.0 end",
  flag: "case when n % 17 > 0 then n % 2 = 0 end",
  day: "case when n % 5 > 0 then (date '2026-01-01' + (n * 31 % 400)::int)::text end",
  moment: `case when n % 4 > 0 then to_char(timestamptz '2026-01-01' + (n * 7 % 900) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`,
  other: "n % 3"
}

const modelRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Int, fields: Schema.Array(Schema.Unknown) }))
)
const idRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int })))

/** Numbers that are the same in each run. */
const dice = (seed: number) => {
  let state = seed
  const below = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * most)
  }
  return { below, one: <A>(of: ReadonlyArray<A>): A => of[below(of.length)] as A }
}
type Dice = ReturnType<typeof dice>

/** A condition, and the same in SQL. */
interface Both {
  readonly where: Where
  readonly text: string
}
const WORDS = [
  "замовлення",
  "ЇЖ",
  "ї",
  "елка",
  "ёлка",
  "invoice",
  "num7",
  "",
  "5%",
  "'а\\б'",
  "😀",
  "a\tb",
  "нема",
  "рядок",
  "КІНЕЦЬ 1"
]
/** Texts that some records have, as they are written or otherwise. */
const SAME = [
  "",
  "Їж",
  "їж",
  "Їжак",
  "їжак",
  "parcel",
  "Parcel",
  "Ёж",
  "a\tb😀𝔘",
  "Замовлення Invoice num8",
  "нема"
]
const signs = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const
const numbers: Readonly<
  Partial<
    Record<
      Name,
      { readonly sql: string; readonly of: (dice: Dice) => { sent: number | boolean | string; sql: string } }
    >
  >
> = {
  rank: { sql: "int8", of: ({ below }) => numeral(below(1_400) - 650) },
  part: { sql: "float8", of: ({ below }) => numeral(below(1_009) / 8) },
  other: { sql: "int8", of: ({ below }) => numeral(below(4)) },
  flag: {
    sql: "boolean",
    of: ({ below }) => (below(2) === 0 ? { sent: true, sql: "true" } : { sent: false, sql: "false" })
  },
  day: {
    sql: "date",
    of: ({ below }) => {
      const day = new Date(Date.UTC(2026, 0, 1 + below(400))).toISOString().slice(0, 10)
      return { sent: day, sql: `date '${day}'` }
    }
  },
  moment: {
    sql: "timestamptz",
    of: ({ below }) => {
      const at = Date.UTC(2026, 0, 1, 0, below(900))
      return { sent: at, sql: `timestamptz '${new Date(at).toISOString()}'` }
    }
  }
}
const numeral = (value: number) => ({ sent: value, sql: String(value) })
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

const leaf = (dice: Dice, ids: ReadonlyMap<string, number>): Both => {
  const field = dice.one(fields).name
  const raw = `(r.values->>'${ids.get(field)}')`
  if (dice.below(8) === 0) {
    const value = dice.below(2) === 0
    return { where: { field, operator: "isNull", value }, text: `${raw} is ${value ? "" : "not "}null` }
  }
  const number = numbers[field]
  if (number === undefined) {
    if (dice.below(3) === 0) {
      const [one, other] = [dice.one(SAME), dice.one(SAME)]
      const listed = `(${quoted(one)}, ${quoted(other)})`
      const operator = dice.one(["eq", "ne", "in", "nin"] as const)
      const texts = {
        eq: `${raw} = ${quoted(one)}`,
        ne: `${raw} is distinct from ${quoted(one)}`,
        in: `${raw} in ${listed}`,
        nin: `(${raw} in ${listed}) is not true`
      }
      const value = operator === "in" || operator === "nin" ? [one, other] : one
      return { where: { field, operator, value }, text: texts[operator] }
    }
    const value = dice.one(WORDS)
    if (dice.below(3) > 0)
      return {
        where: { field, operator: "contains", value },
        text: `strpos(lower(${raw}), lower(${quoted(value)})) > 0`
      }
    const beginning = dice.one(["їж", "ЗАМ", "", "invoice", "ціна 'а", "р", "нема"])
    return {
      where: { field, operator: "startsWith", value: beginning },
      text: `starts_with(lower(${raw}), lower(${quoted(beginning)}))`
    }
  }
  const column = `${raw}::${number.sql}`
  const [one, other] = [number.of(dice), number.of(dice)]
  switch (dice.below(field === "flag" ? 2 : 5)) {
    case 0:
      return { where: { field, operator: "eq", value: one.sent }, text: `${column} = ${one.sql}` }
    case 1:
      return {
        where: { field, operator: "ne", value: one.sent },
        text: `${column} is distinct from ${one.sql}`
      }
    case 2: {
      const isIn = dice.below(2) === 0
      const text = `${column} in (${one.sql}, ${other.sql})`
      return {
        where: { field, operator: isIn ? "in" : "nin", value: [one.sent, other.sent] },
        text: isIn ? text : `(${text}) is not true`
      }
    }
    default: {
      const operator = dice.one(["gt", "gte", "lt", "lte"] as const)
      return { where: { field, operator, value: one.sent }, text: `${column} ${signs[operator]} ${one.sql}` }
    }
  }
}

const group = (dice: Dice, ids: ReadonlyMap<string, number>, depth: number): Both => {
  if (depth === 0 || dice.below(3) === 0) return leaf(dice, ids)
  const members = Array.from({ length: 1 + dice.below(3) }, () => group(dice, ids, depth - 1))
  const wheres = members.map(({ where }) => where)
  const kind = dice.below(2) === 0 ? "and" : "or"
  return {
    where: kind === "and" ? { and: wheres } : { or: wheres },
    text: `(${members.map(({ text }) => `coalesce(${text}, false)`).join(` ${kind} `)})`
  }
}

const filled = Effect.suspend(() => filledWith([]))

const filledWith = Effect.fnUntraced(function* (more: ReadonlyArray<{ name: string; type: "TEXT" }>) {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const admin = yield* rest.user(yield* rest.instance, ["administrator"])
  const made = yield* rest.call(admin, "POST", "/custom-data/models", {
    name: "things",
    fields: [...fields, ...more]
  })
  assert.strictEqual(made.status, 201, made.text)
  const [model] = modelRows(
    yield* sql`select id::float8 as id, fields from custom_models where instance_id = ${admin.instanceId}`
  )
  assert.isDefined(model)
  const stored = model.fields as ReadonlyArray<StoredField>
  const ids = new Map(stored.map(({ id, name }) => [name, id]))
  const pairs = fields.map(({ name }) => `'${ids.get(name)}', ${valueTexts[name]}`).join(", ")
  const values = sql.literal(`jsonb_strip_nulls(jsonb_build_object(${pairs}))`)
  const insert = (from: number, to: number) =>
    sql`insert into custom_records (instance_id, model_id, values, created_at)
      select ${admin.instanceId}, ${model.id}, ${values}, timestamptz '2026-01-01' + (n * 37 % 5000) * interval '1 minute'
      from generate_series(${from}::int8, ${to}::int8) n`
  yield* insert(1, RECORDS)
  return {
    admin,
    ids,
    insert,
    sql,
    stored,
    model: { id: model.id, name: "things", label: null, fields: stored, version: 1 }
  }
})
type Filled = Effect.Success<typeof filled>

const sessionOf = ({ instanceId }: Who) =>
  ({ instanceId }) as Parameters<Effect.Success<ReturnType<typeof modelColumns>>["tell"]>[0]

const listOf = ({ model }: Filled, where: Where | null, request: Partial<ListRequest>): RecordList => ({
  model,
  collection: recordsOf(model.id, model.fields),
  where,
  counted: true,
  request: {
    filters: [],
    orders: [{ field: "id", direction: "asc" }],
    limit: 20,
    offset: 0,
    after: null,
    fields: null,
    includes: [],
    search: null,
    purpose: "",
    ...request
  }
})

const everything: Where = { and: [{ field: "other", operator: "isNull", value: false }] }

type Columns = Effect.Success<ReturnType<typeof modelColumns>>

/** How many records there are, as columns tell it. */
const counted = (columns: Columns, made: Filled) =>
  Effect.map(columns.tell(sessionOf(made.admin), listOf(made, everything, {})), (told) => told?.counted)

/** Asks until the columns of the model have been read. */
const untilRead = Effect.fnUntraced(function* (columns: Columns, made: Filled) {
  for (let tries = 0; tries < 400; tries++) {
    const number = yield* counted(columns, made)
    if (number !== undefined) return number
    yield* Effect.sleep("25 millis")
  }
  return assert.fail("the columns were not read")
})

/** Columns as a process holds them, once they have been read. */
const heldColumns = Effect.fnUntraced(function* (made: Filled) {
  const columns = yield* modelColumns(made.sql)
  yield* untilRead(columns, made)
  return columns
})

/** A process's own clock that a test moves; what sleeps less than a minute sleeps as ever. */
const movedClock = () => {
  const live = Clock.Clock.defaultValue()
  const sleeping = new Set<{ readonly until: bigint; readonly wake: () => void }>()
  let ahead = 0n
  const nanos = () => live.monotonicTimeNanosUnsafe() + ahead
  const clock: Clock.Clock = {
    ...live,
    currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe(),
    currentTimeMillis: live.currentTimeMillis,
    currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe(),
    currentTimeNanos: live.currentTimeNanos,
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Duration.toMillis(duration) < MINUTE
        ? live.sleep(duration)
        : Effect.callback((resume) => {
            const until = nanos() + BigInt(Duration.toMillis(duration)) * 1_000_000n
            sleeping.add({ until, wake: () => resume(Effect.void) })
          })
  }
  /** What wakes has had its turn then. */
  const move = (millis: number) =>
    Effect.suspend(() => {
      ahead += BigInt(millis) * 1_000_000n
      for (const one of sleeping)
        if (one.until <= nanos()) {
          sleeping.delete(one)
          one.wake()
        }
      return live.sleep(Duration.millis(100))
    })
  return { clock, move }
}
const MINUTE = 60_000

/** What the columns of a model take, about. */
const bytesOf = ({ admin, ids, model, sql }: Filled) =>
  Effect.map(
    sql<{ readonly bytes: number }>`select sum(8 * ${fields.length + 3}::int8 + 10 + 40 + 2 * (
        coalesce(length(r.values->>${String(ids.get("text"))}::text), 0)
          + coalesce(length(r.values->>${String(ids.get("name"))}::text), 0) + 2))::float8 as bytes
      from custom_records r where r.instance_id = ${admin.instanceId} and r.model_id = ${model.id}`,
    ([row]) => row?.bytes ?? 0
  )

/** Ends the PostgreSQL that the tests run on; it is started again by itself. */
const restarted = Effect.fnUntraced(function* ({ sql }: Filled) {
  const begun = Effect.map(
    sql<{ readonly at: string; readonly folder: string }>`select pg_postmaster_start_time()::text as at,
      current_setting('data_directory') as folder`,
    ([row]) => row
  )
  const before = yield* begun
  const [pid] = fs.readFileSync(path.join(before?.folder ?? "", "postmaster.pid"), "utf8").split("\n")
  process.kill(Number(pid), "SIGINT")
  for (let tries = 0; tries < 600; tries++) {
    yield* Effect.sleep("50 millis")
    const now = yield* Effect.orElseSucceed(begun, () => undefined)
    if (now === undefined || now.at === before?.at) continue
    // Each connection of the pool that was lost with it fails once.
    yield* Effect.forEach(Array.from({ length: 32 }), () => Effect.ignore(sql`select pg_sleep(0.02)`), {
      concurrency: "unbounded"
    })
    return
  }
  assert.fail("PostgreSQL did not start again")
})

/** Ids of the records that meet a condition, in the order, by a plain sort. */
const plainly = ({ admin, ids, model, sql }: Filled, text: string, orders: ReadonlyArray<ListOrder>) => {
  const sorted = orders.map(({ direction, field }) => {
    const number = numbers[field as Name]
    const column =
      number === undefined
        ? field === "createdAt"
          ? "r.created_at"
          : "r.id"
        : `(r.values->>'${ids.get(field)}')::${number.sql}`
    return `${column} ${direction} nulls last`
  })
  return Effect.map(
    sql`select r.id::float8 as id from custom_records r where r.instance_id = ${admin.instanceId}
      and r.model_id = ${model.id} and coalesce(${sql.literal(text)}, false) order by ${sql.literal(sorted.join(", "))}`,
    (rows) => idRows(rows).map(({ id }) => id)
  )
}

const orderOf = (dice: Dice): ReadonlyArray<ListOrder> => {
  const names = ["rank", "part", "flag", "day", "moment", "other", "createdAt"]
  const orders = Array.from({ length: dice.below(3) }, () => ({
    field: names.splice(dice.below(names.length), 1)[0] ?? "rank",
    direction: dice.one(["asc", "desc"] as const)
  }))
  return [
    ...orders,
    { field: "id", direction: orders.at(-1)?.direction ?? dice.one(["asc", "desc"] as const) }
  ]
}

const compare = Effect.fnUntraced(function* (made: Filled, columns: Columns, dice: Dice) {
  const { text, where } = group(dice, made.ids, 3)
  const orders = orderOf(dice)
  const wanted = yield* plainly(made, text, orders)
  const [limit, offset] = [1 + dice.below(50), dice.below(3) === 0 ? dice.below(200) : 0]
  const what = `${text} ${JSON.stringify(orders)} ${limit} ${offset}`
  const told = yield* columns.tell(
    sessionOf(made.admin),
    listOf(made, { and: [where] }, { orders, limit, offset })
  )
  assert.isDefined(told, what)
  assert.strictEqual(told.counted, Math.min(wanted.length, TOTAL_MAX + 1), what)
  assert.deepStrictEqual(told.page?.slice(0, limit), wanted.slice(offset, offset + limit), what)
  if (told.few !== undefined)
    assert.deepStrictEqual(
      told.few.toSorted((a, b) => a - b),
      wanted.toSorted((a, b) => a - b),
      what
    )
  // Behind the record at which that page ends.
  const last = wanted[offset + limit - 1]
  if (last === undefined) return
  const position = orders.map(({ field }) => {
    const number = numbers[field as Name]
    if (number === undefined)
      return field === "createdAt" ? `(extract(epoch from r.created_at) * 1000)::float8` : `r.id::float8`
    const column = `(r.values->>'${made.ids.get(field)}')::${number.sql}`
    return number.sql === "timestamptz" ? `(extract(epoch from ${column}) * 1000)::float8` : column
  })
  const [row] = yield* made.sql<{ readonly after: ReadonlyArray<string | number | boolean | null> }>`
    select json_build_array(${made.sql.literal(position.join(", "))}) as after from custom_records r where r.id = ${last}`
  const next = yield* columns.tell(
    sessionOf(made.admin),
    listOf(made, { and: [where] }, { orders, limit, after: row?.after ?? null })
  )
  assert.deepStrictEqual(
    next?.page?.slice(0, limit),
    wanted.slice(offset + limit, offset + 2 * limit),
    `behind ${what}`
  )
})

/** A page far on of all records; where columns do not tell it, SQL does. */
const compareFar = Effect.fnUntraced(function* (made: Filled, columns: Columns, dice: Dice) {
  const orders = dice.below(2) === 0 ? orderOf(dice).slice(-1) : orderOf(dice)
  const wanted = yield* plainly(made, "true", orders)
  const [limit, offset] = [1 + dice.below(50), 1_200 + dice.below(wanted.length - 1_000)]
  const what = `all ${JSON.stringify(orders)} ${limit} ${offset}`
  const told = yield* columns.tell(sessionOf(made.admin), listOf(made, null, { orders, limit, offset }))
  if (orders.length === 1) assert.isDefined(told, what)
  if (told === undefined) return
  assert.strictEqual(told.counted, Math.min(wanted.length, TOTAL_MAX + 1), what)
  assert.deepStrictEqual(told.page?.slice(0, limit), wanted.slice(offset, offset + limit), what)
  for (const all of [told.few, told.known]) if (all !== undefined) assert.lengthOf(all, wanted.length, what)
})

const live = { excludeTestServices: true, timeout: "120 seconds" } as const

layer(RestFixtures, live)("columns of a model", (it) => {
  it.effect(
    "tell what a plain read of the table finds, whoever writes meanwhile",
    () =>
      Effect.gen(function* () {
        const made = yield* filled
        const { ids, insert, sql } = made
        const columns = yield* heldColumns(made)
        const rolls = dice(20_260_101)
        const rank = ids.get("rank") ?? 0
        for (let n = 0; n < CASES; n++) {
          yield* compare(made, columns, rolls)
          yield* compareFar(made, columns, rolls)
          if (n % 10 === 3) yield* insert(RECORDS + n * 100, RECORDS + n * 100 + rolls.below(90))
          const any = sql`(id * 31 + ${n}::int8) % ${1 + rolls.below(200)}::int8 = 0`
          if (n % 10 === 5)
            yield* sql`update custom_records set values = values || jsonb_build_object(${String(rank)}::text, id % 100),
              updated_at = now() where ${any}`
          if (n % 10 === 7)
            yield* sql`update custom_records set values = values - ${String(rank)}::text where ${any}`
          if (n % 50 === 9) yield* sql`delete from custom_records where ${any}`
        }
      }),
    90_000
  )

  it.effect("see what a transaction wrote that had begun before they were read, once it ends", () =>
    Effect.gen(function* () {
      const made = yield* filled
      const [written, toEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writer = yield* Effect.forkChild(
        made.sql.withTransaction(
          Effect.andThen(
            made.insert(9_001, 9_007),
            Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(toEnd))
          )
        )
      )
      yield* Deferred.await(written)
      // Later transactions end before it.
      yield* made.insert(9_008, 9_008)
      const columns = yield* heldColumns(made)
      assert.strictEqual(yield* counted(columns, made), RECORDS + 1)
      yield* Deferred.succeed(toEnd, undefined)
      yield* Fiber.join(writer)
      assert.strictEqual(yield* counted(columns, made), RECORDS + 8)
    })
  )

  it.effect("of two processes both see what either has written", () =>
    Effect.gen(function* () {
      const made = yield* filled
      const processes = [yield* heldColumns(made), yield* heldColumns(made)]
      for (let n = 1; n <= 5; n++) {
        yield* made.insert(9_000 + n, 9_000 + n)
        for (const columns of processes) assert.strictEqual(yield* counted(columns, made), RECORDS + n)
      }
    })
  )

  it.effect("are there for a model with as many fields as it may have", () =>
    Effect.gen(function* () {
      const more = Array.from({ length: MODEL_FIELDS_MAX - fields.length }, (_, n) => ({
        name: `more${n}`,
        type: "TEXT" as const
      }))
      const made = yield* filledWith(more)
      const columns = yield* heldColumns(made)
      const [one, other] = ["more0", more.at(-1)?.name ?? ""].map((name) => String(made.ids.get(name)))
      yield* made.sql`update custom_records set values = values || jsonb_build_object(${one}::text, 'Перше'::text,
        ${other}::text, 'Останнє'::text) where id = (select min(id) from custom_records where model_id = ${made.model.id})`
      const where: Where = {
        and: [
          { field: "more0", operator: "contains", value: "ПЕРШЕ" },
          { field: more.at(-1)?.name ?? "", operator: "eq", value: "Останнє" }
        ]
      }
      const told = yield* columns.tell(sessionOf(made.admin), listOf(made, where, {}))
      assert.strictEqual(told?.counted, 1)
    })
  )

  it.effect("are not there for another instance, nor where there is no memory for them", () =>
    Effect.gen(function* () {
      const [made, other] = [yield* filled, yield* filled]
      const columns = yield* heldColumns(made)
      assert.isUndefined(yield* columns.tell(sessionOf(other.admin), listOf(made, everything, {})))
      const none = yield* Effect.provideService(modelColumns(made.sql), ColumnBytesMax, 100_000)
      for (let n = 0; n < 20; n++) {
        assert.isUndefined(yield* none.tell(sessionOf(made.admin), listOf(made, everything, {})))
        yield* Effect.sleep("20 millis")
      }
    })
  )

  it.effect("have so much memory: those of the model that was asked for longest ago go first", () =>
    Effect.gen(function* () {
      const [first, second, third] = [yield* filled, yield* filled, yield* filled]
      // Of two of them, and half of a third.
      const bytesMax = (yield* bytesOf(first)) * 2.5
      const columns = yield* Effect.provideService(modelColumns(first.sql), ColumnBytesMax, bytesMax)
      for (const made of [first, second]) assert.strictEqual(yield* untilRead(columns, made), RECORDS)
      assert.strictEqual(yield* counted(columns, first), RECORDS)
      assert.strictEqual(yield* untilRead(columns, third), RECORDS)
      assert.strictEqual(yield* counted(columns, first), RECORDS)
      assert.isUndefined(yield* counted(columns, second))
      assert.strictEqual(yield* counted(columns, third), RECORDS)
    })
  )

  it.effect("go when nobody has asked for half an hour", () => {
    const { clock, move } = movedClock()
    return Effect.gen(function* () {
      const made = yield* filled
      const columns = yield* heldColumns(made)
      for (let n = 0; n < 3; n++) {
        yield* move(29 * MINUTE)
        assert.strictEqual(yield* counted(columns, made), RECORDS)
      }
      yield* move(31 * MINUTE)
      assert.isUndefined(yield* counted(columns, made))
      yield* move(2 * MINUTE)
      assert.strictEqual(yield* untilRead(columns, made), RECORDS)
    }).pipe(Effect.provideService(Clock.Clock, clock))
  })

  it.effect("go when PostgreSQL was started again: it may be a database that they know nothing of", () => {
    const { clock, move } = movedClock()
    return Effect.gen(function* () {
      const made = yield* filled
      const columns = yield* heldColumns(made)
      // As in a copy that was restored: a record that no entry of changes names.
      yield* made.sql`alter table custom_records disable trigger user`
      yield* made.insert(RECORDS + 1, RECORDS + 1)
      yield* made.sql`alter table custom_records enable trigger user`
      assert.strictEqual(yield* counted(columns, made), RECORDS)
      yield* restarted(made)
      assert.isUndefined(yield* counted(columns, made))
      yield* move(2 * MINUTE)
      assert.strictEqual(yield* untilRead(columns, made), RECORDS + 1)
    }).pipe(Effect.provideService(Clock.Clock, clock))
  })
})
