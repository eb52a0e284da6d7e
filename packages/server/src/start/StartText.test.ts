// The last lines of a start: addresses, logins, and a command to paste (docs/contract/11-running.md).
import { assert, describe, it } from "@effect/vitest"
import { startText } from "./StartText.ts"

const origin = "http://127.0.0.1:8080"

describe("the text of a start", () => {
  it("the start text has the addresses, the logins and one command, in lines that fit a terminal", () => {
    const text = startText({ origin, demoLogins: ["administrator", "operator", "other.administrator"] })
    const lines = text.split("\n")
    for (const path of ["", "/api-docs", "/swagger.json", "/demo/phone"])
      assert.isTrue(
        lines.some((line) => line.startsWith("  ") && line.endsWith(` ${origin}${path}`)),
        path
      )
    assert.include(text, "  administrator, operator, other.administrator\n")
    assert.include(text, '"login":"operator"')
    assert.lengthOf(text.match(/^TOKEN=/gmu) ?? [], 1)
    assert.isEmpty(lines.filter((line) => line.length > 160))
  })

  it("the start text names no logins and no command if no demo login works", () => {
    const text = startText({ origin, demoLogins: [] })
    assert.include(text, `${origin}/api-docs`)
    assert.notMatch(text, /rapport-demo|curl|phone/u)
  })
})
