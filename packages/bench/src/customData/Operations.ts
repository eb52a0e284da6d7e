// The records of `pnpm bench custom-data`, and its operations: conditions that few, some and most records meet.

const words = "рахунок доставка їжак ґанок возврат звонок ёлка подъезд invoice parcel refund delay".split(" ")

/** Spreads the numbers of records over a range, the same at each start. */
const spreadOf = (n: number, seed: number, size: number): number =>
  (Math.imul(n * 31 + seed, 0x9e3779b1) >>> 8) % size

const wordsOf = (n: number, ...seeds: ReadonlyArray<number>): string =>
  seeds.map((seed) => words[spreadOf(n, seed, words.length)]).join(" ")

const DAY_MILLIS = 86_400_000
const since = (year: number, millis: number): string => new Date(Date.UTC(year) + millis).toISOString()

/** Every 1,123rd record has "рідкісний", one of 5 "інколи", four of 5 "замовлення". */
export const valuesOf = (n: number, records: number) => {
  const rare = [n % 1_123 === 7 && "рідкісний", n % 5 === 2 && "інколи"]
  const common = n % 5 === 1 ? [] : ["Замовлення"]
  const marks = rare.filter((word) => word !== false)
  const text = [wordsOf(n, 1, 2, 3, 4, 5), `num${spreadOf(n, 7, 50_000)}`, ...marks, ...common].join(" ")
  return {
    key: `K-${n}`,
    name: `${wordsOf(n, 11, 12)} ${n % 9_973}`,
    text,
    ...(n % 20 === 0 ? { note: `${text} `.repeat(10 + (n % 30)).trim() } : {}),
    whole: spreadOf(n, 0, 1_000),
    part: spreadOf(n, 5, 1_000_000) / 8,
    flag: spreadOf(n, 9, 2) === 0,
    late: n > records / 2,
    rank: n,
    day: since(2020, spreadOf(n, 3, 2_000) * DAY_MILLIS).slice(0, 10),
    time: since(2026, n * 60_000),
    client: 501
  }
}

/** A GET, unless there is a body. */
export interface Operation {
  readonly name: string
  readonly url: string
  readonly body?: (n: number) => object
}

const list = (query: string, share = ""): Operation => ({
  name: `GET ?${query} ${share}`.trim(),
  url: `?${query}`
})
const is = (field: string, op: string, value: unknown) => ({ field, op, value })
const contains = (word: string) => is("text", "contains", word)
const search = (name: string, where: object, ...order: ReadonlyArray<string>): Operation => ({
  name: `search ${name}`,
  url: "/search",
  body: () => ({ where, order: order.map((field) => ({ field, direction: "asc" })) })
})

const reads: ReadonlyArray<Operation> = [
  { name: "GET one", url: "/5000" },
  list("limit=100"),
  list("offset=90000"),
  list("order[name]=asc"),
  list("filter[key]=K-777", "one"),
  list("filter[whole]=7", "few"),
  list("filter[whole][gte]=500", "half"),
  list("filter[note][isNull]=true", "19 of 20"),
  list("filter[name][startsWith]=їж", "1 of 12"),
  list("filter[text][contains]=рідкісний", "1 of 1,123"),
  list("filter[text][contains]=інколи", "1 of 5"),
  list("filter[text][contains]=ЇЖ", "two letters, half"),
  list("filter[text][contains]=щ", "one letter, none"),
  search("three common words", { and: ["замовлення", "invoice", "їжак"].map(contains) }),
  search("either of two common ones", { or: [contains("замовлення"), is("flag", "eq", true)] }),
  search("the half at the end of the order", { and: [is("late", "eq", true)] }, "rank"),
  search("half, three orders", { and: [is("whole", "lt", 500)] }, "name", "day", "part")
]

let made = 0
/** A record that does not exist yet. */
const newRecord = () => ({ values: { ...valuesOf(++made, 0), key: `N-${process.pid}-${made}` } })
const upsert = (name: string, records: (n: number) => ReadonlyArray<object>): Operation => ({
  name: `upsert ${name}`,
  url: "/upsert",
  body: (n) => ({ keyField: "key", records: records(n) })
})
const hundred = Array.from({ length: 100 }, (_, i) => i)

const writes: ReadonlyArray<Operation> = [
  { name: "POST one", url: "", body: () => newRecord() },
  upsert("100 new", () => hundred.map(() => newRecord())),
  upsert("100 that exist", (n) => hundred.map((i) => ({ values: { key: `K-${10_000 + i}`, whole: n } })))
]

export const operations: ReadonlyArray<Operation> = [...reads, ...writes]
