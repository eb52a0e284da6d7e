// What a service tells the collector of V8, seen in a process of its own: it holds for the whole process.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"

const GARBAGE = path.join(import.meta.dirname, "Garbage.ts")
const MEASURED_MILLIS = 20
/** Each line of V8 tells the limit that the collection before set. */
const COLLECTIONS = 3

/** How large old objects may grow before they are collected, of what is alive: under load, and at rest after it. */
const growths = (): ReadonlyArray<number> => {
  const program = `
    import { setTimeout } from "node:timers/promises"
    import { prepareCollector } from ${JSON.stringify(GARBAGE)}
    globalThis.alive = Array.from({ length: 400_000 }, (_, n) => ({ n, text: "object " + n }))
    const collect = (name) => {
      for (let n = 0; n < ${COLLECTIONS}; n++) globalThis.gc()
      console.log("after " + name)
    }
    const until = performance.now() + ${20 * MEASURED_MILLIS}
    const work = () => {
      const end = performance.now() + ${MEASURED_MILLIS}
      while (performance.now() < end);
      if (end < until) return setImmediate(work)
      collect("load")
      setTimeout(${20 * MEASURED_MILLIS}).then(() => collect("rest"))
    }
    prepareCollector(${MEASURED_MILLIS})
    work()`
  const flags = ["--expose-gc", "--trace-gc-nvp", "--max-semi-space-size=1", "--input-type=module"]
  const said = execFileSync(process.execPath, [...flags, "--eval", program], { encoding: "utf8" })
  return said
    .split(/^after \w+$/mu)
    .slice(0, -1)
    .map((lines) => {
      const last = lines.split("\n").findLast((line) => line.includes("gc=mc")) ?? ""
      const of = (name: string) => Number(new RegExp(` ${name}=(\\d+)`, "u").exec(last)?.[1])
      return of("old_gen_allocation_limit") / of("end_object_size")
    })
}

describe("the collector of a service", () => {
  it("lets old objects grow to two and a half times what is alive under load, and as V8 sees fit at rest", () => {
    const [loaded = 0, resting = 0] = growths()
    assert.closeTo(loaded, 2.5, 0.1)
    assert.isAbove(resting, 1)
    assert.isAbove(Math.abs(resting - loaded), 0.01)
  })
})
