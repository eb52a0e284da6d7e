// The size and the memory of the table of endings and of the known words.
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { cyrillicStem } from "./Stems.ts"
import { fold } from "./Fold.ts"

const bytesOf = (name: string): number => fs.statSync(new URL(name, import.meta.url)).size

describe("the table of endings", () => {
  it("takes at most 250 kB with the known words", () => {
    assert.isAtMost(bytesOf("endings.json") + bytesOf("known.json"), 250_000)
  })

  it("takes at most 5 MB of memory with the known words", () => {
    const urls = ["./Stems.ts", "./KnownWords.ts"].map((name) => new URL(name, import.meta.url).href)
    const measuring = `
      // Garbage is not always collected immediately, so the smallest of five values counts.
      const memory = async () => {
        let least = Infinity
        for (let attempt = 0; attempt < 5; attempt++) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          gc()
          const { arrayBuffers, heapUsed } = process.memoryUsage()
          least = Math.min(least, arrayBuffers + heapUsed)
        }
        return least
      }
      // Loads the TypeScript support before the measurement.
      await import(${JSON.stringify(new URL("../SearchLimits.ts", import.meta.url).href)})
      const before = await memory()
      const loaded = await Promise.all(${JSON.stringify(urls)}.map((url) => import(url)))
      console.log((await memory()) - before, loaded.length)`
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ["--expose-gc", "--input-type=module", "-e", measuring],
      { encoding: "utf8" }
    )
    const [bytes, modules] = stdout.trim().split(" ").map(Number)
    assert.strictEqual(modules, 2, stderr)
    assert.isBelow(bytes ?? Infinity, 5_000_000)
    // The tables are larger than this, so a smaller value would be a wrong measurement.
    assert.isAbove(bytes ?? 0, 100_000)
  })

  it("gives irregular forms of a word one stem", () => {
    const stems = ["дети", "детям", "детьми", "ребёнок"].map((word) => cyrillicStem(fold(word)))
    assert.deepStrictEqual([...new Set(stems)], ["ребенок"])
  })
})
