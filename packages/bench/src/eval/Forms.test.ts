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

const figuresBy = (stemOf: (form: string) => string) =>
  formsFigures({ forms: formsOf(file.join("\n")), stemOf })

describe("formsFigures", () => {
  it("is 1 if every lemma has its own stem, and a verb shares the stem of its reflexive form", () => {
    const stems: Readonly<Record<string, string>> = { дому: "дім", миється: "миє" }
    const figures = figuresBy((form) => stems[form] ?? form)
    assert.deepStrictEqual(figures, { forms: 5, recall: 1, precision: 1, "recall of verbs": 1 })
  })

  it("weighs separated and merged forms by frequency", () => {
    // дому and дома share a stem. дім and each verb have their own.
    const figures = figuresBy((form) => (form.startsWith("дом") ? "дом" : form))
    assert.deepStrictEqual(figures, { forms: 5, recall: 0, precision: 0, "recall of verbs": 0 })
    // All forms share one stem. The terms are the shares of the weight that belong to the same lemma.
    const { precision, recall } = figuresBy(() => "x")
    assert.strictEqual(recall, 1)
    assert.closeTo(precision, (3 / 7 + 3 / 9 + 0 + 1 / 9 + 1 / 9) / 10, 1e-9)
  })
})
