// A function is named by a verb or by its result, never by a bare participle: `trim`, `textOf`, `boundedList`, not `trimmed` or `writing`.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"

const FUNCTION =
  /^(?:export )?(?:(?:async )?function\*? |const )([a-z]+)(?:[(<]|(?:: [^=\n]+)? =\s+(?:(?:async )?(?:<[^\n]*>)?\((?:[^\n]*=>|$)|Effect\.fn))/gmu
const IRREGULAR =
  "begun chosen cut driven found given grown hidden kept known made sent shown taken unknown written"
const PARTICIPLE = new RegExp(`(?:ed|ing)$|^(?:${IRREGULAR.replaceAll(" ", "|")})$`, "u")
/** Verbs and nouns that only end like participles. */
const OTHER_WORDS = new Set(["feed", "need", "ping", "proceed", "seed", "string"])

const participlesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(FUNCTION), ([, name = ""]) => name).filter(
    (name) => PARTICIPLE.test(name) && !OTHER_WORDS.has(name)
  )

it("no function is named by a bare participle", () => {
  const files = fs.globSync(["packages/*/src/**/*.ts", "scripts/**/*.ts"], { cwd: repositoryFolder })
  assert.isAbove(files.length, 500, "the files are found")
  const faults = files.flatMap((file) =>
    participlesIn(fs.readFileSync(path.join(repositoryFolder, file), "utf8")).map((name) => `${file} ${name}`)
  )
  assert.deepStrictEqual(faults, [])
})

it.each([
  ["const shown = (a: A) => a", ["shown"]],
  ["export const editing = <A>(a: A) => a", ["editing"]],
  ["const taken = Effect.fnUntraced(function* () {", ["taken"]],
  ["const named = (\n  a: A\n) => a", ["named"]],
  ["const noted =\n  (a: A) =>\n  (b: B) => a", ["noted"]],
  ["export function* fitting(\n  a: A", ["fitting"]],
  ["const shown = (a + b) * 2\nconst seed = () => 1\nconst showRow = () => 1\n  const shown = () => 1", []]
])("%j is checked", (text, names) => assert.deepStrictEqual(participlesIn(text), names))
