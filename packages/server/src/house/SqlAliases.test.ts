// Tables in statements have names, not letters, except the six that the shared conditions of sql/Visibility.ts use.
import { assert, it } from "@effect/vitest"
import { sourceTexts } from "./Imports.ts"

/** The letters of sql/Visibility.ts, the same in every statement. */
const conventional = new Set([
  "caller u",
  "appeals a",
  "clients c",
  "property_definitions d",
  "external_tokens t",
  "user_access m"
])

const NAMED = /(?:\b(?:from|join|update|using|into)|,)\s+(?!and )([a-z_]{3,})(?: as)? ([a-z])(?=[\s,)`]|$)/gmu
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gmu

/** `table letter` of each table with an alias of one letter. */
const lettersIn = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.replaceAll(COMMENT, "").matchAll(NAMED),
    ([, table, letter]) => `${table} ${letter}`
  ).filter((named) => !conventional.has(named))

it("statements alias their tables by name", () => {
  const texts = [...sourceTexts("packages/server/src/postgres/**/*.ts")].filter(
    ([file]) => !/\.test\.|\/postgres\/schema\//u.test(file)
  )
  assert.isAbove(texts.length, 60, "the files are found")
  assert.deepStrictEqual(
    texts.flatMap(([file, text]) => lettersIn(text).map((named) => `${file} ${named}`)),
    []
  )
})
