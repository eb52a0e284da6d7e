// Modules of server/src (a folder, or a file of the root) have no import cycles, and no chain of imports passes more than LEVELS_MAX of them.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const LEVELS_MAX = 8
const source = path.resolve(import.meta.dirname, "..")
const IMPORTED = /(?:^(?:import|export)\s(?:[^"';]*?\sfrom\s)?|\bimport\()"(\.[^"]+\.[jt]s)"/gmu

/** Tests and their helpers may import every module. */
const isProduct = (file: string): boolean =>
  !/\.test\.ts$|\.d\.ts$|Fixtures\.ts$|^(?:testing|house|system)\//u.test(file)

const moduleOf = (file: string): string => file.split("/")[0] ?? file

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const graphOf = (files: ReadonlyArray<readonly [string, string]>): Graph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    const imported = graph.get(moduleOf(file)) ?? new Set()
    graph.set(moduleOf(file), imported)
    for (const [, name = ""] of text.matchAll(IMPORTED)) {
      const module = moduleOf(path.join(path.dirname(file), name))
      if (module !== moduleOf(file)) imported.add(module)
    }
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

const files = fs.globSync("**/*.{ts,js}", { cwd: source }).filter(isProduct)
const texts = files.map((file) => [file, fs.readFileSync(path.join(source, file), "utf8")] as const)

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
  assert.isAtMost(files.filter((file) => !file.includes("/")).length, 6)
})
