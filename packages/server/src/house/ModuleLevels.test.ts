// Modules of server/src (a folder, or a file of the root) have no import cycles, and no chain of imports passes more than LEVELS_MAX of them.
import { assert, it } from "@effect/vitest"
import { importsOf, sourceTexts } from "./Imports.ts"

const LEVELS_MAX = 8
const SOURCE = "packages/server/src/"

/** Tests and their helpers may import every module. */
const isProduct = (file: string): boolean =>
  !/\.test\.ts$|\.d\.ts$|Fixtures\.ts$|^(?:testing|house|system)\//u.test(file)

const moduleOf = (file: string): string => file.slice(SOURCE.length).split("/")[0] ?? file

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const graphOf = (files: ReadonlyArray<readonly [file: string, text: string]>): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    const imported = graph.get(moduleOf(file)) ?? new Set()
    graph.set(moduleOf(file), imported)
    for (const { target } of importsOf(file, text))
      if (target.startsWith(SOURCE) && moduleOf(target) !== moduleOf(file)) imported.add(moduleOf(target))
  }
  return graph
}

/** The longest chain of imports below each module, or the modules of a cycle. */
const levelsOf = (graph: Graph): { readonly levels: Map<string, number>; readonly upward: Array<string> } => {
  const levels = new Map<string, number>()
  const upward: Array<string> = []
  const walk = (module: string, way: ReadonlyArray<string>): number => {
    if (way.includes(module)) {
      upward.push([...way.slice(way.indexOf(module)), module].join(" -> "))
      return 0
    }
    const below = [...(graph.get(module) ?? [])].map(
      (next) => levels.get(next) ?? walk(next, [...way, module])
    )
    const level = 1 + Math.max(0, ...below)
    levels.set(module, level)
    return level
  }
  for (const module of graph.keys()) if (!levels.has(module)) walk(module, [])
  return { levels, upward }
}

const texts = [...sourceTexts(`${SOURCE}**/*.{ts,js}`)].filter(([file]) =>
  isProduct(file.slice(SOURCE.length))
)

it("modules of the server import no module above them, on at most 8 levels", () => {
  const { levels, upward } = levelsOf(graphOf(texts))
  assert.isAbove(levels.size, 15, "the modules are found")
  assert.deepStrictEqual(upward, [])
  assert.deepStrictEqual(
    [...levels].filter(([, level]) => level > LEVELS_MAX),
    []
  )
})

it("modules of the server are folders: at most 6 files lie in the root", () => {
  assert.isAtMost(texts.filter(([file]) => !file.slice(SOURCE.length).includes("/")).length, 6)
})
