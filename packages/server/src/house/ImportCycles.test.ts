// No file of the workspace imports itself indirectly. The linter does not find cycles of type imports.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const packages = path.resolve(import.meta.dirname, "../../..")
const IMPORTED = /(?:^(?:import|export)\s(?:[^"';]*?\sfrom\s)?|\bimport\()"([^"]+\.ts)"/gmu

/** Files that a file imports or exports from, `import type` and `import(…)` included. */
const importsOf = (file: string, text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(IMPORTED), ([, name = ""]) =>
    name.startsWith("@rapport/")
      ? path.join(packages, name.slice("@rapport/".length).replace("/", "/src/"))
      : path.resolve(path.dirname(file), name)
  )

/** Every cycle, as a list of its files. */
const circlesOf = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const circles: Array<string> = []
  const done = new Set<string>()
  const walk = (file: string, way: ReadonlyArray<string>) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" -> "))
    if (done.has(file) || way.includes(file)) return
    for (const next of imports.get(file) ?? []) walk(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return circles
}

it("imports form no cycle, not even of types", () => {
  const files = fs.globSync("*/src/**/*.ts", { cwd: packages })
  const imports = new Map(
    files.map((name) => {
      const file = path.join(packages, name)
      return [file, importsOf(file, fs.readFileSync(file, "utf8"))] as const
    })
  )
  const known = [...imports.values()].flat().filter((file) => imports.has(file))
  assert.isAbove(known.length, files.length, "the imports are found")
  assert.deepStrictEqual(circlesOf(imports), [])
})
