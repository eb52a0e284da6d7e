// The figures as tables of Markdown, for a terminal as for docs/retrieval.md.
import type { ConversationFigures, RankingFigures, SizeFigures } from "./ConversationFigures.ts"
import type { Figures } from "./Evaluation.ts"
import { type Reference, referencesOf } from "./Reference.ts"
import type { UtteranceFigures } from "./UtteranceFigures.ts"

/** The figures of one service. */
export interface Result {
  /** `sqlite`, `opensearch`, or the address of the service that was asked. */
  readonly engine: string
  readonly seconds: number
  readonly figures: Figures
}

/** What `--json` writes. */
export interface Results {
  readonly dataset: string
  /** When it was measured, ISO 8601. */
  readonly at: string
  /** Of the checkout, null where there is none. */
  readonly commit: string | null
  /** Questions that were asked at once. */
  readonly atOnce: number
  readonly results: ReadonlyArray<Result>
}

type Row = ReadonlyArray<string>

export const rankingNames = ["R@1", "R@5", "R@8", "R@10", "any@8", "NDCG@10"] as const
const utteranceNames = ["P@1", "MRR@8"] as const

/** Everything that was measured. */
export const report = ({ at, atOnce, commit, dataset, results }: Results): string => {
  const conversations = results.flatMap(({ engine, figures }) =>
    figures._tag === "Conversations" ? [{ engine, figures }] : []
  )
  const utterances = results.flatMap(({ engine, figures }) =>
    figures._tag === "Utterances" ? [{ engine, figures }] : []
  )
  const parts = [
    `${dataset}, ${at.slice(0, 10)}${commit === null ? "" : `, commit ${commit}`}, ${atOnce} at once, ${results
      .map(({ engine, seconds }) => `${engine} in ${seconds} s`)
      .join(", ")}`,
    ...(conversations.length === 0 ? [] : conversationTables(dataset, conversations)),
    ...(utterances.length === 0 ? [] : utteranceTables(dataset, utterances))
  ]
  return parts.join("\n\n")
}

interface Of<F> {
  readonly engine: string
  readonly figures: F
}

const conversationTables = (
  dataset: string,
  all: ReadonlyArray<Of<ConversationFigures>>
): ReadonlyArray<string> => [
  table(
    ["", "questions", ...rankingNames, "snippet hit"],
    [
      ...referenceRows(dataset, ["questions", ...rankingNames, "snippet hit"]),
      ...all.flatMap(({ engine, figures: { categories, overall } }) => [
        [`**${engine}**`, ...rankingCells(overall)],
        ...Object.entries(categories).map(([name, figures]) => [
          `${engine}: ${name}`,
          ...rankingCells(figures)
        ])
      ])
    ]
  ),
  sizeTable(
    all.flatMap(({ engine, figures: { categories, overall } }) => [
      [`**${engine}**`, overall] as const,
      ...Object.entries(categories).map(([name, figures]) => [`${engine}: ${name}`, figures] as const)
    ])
  ),
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
  ),
  ...all.flatMap(({ engine, figures: { partial, skipped } }) => [
    ...(skipped > 0 ? [`${engine}: ${skipped} questions without evidence were not asked`] : []),
    ...(partial > 0
      ? [
          `${engine}: ${partial} questions had no answer, or one that was partial for another reason than the budget`
        ]
      : [])
  ])
]

const utteranceTables = (
  dataset: string,
  all: ReadonlyArray<Of<UtteranceFigures>>
): ReadonlyArray<string> => [
  table(
    ["", "questions", ...utteranceNames],
    [
      ...referenceRows(dataset, ["questions", ...utteranceNames]),
      ...all.map(({ engine, figures }) => [
        `**${engine}**`,
        String(figures.questions),
        ...utteranceNames.map((name) => three(figures[name]))
      ])
    ]
  ),
  sizeTable(all.map(({ engine, figures }) => [`**${engine}**`, figures])),
  ...all.flatMap(({ engine, figures: { partial } }) =>
    partial > 0
      ? [
          `${engine}: ${partial} questions had no answer, or one that was partial for another reason than the budget`
        ]
      : []
  )
]

const referenceRows = (dataset: string, names: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const references = referencesOf(dataset)
  if (references === undefined) return []
  const row = ({ figures, name }: Reference) => [
    name,
    ...names.map((column) => (figures[column] === undefined ? "" : three(figures[column])))
  ]
  return [row(references.plain), row(references.wanted)]
}

const rankingCells = (figures: RankingFigures): Row => [
  String(figures.questions),
  ...rankingNames.map((name) => three(figures[name])),
  three(figures["snippet hit"])
]

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

/** `.786`, as rates are printed. */
export const three = (rate: number): string => (rate >= 0.9995 ? "1.000" : rate.toFixed(3).slice(1))

/** Columns are as wide as their widest cell; the first is text, the others are numbers. */
export const table = (header: Row, rows: ReadonlyArray<Row>): string => {
  const widths = header.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (row: Row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`
  return [line(header), rule, ...rows.map(line)].join("\n")
}
