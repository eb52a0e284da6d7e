// Every exported constant or function of core and server is imported by another file.
import { assert, it } from "@effect/vitest"
import { importsOf, sourceTexts } from "./Imports.ts"

const EXPORTED = /^export (?:async )?(?:const|let|function\*?) (\w+)/gmu

/** The names imported from each file; `*` stands for all. */
const importedNames = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const imported = new Map<string, Set<string>>()
  for (const [file, text] of texts)
    for (const { names, target } of importsOf(file, text)) {
      const known = imported.get(target) ?? new Set()
      imported.set(target, known)
      for (const [name] of names.matchAll(/\*|\w+/gu)) known.add(name)
    }
  return imported
}

it("every export of core and server is imported by another file", () => {
  const texts = sourceTexts(
    "packages/*/src/**/*.{ts,js}",
    "packages/*/*.ts",
    "scripts/**/*.{ts,js,mjs}",
    "*.ts"
  )
  assert.isAbove(texts.size, 500, "the files are found")
  const imported = importedNames(texts)
  // Types are exempt, because inferred signatures use them.
  const dead = [...texts].flatMap(([file, text]) => {
    const names = imported.get(file) ?? new Set()
    return /^packages\/(?:core|server)\//u.test(file) && !names.has("*")
      ? Array.from(text.matchAll(EXPORTED), ([, name = ""]) => name)
          .filter((name) => !names.has(name))
          .map((name) => `${file} ${name}`)
      : []
  })
  assert.deepStrictEqual(dead, [])
})
