// A text that a spreadsheet would read as a formula gets an apostrophe (contract §1.2, §9.2).
import { assert, it } from "@effect/vitest"
import { csvLine, memberCell } from "./Csv.ts"

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠a"])(
  "an apostrophe precedes the formula %j",
  (text) => {
    for (const before of ["", "\t", "\r", "\n", " ", ";", "\u00a0", "\ufeff", "\u200b", " \t;"])
      assert.match(csvLine([before + text, "текст"]), /^"?'/u)
  }
)

it.each([
  ["a;=1", `"a;'=1"`],
  ["a; @b", `"a;' @b"`],
  ["a\n- b\n+ c", `"a\n'- b\n'+ c"`],
  ["a\r\n=b", `"a\r'\n'=b"`],
  ["a\t＝b", `"a\t'＝b"`]
])("an apostrophe precedes the formula after a separator in %j", (text, cell) => {
  assert.strictEqual(csvLine([text]), `${cell}\r\n`)
})

it.each([
  [["a", "b"], "a, b"],
  [[], ""],
  [[{ a: 1 }], '[{"a":1}]'],
  [{ a: [1] }, '{"a":[1]}'],
  [null, null],
  [false, false]
])("the member %j becomes the cell %j", (value, cell) => {
  assert.strictEqual(memberCell(value), cell)
})

it.each(["a=1", "Ціна - 5", "7", "'=1", "", "п’ять"])("CSV leaves the text %j unchanged", (text) => {
  assert.strictEqual(csvLine([text]), `${text}\r\n`)
})

it("CSV quotes every separator and leaves numbers unchanged", () => {
  assert.strictEqual(csvLine([-1, true, null, 'a"b', "a;b", "a\tb"]), '-1,true,,"a""b","a;b","a\tb"\r\n')
})
