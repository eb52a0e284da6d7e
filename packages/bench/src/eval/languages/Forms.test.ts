import { assert, describe, it } from "@effect/vitest"
import { formsFigures, formsOf } from "./Forms.ts"

const file = [
  "дім\tдім\tNOUN\t3",
  "дому\tдім\tNOUN\t1",
  "дома\tдома\tADV\t4",
  "миє\tмити\tVERB\t1",
  "миється\tмитися\tVERB\t1",
  ""
]

const figuresBy = (stemOf: (form: string) => string) => formsFigures(formsOf(file.join("\n")), stemOf)

describe("formsFigures", () => {
  it("is 1 when every lemma has a stem of its own, a verb and its reflexive one", () => {
    const stems: Readonly<Record<string, string>> = { дому: "дім", миється: "миє" }
    const figures = figuresBy((form) => stems[form] ?? form)
    assert.deepStrictEqual(figures, { forms: 5, recall: 1, precision: 1, "recall of verbs": 1 })
  })

  it("counts what is parted and what falls together by frequency", () => {
    // дому and дома have one stem; дім stands alone, and so do the verbs.
    const figures = figuresBy((form) => (form.startsWith("дом") ? "дом" : form))
    assert.deepStrictEqual(figures, { forms: 5, recall: 0, precision: 0, "recall of verbs": 0 })
    // All have one stem: of the weight of 10 that дім meets, 1 of 7 is of its lemma, and so on.
    const { precision, recall } = figuresBy(() => "x")
    assert.strictEqual(recall, 1)
    assert.closeTo(precision, (3 / 7 + 3 / 9 + 0 + 1 / 9 + 1 / 9) / 10, 1e-9)
  })
})
