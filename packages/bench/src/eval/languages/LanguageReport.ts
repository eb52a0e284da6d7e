// The figures of languages as tables of Markdown.
import { table } from "../../Table.ts"
import { three } from "../Report.ts"
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
