// The figures as tables of Markdown, for a terminal and for docs/retrieval-figures.md.
import { table } from "../Table.ts"
import type { ConversationFigures, SizeFigures } from "./ConversationFigures.ts"
import type { Figures } from "./Evaluation.ts"
import type { FormsFigures } from "./Forms.ts"
import type { UtteranceFigures } from "./UtteranceFigures.ts"

interface Measured<F> {
  readonly set: string
  /** `sqlite`, `opensearch`, or the address of the service. */
  readonly engine: string
  readonly figures: F
}

/** The figures of one set from one service. */
export interface Result extends Measured<Figures> {
  readonly seconds: number
}

/** The document of `--json`. */
export interface Results {
  /** When it was measured, ISO 8601. */
  readonly at: string
  /** Of the checkout, null without one. */
  readonly commit: string | null
  /** Questions sent in parallel. */
  readonly concurrency: number
  readonly forms: ReadonlyArray<{ readonly set: string; readonly figures: FormsFigures }>
  readonly results: ReadonlyArray<Result>
}

type Row = ReadonlyArray<string>

const rankingNames = ["R@1", "R@5", "R@8", "R@10", "any@8", "NDCG@10", "snippet hit"] as const
const utteranceNames = ["P@1", "MRR@8"] as const

/** A table, unless it has no rows. */
const tableOf = (header: Row, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.length === 0 ? [] : [table(header, rows)]

/** Everything that was measured. */
export const report = ({ at, commit, concurrency, forms, results }: Results): string => {
  const conversations = results.flatMap(({ figures, ...of }) =>
    figures._tag === "Conversations" ? [{ ...of, figures }] : []
  )
  const utterances = results.flatMap(({ figures, ...of }) =>
    figures._tag === "Utterances" ? [{ ...of, figures }] : []
  )
  return [
    `${at.slice(0, 10)}${commit === null ? "" : `, commit ${commit}`}, ${concurrency} in parallel`,
    ...results.map((one) => `${titleOf(one)} in ${one.seconds} s`),
    ...tableOf(
      ["forms of words", "forms", "recall", "precision", "recall of verbs"],
      forms.map(({ figures, set }) => [
        set,
        String(figures.forms),
        ...[figures.recall, figures.precision, figures["recall of verbs"]].map(three)
      ])
    ),
    ...conversationTables(conversations),
    ...utteranceTables(utterances),
    ...results.flatMap(notes)
  ].join("\n\n")
}

const titleOf = ({ engine, set }: Measured<unknown>): string => `${set}, ${engine}`

const conversationTables = (all: ReadonlyArray<Measured<ConversationFigures>>): ReadonlyArray<string> => {
  const named = all.flatMap((one) => [
    [`**${titleOf(one)}**`, one.figures.overall] as const,
    ...Object.entries(one.figures.categories).map(
      ([name, figures]) => [`${titleOf(one)}: ${name}`, figures] as const
    )
  ])
  const ways = [...new Set(all.flatMap(({ figures }) => Object.keys(figures.typed)))]
  return [
    ...rateTable(rankingNames, named),
    ...sizeTable(named),
    ...tableOf(
      ["", "form", "tokenBudget", "R@10", "snippet hit", "tokens, mean", "median appeals", "median snippets"],
      all.flatMap((one) =>
        one.figures.budgets.map((budget) => [
          titleOf(one),
          budget.form,
          String(budget.tokenBudget),
          three(budget["R@10"]),
          three(budget["snippet hit"]),
          ...[budget.meanTokens, budget.medianAppeals, budget.medianSnippets].map(String)
        ])
      )
    ),
    ...tableOf(
      ["", "packs whole in both forms", "tokens of Markdown by JSON", "facts lost"],
      all.map((one) => {
        const { factsLost, packs, tokensShare } = one.figures.forms
        return [titleOf(one), String(packs), three(tokensShare), String(factsLost)]
      })
    ),
    ...tableOf(
      ["R@1 as typed, share of the untyped", ...ways],
      all
        .filter(({ figures }) => Object.keys(figures.typed).length > 0)
        .map((one) => [
          titleOf(one),
          ...ways.map((way) => {
            const hit = one.figures.typed[way]
            const untyped = Math.max(one.figures.overall["R@1"], Number.EPSILON)
            return hit === undefined ? "" : `${three(hit)} ${three(hit / untyped)}`
          })
        ])
    )
  ]
}

const utteranceTables = (all: ReadonlyArray<Measured<UtteranceFigures>>): ReadonlyArray<string> => {
  const named = all.map((one) => [`**${titleOf(one)}**`, one.figures] as const)
  return [...rateTable(utteranceNames, named), ...sizeTable(named)]
}

const notes = (one: Result): ReadonlyArray<string> => {
  const { figures } = one
  return [
    ...(figures._tag === "Conversations" && figures.skipped > 0
      ? [`${titleOf(one)}: ${figures.skipped} questions without evidence were not sent`]
      : []),
    ...(figures.partial > 0
      ? [
          `${titleOf(one)}: ${figures.partial} questions had an answer that was partial for another reason than the budget`
        ]
      : [])
  ]
}

const rateTable = <Name extends string>(
  names: ReadonlyArray<Name>,
  rows: ReadonlyArray<readonly [string, Readonly<Record<Name | "questions", number>>]>
): ReadonlyArray<string> =>
  tableOf(
    ["", "questions", ...names],
    rows.map(([name, figures]) => [
      name,
      String(figures.questions),
      ...names.map((column) => three(figures[column]))
    ])
  )

const sizeTable = (rows: ReadonlyArray<readonly [string, SizeFigures]>): ReadonlyArray<string> =>
  tableOf(
    ["", "latency p50, ms", "p95", "bytes p50", "p95", "tokens p50", "p95"],
    rows.map(([name, { bytes, latencyMillis, tokens }]) => [
      name,
      latencyMillis.p50.toFixed(1),
      latencyMillis.p95.toFixed(1),
      ...[bytes.p50, bytes.p95, tokens.p50, tokens.p95].map(String)
    ])
  )

/** A rate as it is printed, such as `.786`. */
const three = (rate: number): string => (rate >= 0.9995 ? rate.toFixed(3) : rate.toFixed(3).slice(1))
