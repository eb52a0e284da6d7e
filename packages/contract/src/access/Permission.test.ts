// The table of contract §2 and the one that the service judges by are the same.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { roles, rolesHolding } from "../Authorization.ts"

describe("permissions", () => {
  it("are held by the roles that the table ticks", () => {
    const text = fs.readFileSync(new URL("../../../../docs/contract/2-access.md", import.meta.url), "utf8")
    const rows = text.matchAll(/^\| ([a-z]+\.[a-z]+)[^|]*\|((?:[^|\n]*\|){8})$/gmu)
    const table = [...rows].map(([, name, cells = ""]) => {
      const ticked = cells.split("|").map((cell) => cell.includes("✔"))
      return [name, roles.filter((_, i) => ticked[i])]
    })
    assert.deepStrictEqual(Object.fromEntries(table), rolesHolding)
  })
})
