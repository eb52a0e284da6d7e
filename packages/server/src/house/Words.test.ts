// Comments, names, messages, test titles and documents use the words that CONTRIBUTING.md, "Words", gives.
import { assert, describe, it } from "@effect/vitest"
import * as path from "node:path"
import { sourceTexts } from "./Imports.ts"

/** What to write instead of words and phrases. Names are read word by word: `heldAtOnce` is "held at once". */
const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    anew: "again, recomputed, rebuilt",
    "anybody|somebody|whoever|who asks": "the caller, or the noun that is meant",
    "asked|asks": "requested, the request, the caller",
    "at once": "immediately, in one statement, in parallel (say which)",
    "at rest": "idle",
    alone: "only",
    away: "unavailable, removed",
    beside: "in addition to, in parallel with, next to",
    "by itself|of itself": "automatically, independently",
    "crowd|crowds": "flooding tenant",
    "customer|customers": "client",
    "dear|dearer|dearest": "expensive, most expensive",
    "debt|obligation|obligations": "backlog, outbox entry",
    "forgets|forgotten": "evicts, evicted, dropped",
    gate: "limit, check",
    ground: "base",
    "he|him|his": "they, their",
    held: "locked, kept",
    "in turn": "round-robin, alternately, in order (say which)",
    "judge|judged|judges": "check, authenticate, authorize, validate (say which)",
    "let in": "admitted",
    "moment|moments": "time, timestamp",
    "neighbour|neighbours": "other tenants, adjacent",
    "no more(?! than)": "no longer",
    "on the way": "in flight",
    "patience|patient": "timeout, lock timeout",
    "poke|pokes": "notify",
    "remembered|remembers": "cached, recorded",
    "(?<!chat )room|(?<!chat )rooms": "module, handler",
    served: "active, answered",
    "standing|standings": "status",
    "told|tells": "returned, returns, reports",
    "tried again": "retried",
    "wall|walls": "boundary"
  }).flatMap(([words, instead]) => words.split("|").map((word) => [word, instead] as const))
)

/** Uses that are right: a file, or the folder it is in, and the words around the use as they are written there. */
const allowed: ReadonlyArray<readonly [file: string, text: string]> = [
  // Names on the wire and of settings.
  ["", "REST_AT_ONCE"],
  ["", "READS_AT_ONCE"],
  // A restore holds messages until somebody releases them; members of the output and names in the database say so.
  ["packages/server/src/cli/", "held"],
  ["packages/server/src/postgres/backup/", "held"],
  // A model knows a client as a customer.
  ["packages/mcp/src/Tools.ts", "(customer)"],
  ["packages/mcp/src/Tools.ts", "what they asked before"],
  // Texts and slots of the demo.
  ["packages/demo/src/ClientActions.ts", "debt"],
  ["packages/demo/src/Properties.ts", "Customer support"],
  ["packages/demo/src/Slots.ts", "months[language].alone"],
  // Words that the search knows.
  ["packages/core/src/search/text/Stems.ts", "forget forgot forgotten"],
  ["packages/core/src/search/text/Stems.ts", "hold held"],
  ["packages/core/src/search/text/Stems.ts", "tell told"],
  ["packages/core/src/search/text/StopWords.ts", "i you he she we"],
  ["packages/core/src/search/text/StopWords.ts", "me him her his us"],
  // A greeting.
  ["packages/contract/src/scenarios/Bot.ts", "Dear client"]
]

const phrase = (word: string) => word.replaceAll(" ", "[\\s*/]+")
const FIND = new RegExp(
  `(?<![\\p{L}'-])(?:${[...replacements.keys()].map(phrase).join("|")})(?![\\p{L}-])`,
  "giu"
)
const TOKEN =
  /\/\*[^]*?\*\/|(?:\/\/[^\n]*\n?[ \t]*)+|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\p{L}_$][\p{L}\p{N}_$]*/gu
const TITLE = /\b(?:describe|it|layer)\b[^"`\n]*$/u
const QUOTED_CODE = /```[^]*?```|`[^`\n]*`|\]\([^)]*\)/gu
/** The table of replaced words itself. */
const GLOSSARY = /^\| Word \| Means \| Not \|\n(?:\|.*\n)+/gmu

const blank = (text: string) => text.replaceAll(/[^\n]/gu, " ")
const wordsOf = (name: string) => name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|[_$]/gu, " ")

/** The parts of a file that people read, each with its place. Strings are messages in a product file, titles in a test. */
const readable = (file: string, text: string): ReadonlyArray<readonly [index: number, part: string]> => {
  if (file.endsWith(".md")) return [[0, text.replaceAll(GLOSSARY, blank).replaceAll(QUOTED_CODE, blank)]]
  const isTest = /\.test\.ts$|\/testing\//u.test(file)
  const isRead = (token: string, index: number) =>
    !/^["']/u.test(token) ||
    (isTest ? TITLE.test(text.slice(Math.max(0, index - 100), index)) : token.includes(" "))
  return Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => [index, token] as const)
    .filter(([index, token]) => isRead(token, index))
    .map(([index, token]) => [index, /^[/"']/u.test(token) ? token : wordsOf(token)] as const)
}

const insteadOf = (word: string) =>
  [...replacements].find(([key]) =>
    new RegExp(`^${phrase(key).replace(/^\(\?<!.*?\)/u, "")}$`, "iu").test(word)
  )?.[1] ?? ""

/** `file:line "word": what to write` of each use that is not allowed. */
const faultsIn = (file: string, text: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const name = path.basename(file).split(".")[0] ?? ""
  for (const [word] of wordsOf(name).matchAll(FIND))
    faults.push(`${file} "${word}": write ${insteadOf(word)}`)
  const uses = allowed.filter(([where]) => file.startsWith(where)).map(([, use]) => use)
  for (const [start, part] of readable(file, text))
    for (const { 0: word, index } of part.matchAll(FIND)) {
      const at = start + Math.min(index, part.length)
      const around = text.slice(Math.max(0, at - 80), at + 80)
      if (uses.some((use) => around.includes(use))) continue
      const line = text.slice(0, at).split("\n").length
      faults.push(`${file}:${line} "${word.replaceAll(/[\s*/]+/gu, " ")}": write ${insteadOf(word)}`)
    }
  return faults
}

describe("the words of the repository", () => {
  it("are those of the glossary", () => {
    const texts = [
      ...sourceTexts(
        "*.md",
        "docs/**/*.md",
        "scripts/**/*.ts",
        "packages/*/*.{js,md}",
        "packages/*/src/**/*.{js,md,ts}"
      )
    ].filter(([file]) => file !== "CHANGELOG.md" && !file.endsWith("house/Words.test.ts"))
    assert.deepStrictEqual(
      texts.flatMap(([file, text]) => faultsIn(file, text)),
      []
    )
  })

  it.each([
    [
      "a comment",
      "src/A.ts",
      "const a = 1\n/** What was asked\n * at once. */",
      [
        `src/A.ts:2 "asked": write requested, the request, the caller`,
        `src/A.ts:3 "at once": write immediately, in one statement, in parallel (say which)`
      ]
    ],
    ["a name", "src/A.ts", "const isHeldByName = 1", [`src/A.ts:1 "Held": write locked, kept`]],
    ["a name of a file", "src/Told.ts", "", [`src/Told.ts "Told": write returned, returns, reports`]],
    [
      "a message",
      "src/A.ts",
      'fail("the token was forgotten")',
      [`src/A.ts:1 "forgotten": write evicts, evicted, dropped`]
    ],
    [
      "a title",
      "src/A.test.ts",
      'it("answers at once", () => {',
      [`src/A.test.ts:1 "at once": write immediately, in one statement, in parallel (say which)`]
    ],
    [
      "a document",
      "docs/a.md",
      "No more rooms, `asked` in code.",
      [`docs/a.md:1 "No more": write no longer`, `docs/a.md:1 "rooms": write module, handler`]
    ],
    [
      "nothing",
      "src/A.test.ts",
      'const chatRoom = ["he asked at once", RAPPORT_LIMIT_REST_AT_ONCE]\n// no more than two',
      []
    ]
  ])("replaced ones are found in %s", (_, file, text, faults) =>
    assert.deepStrictEqual(faultsIn(file, text), faults)
  )
})
