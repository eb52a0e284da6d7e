// The figures of languages as tables of Markdown, and as parts of a document that name the language they are of.
import { table, three } from "../Report.ts"
import type { LanguageFigures, LanguageResults } from "./LanguageFigures.ts"

export const languageReport = (results: LanguageResults): string =>
  results.languages.map((one) => `## ${one.language}\n\n${languageTables(results, one)}`).join("\n\n")

const languageTables = ({ at, commit }: LanguageResults, { forms, sets }: LanguageFigures): string => {
  const ways = [...new Set(sets.flatMap(({ typed }) => Object.keys(typed)))]
  const typed = sets.filter((one) => Object.keys(one.typed).length > 0)
  const parts = [
    `Measured ${at.slice(0, 10)}${commit === null ? "" : ` at commit ${commit}`}.`,
    ...(forms === null
      ? []
      : [
          table(
            ["forms of words", "recall", "precision (kin)", "recall of verbs"],
            [[String(forms.forms), ...[forms.recall, forms.precision, forms["recall of verbs"]].map(three)]]
          )
        ]),
    ...(sets.length === 0
      ? []
      : [
          table(
            ["", "questions", "hit@1", "R@10"],
            sets.map((one) => [
              `${one.name}, ${one.engine}`,
              String(one.questions),
              three(one["hit@1"]),
              one["R@10"] === null ? "" : three(one["R@10"])
            ])
          )
        ]),
    ...(typed.length === 0
      ? []
      : [
          table(
            ["hit@1 as typed, share of the untyped", ...ways],
            typed.map((one) => [
              `${one.name}, ${one.engine}`,
              ...ways.map((way) => {
                const hit = one.typed[way]
                return hit === undefined ? "" : `${three(hit)} ${three(hit / Math.max(one["hit@1"], 1e-9))}`
              })
            ])
          )
        ])
  ]
  return parts.join("\n\n")
}

/** `document` with the tables and the chart of each language between its marks; a language without marks is left out. */
export const withTables = (
  document: string,
  results: LanguageResults,
  chartOf: (language: string) => string
): string =>
  results.languages.reduce((text, figures) => {
    const { language } = figures
    const [begin, end] = [`<!-- eval ${language} -->`, `<!-- /eval ${language} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from === -1 || to < from) return text
    const made = `${languageTables(results, figures)}\n\n![hit@1 and R@10 of each set in ${language}](${chartOf(language)})`
    return `${text.slice(0, from + begin.length)}\n\n${made}\n\n${text.slice(to)}`
  }, document)
