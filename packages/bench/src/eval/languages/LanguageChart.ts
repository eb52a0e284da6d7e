// The figures of a language as a picture: a group of bars for each set, hit@1 and R@10 of each engine.
import { three } from "../Report.ts"
import type { LanguageFigures, SetFigures } from "./LanguageFigures.ts"

const WIDTH = 860
const GROUP_HEIGHT = 62
const BAR_HEIGHT = 11
const LEFT = 170
const RIGHT = 56
const TOP = 64
const COLOURS: Readonly<Record<string, string>> = {
  "sqlite hit@1": "#7fb2dc",
  "sqlite R@10": "#c5ddf0",
  "opensearch hit@1": "#f0b35f",
  "opensearch R@10": "#f9e0bd"
}
const OTHER_COLOUR = "#8cc79b"

/** An SVG document; it names its fonts and colours itself and loads nothing. */
export const languageChart = ({ language, sets }: LanguageFigures, at: string): string => {
  const groups = [...Map.groupBy(sets, ({ name }) => name)]
  const height = TOP + groups.length * GROUP_HEIGHT + 12
  const x = (rate: number) => Math.round((LEFT + (WIDTH - LEFT - RIGHT) * rate) * 10) / 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#2b2f36">`,
    `<title>Retrieval, questions in ${language}</title>`,
    `<desc>${sets.flatMap((one) => barsOf(one).map(({ name, rate }) => `${one.name} ${name}: ${three(rate)}`)).join("; ")}</desc>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="22" font-size="15" font-weight="600">Questions in ${language}, ${at.slice(0, 10)}</text>`,
    ...Object.entries(COLOURS).flatMap(([name, colour], place) => [
      `<rect x="${16 + 150 * place}" y="34" width="12" height="12" fill="${colour}"/>`,
      `<text x="${34 + 150 * place}" y="44">${name}</text>`
    ]),
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (rate) => `<line x1="${x(rate)}" x2="${x(rate)}" y1="${TOP - 8}" y2="${height - 12}" stroke="#e3e6ea"/>`
    ),
    ...groups.flatMap(([name, ofSet], group) => {
      const top = TOP + GROUP_HEIGHT * group
      return [
        `<text x="${LEFT - 8}" y="${top + GROUP_HEIGHT / 2 - 4}" text-anchor="end">${name}</text>`,
        ...ofSet.flatMap(barsOf).flatMap(({ name, rate }, place) => {
          const y = top + (BAR_HEIGHT + 2) * place
          return [
            `<rect x="${LEFT}" y="${y}" width="${Math.round((x(rate) - LEFT) * 10) / 10}" height="${BAR_HEIGHT}" fill="${COLOURS[name] ?? OTHER_COLOUR}"/>`,
            `<text x="${x(rate) + 4}" y="${y + BAR_HEIGHT - 1}" font-size="10">${three(rate)}</text>`
          ]
        })
      ]
    }),
    "</svg>",
    ""
  ].join("\n")
}

const barsOf = (one: SetFigures): ReadonlyArray<{ readonly name: string; readonly rate: number }> => [
  { name: `${one.engine} hit@1`, rate: one["hit@1"] },
  ...(one["R@10"] === null ? [] : [{ name: `${one.engine} R@10`, rate: one["R@10"] }])
]
