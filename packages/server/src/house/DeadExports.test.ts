// Every exported constant or function of core and server is imported by another file.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../../..")
const EXPORTED = /^export (?:async )?(?:const|let|function\*?) (\w+)/gmu
const IMPORTED = /(?:^|\n)(?:import|export)\s+([^"';]*?)\s*from\s*"([^"]+)"|\bimport\("([^"]+)"\)/gu

/** The imported file, relative to the root; undefined for a dependency. */
const importedFile = (file: string, name: string): string | undefined =>
  name.startsWith("@rapport/")
    ? `packages/${name.slice("@rapport/".length).replace("/", "/src/")}`
    : name.startsWith(".")
      ? path.join(path.dirname(file), name)
      : undefined

/** The names imported from each file; `*` stands for all. */
const importedNames = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const imported = new Map<string, Set<string>>()
  for (const [file, text] of texts)
    for (const [, names = "*", from, loaded = ""] of text.matchAll(IMPORTED)) {
      const target = importedFile(file, from ?? loaded)
      if (target === undefined) continue
      const known = imported.get(target) ?? new Set()
      imported.set(target, known)
      for (const [name] of names.matchAll(/\*|\w+/gu)) known.add(name)
    }
  return imported
}

/** `file name` of each export that no other file imports. Types are exempt, because inferred signatures use them. */
const deadExportsOf = (
  texts: ReadonlyMap<string, string>,
  checked: (file: string) => boolean
): ReadonlyArray<string> => {
  const imported = importedNames(texts)
  return [...texts].flatMap(([file, text]) => {
    const names = imported.get(file) ?? new Set()
    return checked(file) && !names.has("*")
      ? Array.from(text.matchAll(EXPORTED), ([, name = ""]) => name)
          .filter((name) => !names.has(name))
          .map((name) => `${file} ${name}`)
      : []
  })
}

it("every export of core and server is imported by another file", () => {
  const texts = new Map(
    fs
      .globSync(["packages/*/src/**/*.{ts,js}", "packages/*/*.ts", "scripts/**/*.{ts,js,mjs}", "*.ts"], {
        cwd: root
      })
      .map((file) => [file, fs.readFileSync(path.join(root, file), "utf8")] as const)
  )
  assert.isAbove(texts.size, 500, "the files are found")
  assert.deepStrictEqual(
    deadExportsOf(texts, (file) => /^packages\/(?:core|server)\//u.test(file)),
    []
  )
})
