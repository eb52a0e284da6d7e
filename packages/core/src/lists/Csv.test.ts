// contract §9.2: a text that a spreadsheet would read as a formula gets an apostrophe in front.
import { assert, it } from "@effect/vitest"
import { csvLine } from "./Csv.ts"

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠a"])("CSV guards the formula %j", (text) => {
  for (const before of ["", "\t", "\r", "\n", " ", ";", "\u00a0", "\ufeff", "\u200b", " \t;"]) {
    const line = csvLine([before + text, "текст"])
    assert.oneOf(line, [`'${before}${text},текст\r\n`, `"'${before}${text}",текст\r\n`])
  }
})

it.each(["a=1", "Ціна - 5", "7", "'=1", "", "п’ять"])("CSV leaves the text %j unchanged", (text) => {
  assert.strictEqual(csvLine([text]), `${text}\r\n`)
})

it("CSV quotes every separator and leaves numbers unchanged", () => {
  assert.strictEqual(csvLine([-1, true, null, 'a"b', "a;b", "a\tb"]), '-1,true,,"a""b","a;b","a\tb"\r\n')
})
