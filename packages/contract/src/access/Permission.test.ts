// The table of docs/contract.md §2 is closed: GET /auth/me shows it to everybody.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { permissions, roles, rolesHolding } from "./Permission.ts"

describe("permissions", () => {
  it("are these and no others", () => {
    assert.deepStrictEqual(
      permissions.toSorted().join(" "),
      "appeals.import audit.read broadcasts.manage broadcasts.read chats.manage chats.read clients.manage clients.read " +
        "context.read context.write directory.manage directory.read imports.write quality.assess quality.manage " +
        "quality.read records.manage records.models records.read scenarios.call scenarios.manage statistics.read " +
        "tickets.manage tickets.read tokens.manage users.manage"
    )
  })

  it("are held by the roles that the table ticks", () => {
    const text = fs.readFileSync(new URL("../../../../docs/contract.md", import.meta.url), "utf8")
    const rows = text.matchAll(/^\| ([a-z]+\.[a-z]+)[^|]*\|((?:[^|\n]*\|){8})$/gmu)
    const table = [...rows].map(([, name, cells = ""]) => {
      const ticked = cells.split("|").map((cell) => cell.includes("✔"))
      return [name, roles.filter((_, i) => ticked[i])]
    })
    assert.deepStrictEqual(Object.fromEntries(table), rolesHolding)
  })
})
