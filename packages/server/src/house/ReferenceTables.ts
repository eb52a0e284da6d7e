// The generated tables of docs/contract: limits, permissions, error codes and settings. A table is placed between
// `<!-- generated: NAME -->` and `<!-- end -->`.
import { permissions, roles, rolesHolding } from "@rapport/contract/Authorization.ts"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Config, readConfig } from "../Config.ts"

const root = path.resolve(import.meta.dirname, "../../../..")
const folder = path.join(root, "docs/contract")
const source = (name: string) => fs.readFileSync(path.join(root, "packages/contract/src", name), "utf8")

/** A cell of one sentence has no full stop. */
const row = (cells: ReadonlyArray<string | number>): string =>
  `| ${cells.map((cell) => String(cell).replace(/^([^.]*)\.$/u, "$1")).join(" | ")} |`
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  [head, head.map(() => "---"), ...rows].map(row).join("\n")

const errorCodes = (): string => {
  const classes = source("Errors.ts").matchAll(
    /\/\*\*\s+(?:\* )?(\d{3}): ((?:(?!\*\/)[^])*?)\s+\*\/\nexport class \w+ [^]*?problem\("([A-Z_]+)"/gu
  )
  return table(
    ["HTTP", "`code`", "When"],
    Array.from(classes, ([, status = "", when = "", code = ""]) => [
      status,
      code,
      when.replaceAll(/\n \* /gu, " ")
    ])
  )
}

const permissionTable = (): string => {
  const meanings = new Map(
    Array.from(
      source("Authorization.ts").matchAll(/\/\*\* (.*?) \*\/\n {2}"([a-z.]+)": \[/gu),
      ([, text = "", name = ""]) => [name, text]
    )
  )
  return table(
    ["Permission", "Allows", ...roles],
    permissions.map((permission) => [
      permission,
      meanings.get(permission) ?? "",
      ...roles.map((role) => (rolesHolding[permission].some((holder) => holder === role) ? "✔" : ""))
    ])
  )
}

/** `1_048_576` → `1,048,576`, `256 * 1024` → `262,144`, a range with its default. */
const numberOf = (expression: string): string =>
  expression
    .replaceAll("_", "")
    .split("+")
    .map((sum) => sum.split("*").reduce((product, factor) => product * Number(factor), 1))
    .reduce((a, b) => a + b, 0)
    .toLocaleString("en")

const boundsOf = (text: string): ReadonlyArray<string> =>
  ["minimum", "default", "maximum"].map((name) =>
    numberOf(new RegExp(`${name}: ([\\d_]+)`, "u").exec(text)?.[1] ?? "")
  )

/** The members of a constant of Limits.ts: comment, name and value. */
const membersOf = (constant: string): ReadonlyArray<readonly [string, string, string]> => {
  const [, body = ""] =
    new RegExp(`${constant} = \\{([^]*?)\\n\\} as const`, "u").exec(source("Limits.ts")) ?? []
  return Array.from(
    body.matchAll(/\/\*\* (.*?) \*\/\n {2}(\w+): (\{.*?\}|[\d_]+)/gu),
    ([, text = "", name = "", value = ""]) => [text, name, value] as const
  )
}

const trafficLimits = (): string =>
  table(
    ["`RAPPORT_LIMIT_…`", "Default", "Counts"],
    membersOf("TrafficDefaults").map(([text, name, value]) => [name, numberOf(value), text])
  )

const contextLimits = (): string =>
  table(
    ["Member", "Minimum", "Default", "Maximum", "Meaning"],
    membersOf("ContextLimits").map(([text, name, bounds]) => [
      name === "actionsLimit" ? "actions.limit" : name,
      ...boundsOf(bounds),
      text
    ])
  )

interface FixedLimit {
  readonly text: string
  readonly name: string
  /** A number, or the bounds of one. */
  readonly value: string
}

/** The single constants of Limits.ts by the headings of that file. `@schema` marks bounds of the OpenAPI document. */
const limitsByHeading = (isInSchema: boolean): ReadonlyMap<string, ReadonlyArray<FixedLimit>> => {
  const parts = source("Limits.ts").split(/^\/\/ (?=[A-Z][^.\n]*$)/mu)
  return new Map(
    parts.flatMap((part) => {
      const [heading = ""] = part.split("\n")
      const limits = Array.from(
        part.matchAll(/^\/\*\* (.*?)( @schema)? \*\/\nexport const (\w+) = (\{ minimum[^}]*\}|\d[^\n]*)/gmu),
        ([, text = "", mark, name = "", value = ""]) => ({ text, name, value, mark })
      ).filter(({ mark }) => (mark !== undefined) === isInSchema)
      return limits.length === 0 ? [] : [[heading, limits] as const]
    })
  )
}

/** The greatest value of each limit that the OpenAPI document states. */
export const schemaLimits = (): ReadonlyMap<string, number> =>
  new Map(
    [...limitsByHeading(true).values()].flat().map(({ name, value }) => {
      const greatest = value.startsWith("{") ? boundsOf(value)[2] : numberOf(value)
      return [name, Number(greatest?.replaceAll(",", ""))] as const
    })
  )

const fixedLimits = (): string =>
  table(
    ["Of", "Limit", "Value"],
    [...limitsByHeading(false)].flatMap(([heading, limits]) =>
      limits.map(({ text, value }, index) => [index === 0 ? heading : "", text, numberOf(value)])
    )
  )

/** The document has the order, the meanings, and the defaults in words. The rest is what Config reads. */
const settings = ({ allowed, names, shown }: Config["Service"], written: string): string => {
  const documented = [...names].filter((name) => {
    const isDescribedElsewhere = name.startsWith("OTEL_") || name.startsWith("RAPPORT_LIMIT_")
    return !isDescribedElsewhere && !(name.endsWith("_FILE") && names.has(name.slice(0, -"_FILE".length)))
  })
  const rows = Array.from(
    written.matchAll(/^\| ([A-Z][A-Z\d_]+)[^|]* \| ([^|]+) \| [^|]*\| ([^|]+) \|$/gmu)
  ).map(([, name = "", meaning = "", byDefault = ""]) => ({ name, meaning, byDefault }))
  const unexplained = documented.filter((name) => rows.every((row) => row.name !== name))
  const unread = rows.flatMap(({ name }) => (names.has(name) ? [] : [name]))
  if (unexplained.length + unread.length > 0)
    throw new Error(`11-running.md lacks ${unexplained.join(", ")} or has unread ${unread.join(", ")}`)
  return table(
    ["Variable", "Meaning", "Values", "Default"],
    rows.map(({ byDefault, meaning, name }) => [
      names.has(`${name}_FILE`) ? `${name}, ${name}_FILE` : name,
      meaning,
      allowed.get(name) ?? "",
      /[ `]/u.test(byDefault) ? byDefault : (shown[name] ?? "none")
    ])
  )
}

const tables: Readonly<Record<string, (defaults: Config["Service"], written: string) => string>> = {
  "error codes": errorCodes,
  permissions: permissionTable,
  "context limits": contextLimits,
  "traffic limits": trafficLimits,
  limits: fixedLimits,
  settings
}

const BLOCK = /(<!-- generated: ([a-z ]+) -->\n)([^]*?)(<!-- end -->)/gu

const withTables = (text: string, defaults: Config["Service"]): string =>
  text.replaceAll(BLOCK, (_, begin: string, name: string, written: string, end: string) => {
    const table = tables[name]
    if (table === undefined) throw new Error(`there is no table "${name}"`)
    return `${begin}${table(defaults, written)}\n${end}`
  })

/** Every document with a table: its current text, and its text with regenerated tables. */
export const referenceDocuments = Effect.gen(function* () {
  const defaults = yield* readConfig({}, { terminal: false })
  return fs
    .globSync("*.md", { cwd: folder })
    .toSorted()
    .map((name) => ({
      file: path.join(folder, name),
      text: fs.readFileSync(path.join(folder, name), "utf8")
    }))
    .filter(({ text }) => text.includes("<!-- generated:"))
    .map(({ file, text }) => ({ file, text, current: withTables(text, defaults) }))
})
