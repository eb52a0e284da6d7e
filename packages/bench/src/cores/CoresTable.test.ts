import { assert, describe, it } from "@effect/vitest"
import { type CoresRound, coresTable } from "./CoresTable.ts"

const round = (changed: Partial<CoresRound>): CoresRound => ({
  perSecond: 1_000,
  mainMicros: 600,
  workersMicros: 0,
  databaseMicros: 400,
  loadMicros: 100,
  p50Millis: 1,
  p95Millis: 2,
  failures: 0,
  ...changed
})
const cellsOf = (table: string, line: number) =>
  (table.split("\n")[line] ?? "").split("|").map((cell) => cell.trim())

describe("the table of cores", () => {
  it("compares what was served, what were served without the load on the same cores, and what the CPU of a request allows", () => {
    const table = coresTable("a read", [
      { name: "one", cores: 1, rounds: [round({})] },
      {
        name: "two",
        cores: 2,
        // The load takes two tenths of a core, so the service has 1.8 of two.
        rounds: [
          round({
            perSecond: 1_440,
            mainMicros: 50,
            workersMicros: 700,
            databaseMicros: 500,
            loadMicros: 139
          })
        ]
      }
    ])
    const heads = cellsOf(table, 0)
    const cell = (line: number, name: string) => cellsOf(table, line)[heads.indexOf(name)]
    assert.strictEqual(cell(3, "req/s of the first"), "1.44 / 1.44 / 1.44")
    assert.strictEqual(cell(3, "without the load"), "1.60 / 1.60 / 1.60")
    assert.strictEqual(cell(3, "by CPU"), "1.60 / 1.60 / 1.60")
    assert.strictEqual(cell(3, "busy cores"), "2.00 / 2.00 / 2.00")
    // The load of a service on one core has the other.
    assert.strictEqual(cell(2, "busy cores"), "1.00 / 1.00 / 1.00")
    assert.strictEqual(cell(2, "without the load"), "1.00 / 1.00 / 1.00")
  })
})
