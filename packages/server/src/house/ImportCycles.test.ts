// No file of the workspace imports itself indirectly. The linter does not find cycles of type imports.
import { assert, it } from "@effect/vitest"
import { importsOf, sourceTexts } from "./Imports.ts"

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
  const imports = new Map(
    [...sourceTexts("packages/*/src/**/*.ts")].map(([file, text]) => [
      file,
      importsOf(file, text).map(({ target }) => target)
    ])
  )
  const known = [...imports.values()].flat().filter((file) => imports.has(file))
  assert.isAbove(known.length, imports.size, "the imports are found")
  assert.deepStrictEqual(circlesOf(imports), [])
})
