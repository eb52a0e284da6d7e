// The ranking figures as a picture: a group of bars for each of them, and a line at what is wanted.
import { type PackForm, packForms } from "./Asking.ts"
import { referencesOf } from "./Reference.ts"
import { rankingNames, type Result, type Results } from "./Report.ts"

const WIDTH = 860
const HEIGHT = 400
/** Of the picture of budgets below, where there is one. */
const BUDGETS_HEIGHT = 220
const LEFT = 48
const RIGHT = 16
const TOP = 64
const BOTTOM = 44
/** Of a group: what its bars take together. */
const BARS_SHARE = 0.78
const colours = ["#c3c9d1", "#7fb2dc", "#f0b35f", "#8cc79b"] as const
const WANTED_COLOUR = "#c0392b"

interface Series {
  readonly name: string
  readonly figures: Readonly<Record<string, number>>
}

/** An SVG document; it names its fonts and colours itself and loads nothing. */
export const chart = (results: Results): string => {
  const names = results.results.some(({ figures }) => figures._tag === "Conversations")
    ? rankingNames
    : (["P@1", "MRR@8"] as const)
  const references = referencesOf(results.dataset)
  const series: ReadonlyArray<Series> = [
    ...(references === undefined ? [] : [references.plain]),
    ...results.results.map(seriesOf)
  ]
  const lowest = Math.min(1, ...series.flatMap(({ figures }) => names.map((name) => figures[name] ?? 1)))
  // The axis begins at a round share below everything, which the axis itself shows.
  const floor = Math.max(0, Math.floor(lowest * 10 - 0.5) / 10)
  const y = (rate: number) => round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - (rate - floor) / (1 - floor)))
  const groupWidth = (WIDTH - LEFT - RIGHT) / names.length
  const barWidth = (groupWidth * BARS_SHARE) / Math.max(1, series.length)
  const ticks = Array.from({ length: Math.round((1 - floor) * 10) + 1 }, (_, at) => floor + at / 10)
  const budgets = budgetBars(results)
  const height = HEIGHT + (budgets.length > 0 ? BUDGETS_HEIGHT : 0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#2b2f36">`,
    `<title>Retrieval on ${escaped(results.dataset)}</title>`,
    `<desc>${escaped(series.map(({ figures, name }) => `${name}: ${names.map((one) => `${one} ${rate(figures[one])}`).join(", ")}`).join("; "))}</desc>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="22" font-size="15" font-weight="600">${escaped(results.dataset)}, ${results.at.slice(0, 10)}</text>`,
    ...legend(series, references !== undefined),
    ...ticks.flatMap((tick) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e3e6ea"/>`,
      `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end" fill="#68707c">${tick.toFixed(1)}</text>`
    ]),
    ...names.flatMap((name, group) => {
      const begin = LEFT + groupWidth * (group + (1 - BARS_SHARE) / 2)
      const wanted = references?.wanted.figures[name]
      return [
        ...series.flatMap(({ figures }, at) => {
          const value = figures[name]
          if (value === undefined) return []
          const x = begin + barWidth * at
          return [
            `<rect x="${round(x + 1)}" y="${y(value)}" width="${round(barWidth - 2)}" height="${round(y(floor) - y(value))}" fill="${colourOf(at, series)}"/>`,
            // At the foot, where no line crosses it.
            `<text x="${round(x + barWidth / 2)}" y="${round(y(floor) - 6)}" text-anchor="middle" font-size="10">${rate(value)}</text>`
          ]
        }),
        ...(wanted === undefined
          ? []
          : [
              `<line x1="${round(begin - 4)}" x2="${round(begin + groupWidth * BARS_SHARE + 4)}" y1="${y(wanted)}" y2="${y(wanted)}" stroke="${WANTED_COLOUR}" stroke-width="2"/>`
            ]),
        `<text x="${round(LEFT + groupWidth * (group + 0.5))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${name}</text>`
      ]
    }),
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(floor)}" y2="${y(floor)}" stroke="#68707c"/>`,
    ...budgets,
    "</svg>",
    ""
  ].join("\n")
}

const BUDGET_TOP = HEIGHT + 56
const BUDGET_BOTTOM = HEIGHT + BUDGETS_HEIGHT - 28

/** What each form shows at each budget, from 0 to 1: of the first engine, for they hardly differ in it. */
const budgetBars = ({ results }: Results): ReadonlyArray<string> => {
  const [found] = results.flatMap(({ figures }) => (figures._tag === "Conversations" ? [figures] : []))
  if (found === undefined) return []
  const names = ["R@10", "snippet hit"] as const
  const budgets = [...new Set(found.budgets.map(({ tokenBudget }) => tokenBudget))]
  const groups = names.flatMap((name) => budgets.map((tokenBudget) => ({ name, tokenBudget })))
  const width = (WIDTH - LEFT - RIGHT) / groups.length
  const barWidth = (width * BARS_SHARE) / packForms.length
  return [
    `<text x="${LEFT}" y="${HEIGHT + 22}" font-size="15" font-weight="600">Ten appeals within a budget of tokens</text>`,
    ...packForms.flatMap((form, at) => [
      `<rect x="${LEFT + 100 * at}" y="${HEIGHT + 32}" width="12" height="12" fill="${formColour(form)}"/>`,
      `<text x="${LEFT + 100 * at + 18}" y="${HEIGHT + 42}">${form}</text>`
    ]),
    ...groups.flatMap(({ name, tokenBudget }, group) => {
      const left = LEFT + width * (group + (1 - BARS_SHARE) / 2)
      return [
        ...packForms.flatMap((form, at) => {
          const value =
            found.budgets.find((one) => one.form === form && one.tokenBudget === tokenBudget)?.[name] ?? 0
          const top = round(BUDGET_BOTTOM - (BUDGET_BOTTOM - BUDGET_TOP) * value)
          const x = left + barWidth * at
          return [
            `<rect x="${round(x + 1)}" y="${top}" width="${round(barWidth - 2)}" height="${round(BUDGET_BOTTOM - top)}" fill="${formColour(form)}"/>`,
            `<text x="${round(x + barWidth / 2)}" y="${BUDGET_BOTTOM - 6}" text-anchor="middle" font-size="10">${rate(value)}</text>`
          ]
        }),
        `<text x="${round(LEFT + width * (group + 0.5))}" y="${BUDGET_BOTTOM + 18}" text-anchor="middle">${name} at ${tokenBudget}</text>`
      ]
    }),
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${BUDGET_BOTTOM}" y2="${BUDGET_BOTTOM}" stroke="#68707c"/>`
  ]
}

const formColour = (form: PackForm): string => (form === "json" ? colours[0] : colours[1])

const seriesOf = ({ engine, figures }: Result): Series =>
  figures._tag === "Conversations"
    ? { name: engine, figures: Object.fromEntries(rankingNames.map((name) => [name, figures.overall[name]])) }
    : { name: engine, figures: { "P@1": figures["P@1"], "MRR@8": figures["MRR@8"] } }

/** Grey is for others, ours have the colours. */
const colourOf = (at: number, series: ReadonlyArray<Series>): string =>
  colours[(series[0]?.name === "plain BM25" ? at : at + 1) % colours.length] ?? colours[1]

const legend = (series: ReadonlyArray<Series>, hasWanted: boolean): ReadonlyArray<string> => {
  let x = LEFT
  const step = (name: string) => {
    const begin = x
    x += 36 + name.length * 7
    return begin
  }
  return [
    ...series.flatMap(({ name }, at) => {
      const begin = step(name)
      return [
        `<rect x="${begin}" y="34" width="12" height="12" fill="${colourOf(at, series)}"/>`,
        `<text x="${begin + 18}" y="44">${escaped(name)}</text>`
      ]
    }),
    ...(hasWanted
      ? [
          `<line x1="${x}" x2="${x + 14}" y1="40" y2="40" stroke="${WANTED_COLOUR}" stroke-width="2"/>`,
          `<text x="${x + 20}" y="44">wanted, at least</text>`
        ]
      : [])
  ]
}

const rate = (value: number | undefined): string =>
  value === undefined ? "–" : value >= 0.9995 ? "1.000" : value.toFixed(3).slice(1)
const round = (n: number): number => Math.round(n * 10) / 10
const escaped = (text: string): string =>
  text.replace(/&/gu, "&amp;").replace(/</gu, "&lt;").replace(/>/gu, "&gt;")
