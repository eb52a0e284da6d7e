// The figures as tables of Markdown, for a terminal and for docs/retrieval-figures.md.
import { table } from "../Table.ts"
import type { ConversationFigures, QuestionFigures, SizeFigures } from "./ConversationFigures.ts"
import type { Figures } from "./Evaluation.ts"
import type { UtteranceFigures } from "./UtteranceFigures.ts"

/** The figures of one service. */
export interface Result {
  /** `sqlite`, `opensearch`, or the address of the service. */
  readonly engine: string
  readonly seconds: number
  readonly figures: Figures
}

/** The document of `--json`. */
export interface Results {
  readonly dataset: string
  /** When it was measured, ISO 8601. */
  readonly at: string
  /** Of the checkout, null without one. */
  readonly commit: string | null
  /** Questions sent in parallel. */
  readonly concurrency: number
  readonly results: ReadonlyArray<Result>
}

interface Of<F> {
  readonly engine: string
  readonly figures: F
}

const rankingNames = ["R@1", "R@5", "R@8", "R@10", "any@8", "NDCG@10", "snippet hit"] as const
const utteranceNames = ["P@1", "MRR@8"] as const

/** Everything that was measured. */
export const report = ({ at, concurrency, commit, dataset, results }: Results): string => {
  const conversations = results.flatMap(({ engine, figures }) =>
    figures._tag === "Conversations" ? [{ engine, figures }] : []
  )
  const utterances = results.flatMap(({ engine, figures }) =>
    figures._tag === "Utterances" ? [{ engine, figures }] : []
  )
  return [
    `${dataset}, ${at.slice(0, 10)}${commit === null ? "" : `, commit ${commit}`}, ${concurrency} in parallel, ${results
      .map(({ engine, seconds }) => `${engine} in ${seconds} s`)
      .join(", ")}`,
    ...(conversations.length === 0 ? [] : conversationTables(conversations)),
    ...(utterances.length === 0 ? [] : utteranceTables(utterances)),
    ...results.flatMap(notes)
  ].join("\n\n")
}

const conversationTables = (all: ReadonlyArray<Of<ConversationFigures>>): ReadonlyArray<string> => {
  const named = all.flatMap(({ engine, figures: { categories, overall } }) => [
    [`**${engine}**`, overall] as const,
    ...Object.entries(categories).map(([name, figures]) => [`${engine}: ${name}`, figures] as const)
  ])
  return [
    rateTable(rankingNames, named),
    sizeTable(named),
    table(
      ["", "form", "tokenBudget", "R@10", "snippet hit", "tokens, mean", "median appeals", "median snippets"],
      all.flatMap(({ engine, figures: { budgets } }) =>
        budgets.map((one) => [
          engine,
          one.form,
          String(one.tokenBudget),
          three(one["R@10"]),
          three(one["snippet hit"]),
          ...[one.meanTokens, one.medianAppeals, one.medianSnippets].map(String)
        ])
      )
    ),
    table(
      ["", "packs whole in both forms", "tokens of Markdown by JSON", "facts lost"],
      all.map(({ engine, figures: { forms } }) => [
        engine,
        String(forms.packs),
        three(forms.tokensShare),
        String(forms.factsLost)
      ])
    )
  ]
}

const utteranceTables = (all: ReadonlyArray<Of<UtteranceFigures>>): ReadonlyArray<string> => {
  const named = all.map(({ engine, figures }) => [`**${engine}**`, figures] as const)
  return [rateTable(utteranceNames, named), sizeTable(named)]
}

const notes = ({ engine, figures }: Result): ReadonlyArray<string> => [
  ...(figures._tag === "Conversations" && figures.skipped > 0
    ? [`${engine}: ${figures.skipped} questions without evidence were not sent`]
    : []),
  ...(figures.partial > 0
    ? [
        `${engine}: ${figures.partial} questions had no answer, or one that was partial for another reason than the budget`
      ]
    : [])
]

const rateTable = <Name extends string>(
  names: ReadonlyArray<Name>,
  rows: ReadonlyArray<
    readonly [name: string, figures: Readonly<Record<Name, number>> & Pick<QuestionFigures, "questions">]
  >
): string =>
  table(
    ["", "questions", ...names],
    rows.map(([name, figures]) => [
      name,
      String(figures.questions),
      ...names.map((column) => three(figures[column]))
    ])
  )

const sizeTable = (rows: ReadonlyArray<readonly [string, SizeFigures]>): string =>
  table(
    ["", "latency p50, ms", "p95", "bytes p50", "p95", "tokens p50", "p95"],
    rows.map(([name, { bytes, latencyMillis, tokens }]) => [
      name,
      latencyMillis.p50.toFixed(1),
      latencyMillis.p95.toFixed(1),
      ...[bytes.p50, bytes.p95, tokens.p50, tokens.p95].map(String)
    ])
  )

/** A rate as it is printed, such as `.786`. */
export const three = (rate: number): string => (rate >= 0.9995 ? "1.000" : rate.toFixed(3).slice(1))
