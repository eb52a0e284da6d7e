import { assert, describe, it } from "@effect/vitest"
import type { LanguageResults } from "./LanguageFigures.ts"
import { languageReport } from "./LanguageReport.ts"
import { setsOf } from "./LanguageSets.ts"

const set = { name: "help-uk", questions: 4, "hit@1": 0.5, "R@10": 0.75 }
const results: LanguageResults = {
  at: "2026-11-22T12:00:00.000Z",
  commit: "abc1234",
  concurrency: 2,
  languages: [
    {
      language: "uk",
      forms: { forms: 10, recall: 0.99, precision: 0.97, "recall of verbs": 1 },
      sets: [
        { ...set, engine: "sqlite", typed: { "with one typo": 0.25 } },
        { ...set, engine: "opensearch", typed: {} },
        { ...set, engine: "sqlite", name: "intents-uk", "R@10": null, typed: {} }
      ]
    }
  ]
}

describe("languageReport", () => {
  it("prints forms, every set on every engine, and hit@1 of mistyped questions", () => {
    const text = languageReport(results)
    assert.include(text, "| 10             |   .990 |            .970 |           1.000 |")
    assert.include(text, "| help-uk, sqlite     |         4 |  .500 | .750 |")
    assert.include(text, "| intents-uk, sqlite  |         4 |  .500 |      |")
    assert.include(text, "| help-uk, sqlite                      |     .250 .500 |")
    assert.notInclude(text, "| help-uk, opensearch                  |")
  })
})

describe("setsOf", () => {
  it("takes language and kind from the name, and ignores other files", () => {
    const names = [
      "README.md",
      "help-ru2uk.dev.json",
      "help-uk-0other.json",
      "forms-uk.tsv",
      "intents-ru.csv",
      "x.json"
    ]
    const { forms, questions } = setsOf("d", names, [])
    assert.deepStrictEqual(forms, [{ name: "forms-uk", language: "uk", file: "d/forms-uk.tsv" }])
    assert.deepStrictEqual(
      questions.map(({ language, name }) => [name, language]),
      [
        ["help-ru2uk", "ru"],
        ["help-uk-0other", "uk"],
        ["intents-ru", "ru"]
      ]
    )
    assert.deepStrictEqual(setsOf("d", names, ["help-uk-0other", "help"]).questions.length, 1)
  })
})
