// What `pnpm bench custom-data` asks of a model: every operation, conditions that few, some and most records meet, pages at the
// beginning, far on and at the end.
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}
export interface Operation {
  readonly name: string
  readonly ask: (run: number) => Asked
  /** A page whose cursor the measured one begins at. */
  readonly first?: Asked
}

const get = (name: string, path: string): Operation => ({
  name: `GET ${path.length > 90 ? `${path.slice(0, 87)}...` : path}${name === "" ? "" : ` (${name})`}`,
  ask: () => ({ method: "GET", path: encodeURI(path) })
})
const is = (field: string, op: string, value: unknown) => ({ field, op, value })
const search = (name: string, where: object, more: object = {}): Operation => ({
  name: `search ${name}`,
  ask: () => ({ method: "POST", path: "/search", body: { where, ...more } })
})
const order = (...fields: ReadonlyArray<string>) => ({
  order: fields.map((field) => {
    const [name = "", direction = "asc"] = field.split(" ")
    return { field: name, direction }
  })
})

const contained: ReadonlyArray<readonly [field: string, value: string, share: string]> = [
  ["text", "нема такого", "none"],
  ["text", "рідкісний", "89"],
  ["text", "num77", "111"],
  ["text", "нечасто", "1 in 20"],
  ["text", "інколи", "1 in 5"],
  ["text", "замовлення", "4 in 5"],
  ["name", "9971", "10"],
  ["name", "їжак", "1 in 6"],
  ["text", "ЇЖ", "half"],
  ["text", "о", "all"],
  ["text", "щ", "none"],
  ["text", "ід", "few"],
  ["name", "77", "1 in 30"],
  ["note", "рідкісний", "long, few"],
  ["note", "замовлення", "long, most"],
  ["note", "нема такого", "long, none"]
]
const orders = ["key", "name", "text", "note", "whole", "part", "flag", "rank", "day", "moment", "client"]

const reads = (records: number): ReadonlyArray<Operation> => [
  get("first page", ""),
  get("far page by offset", `?offset=${Math.floor(records * 0.9)}`),
  get("page of 100", "?limit=100"),
  {
    name: "GET ?cursor= (page after 1,000)",
    first: { method: "GET", path: "?offset=1000" },
    ask: () => ({ method: "GET", path: "" })
  },
  ...orders.map((field) => get("", `?order[${field}]=asc`)),
  get("", "?order[whole]=desc"),
  get("", "?order[key]=desc&limit=100"),
  get("found", "?filter[key]=K-777"),
  get("", "?filter[whole]=7"),
  get("half", "?filter[whole][gte]=500"),
  get("", "?filter[flag]=true"),
  get("", "?filter[whole][ne]=7"),
  get("", "?filter[whole][nin]=7,8"),
  get("1 in 20 has one", "?filter[note][isNull]=false"),
  get("", "?filter[note][isNull]=true"),
  get("none", "?filter[client][isNull]=true"),
  get("few", "?filter[day]=2021-05-05"),
  get("half", "?filter[moment][gte]=2026-02-05"),
  get("a text, all but few", "?filter[name][ne]=їжак звонок 7"),
  get("texts, all but few", "?filter[name][nin]=їжак звонок 7,parcel delay 8"),
  get("startsWith, few", "?filter[key][startsWith]=k-777"),
  get("startsWith, 1 in 12", "?filter[name][startsWith]=їж"),
  get("startsWith, all", "?filter[key][startsWith]=k"),
  ...contained.map(([field, value, share]) => get(share, `?filter[${field}][contains]=${value}`)),
  ...contained
    .slice(2, 6)
    .map(([field, value, share]) => get(share, `?filter[${field}][contains]=${value}&order[part]=asc`))
]

const searches: ReadonlyArray<Operation> = [
  search("and of two halves", { and: [is("flag", "eq", true), is("whole", "lt", 500)] }),
  search("and of two halves that never meet", { and: [is("late", "eq", true), is("rank", "lt", 40_000)] }),
  search("and of two halves, few meet both", { and: [is("late", "eq", true), is("rank", "lt", 50_100)] }),
  search("and of three wide texts", {
    and: [
      is("text", "contains", "замовлення"),
      is("text", "contains", "invoice"),
      is("text", "contains", "їжак")
    ]
  }),
  search("and of a wide text and a half", {
    and: [is("text", "contains", "замовлення"), is("flag", "eq", true)]
  }),
  search("and of a wide and a rare text", {
    and: [is("text", "contains", "замовлення"), is("text", "contains", "рідкісний")]
  }),
  search("or of two wide", { or: [is("text", "contains", "замовлення"), is("flag", "eq", true)] }),
  search("or of two rare", { or: [is("text", "contains", "рідкісний"), is("key", "eq", "K-5")] }),
  search("or of a rare one and short letters", {
    or: [is("text", "contains", "щ"), is("key", "eq", "K-5")]
  }),
  search("three deep", {
    and: [
      { or: [{ and: [is("flag", "eq", true), is("whole", "gt", 900)] }, is("day", "lt", "2020-02-01")] },
      is("name", "contains", "рахунок")
    ]
  }),
  search("ordered by one of two halves", { and: [is("flag", "eq", true)] }, order("part")),
  search("ordered by a text", { and: [is("flag", "eq", true)] }, order("name")),
  search("1 in 50, ordered by a text", { and: [is("whole", "lt", 20)] }, order("name")),
  search("correlated: the half at the end of the order", { and: [is("late", "eq", true)] }, order("rank")),
  search("correlated, by creation", { and: [is("late", "eq", true)] }, order("createdAt")),
  search("correlated: few at the end", { and: [is("rank", "gt", 98_000)] }, order("rank")),
  search("two orders", { and: [is("flag", "eq", true)] }, order("whole", "part desc")),
  search("two orders, the first a flag", { and: [is("whole", "lt", 500)] }, order("flag", "part")),
  search(
    "two orders, the second goes with the first",
    { and: [is("whole", "lt", 500)] },
    order("late desc", "rank")
  ),
  search("three orders", { and: [is("whole", "lt", 500)] }, order("name", "day", "part"))
]

const record = (key: string) => ({
  key,
  name: "новий запис",
  text: `звонок доставка ${key} інколи їжак parcel refund нечасто замовлення`,
  whole: 5,
  part: 1.5,
  flag: true,
  day: "2026-01-01",
  moment: "2026-01-01T00:00:00Z"
})
const long = (key: string) => ({ ...record(key), text: `${key} довгий текст про замовлення `.repeat(150) })

let made = 0
const key = () => `N-${process.pid}-${++made}`
const writes: ReadonlyArray<Operation> = [
  { name: "GET one", ask: (run) => ({ method: "GET", path: `/${5_000 + run}` }) },
  { name: "POST one", ask: () => ({ method: "POST", path: "", body: { values: record(key()) } }) },
  {
    name: "POST one, text of 4,000",
    ask: () => ({ method: "POST", path: "", body: { values: long(key()) } })
  },
  {
    name: "upsert one",
    ask: () => ({
      method: "POST",
      path: "/upsert",
      body: { keyField: "key", records: [{ values: record(key()) }] }
    })
  },
  {
    name: "upsert 100 new",
    ask: () => ({
      method: "POST",
      path: "/upsert",
      body: { keyField: "key", records: Array.from({ length: 100 }, () => ({ values: record(key()) })) }
    })
  },
  {
    name: "upsert 100 again",
    ask: (run) => ({
      method: "POST",
      path: "/upsert",
      body: {
        keyField: "key",
        records: Array.from({ length: 100 }, (_, i) => ({
          values: { key: `K-${10_000 + i}`, whole: run + 5 }
        }))
      }
    })
  }
]

export const operations = (records: number): ReadonlyArray<Operation> => [
  ...writes.slice(0, 1),
  ...reads(records),
  ...searches,
  ...writes.slice(1)
]
