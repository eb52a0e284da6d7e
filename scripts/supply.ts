// Writes an SBOM (CycloneDX) with a list of licences, and fails if a licence is not allowed.
// `pnpm supply [FOLDER]`; `pnpm supply --check FILE` checks an existing SBOM.
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

/** Licences that ask for a notice at most, so that an image may hold them; SPDX identifiers. */
const ALLOWED: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "PostgreSQL",
  "Unlicense"
])

const maybe = Schema.optionalKey(Schema.String)
/** A licence is an identifier, an expression or a name. A name is never allowed. */
const Licence = Schema.Struct({
  license: Schema.optionalKey(Schema.Struct({ id: maybe, name: maybe })),
  expression: maybe
})
const Component = Schema.Struct({
  group: maybe,
  name: Schema.String,
  version: Schema.String,
  licenses: Schema.optionalKey(Schema.Array(Licence))
})
const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ components: Schema.Array(Component) }))
)

const componentsOf = (file: string) =>
  decode(fs.readFileSync(file, "utf8")).components.map(({ group = "", licenses = [], name, version }) => ({
    name: group === "" ? name : `${group}/${name}`,
    version,
    licences: licenses.map(({ expression, license }) => license?.id ?? expression ?? license?.name ?? "")
  }))

/** Of an expression with OR one licence must be allowed; every other form must be allowed as it stands. */
const isAllowed = (licence: string): boolean =>
  licence
    .replaceAll(/[()]/gu, "")
    .split(" OR ")
    .some((one) => ALLOWED.has(one.trim()))

const check = (file: string) => {
  const components = componentsOf(file)
  if (components.length === 0) throw new Error(`${file} names no component`)
  const refused = components.filter(({ licences }) => licences.length === 0 || !licences.every(isAllowed))
  for (const { licences, name, version } of refused)
    process.stderr.write(`${name} ${version}: ${licences.join(", ") || "no licence"} is not allowed\n`)
  if (refused.length > 0) process.exitCode = 1
  return components
}

const make = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, "sbom.cdx.json")
  const options = ["--sbom-format", "cyclonedx", "--sbom-type", "application", "--prod"]
  const made = spawnSync(
    "npx",
    ["-y", "pnpm@12", "sbom", ...options, "--filter", "@rapport/server", "--out", file],
    { cwd: path.resolve(import.meta.dirname, ".."), stdio: ["ignore", "ignore", "inherit"] }
  )
  if (made.status !== 0) throw new Error(`pnpm sbom ended with ${made.status}`)
  const components = check(file)
  const lines = components.map(({ licences, name, version }) => `${name} ${version}: ${licences.join(", ")}`)
  fs.writeFileSync(path.join(folder, "licences.txt"), `${lines.toSorted().join("\n")}\n`)
  process.stdout.write(`${components.length} components: ${file}\n`)
}

const [first, second] = process.argv.slice(2)
if (first === "--check" && second !== undefined) check(second)
else make(path.resolve(first ?? "node_modules/.cache/supply"))
