// Every exported constant or function of core and server is named by another file; one that is not is dead or local.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")
const EXPORTED = /^export (?:async )?(?:const|let|function\*?) (\w+)/gmu
const NAME = /[A-Za-z_$][\w$]*/gu

/** `file name` of each export that no other of the files names. Types may be exported without a reader: signatures use them. */
const deadExportsOf = (
  texts: ReadonlyMap<string, string>,
  checked: (file: string) => boolean
): ReadonlyArray<string> => {
  const files = new Map<string, number>()
  for (const text of texts.values())
    for (const name of new Set(Array.from(text.matchAll(NAME), ([word]) => word)))
      files.set(name, (files.get(name) ?? 0) + 1)
  return [...texts].flatMap(([file, text]) =>
    checked(file)
      ? Array.from(text.matchAll(EXPORTED), ([, name = ""]) => name)
          .filter((name) => files.get(name) === 1)
          .map((name) => `${file} ${name}`)
      : []
  )
}

describe("exports of core and server", () => {
  it("are each named by another file", () => {
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

  it("that are not are found", () => {
    const planted = new Map([
      ["a.ts", "export const used = 1\nexport const unused = used\n"],
      ["b.ts", 'import { used } from "./a.ts"\n']
    ])
    assert.deepStrictEqual(
      deadExportsOf(planted, () => true),
      ["a.ts unused"]
    )
  })
})
