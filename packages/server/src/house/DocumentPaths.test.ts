// Every file that a document names exists.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"
import { documentTexts } from "./Imports.ts"

const LINKED = /\]\((?![a-z]+:)([^)#\s]+)/gu
const QUOTED = /`((?:packages|scripts|contract|core|server|mcp|demo|bench)\/[\w./-]+\.(?:ts|js|md|json))`/gu

/** Candidates for a named file: links are relative to the document, quoted paths to the root or its packages. */
const namesIn = (document: string, text: string): ReadonlyArray<string> => [
  ...Array.from(text.matchAll(LINKED), ([, name = ""]) => path.join(path.dirname(document), name)),
  ...Array.from(text.matchAll(QUOTED), ([, name = ""]) =>
    /^(?:packages|scripts)\//u.test(name) ? name : path.join("packages", name)
  )
]

const missingNames = (document: string, text: string): ReadonlyArray<string> =>
  namesIn(document, text)
    .filter((name) => !fs.existsSync(path.join(repositoryFolder, name)))
    .map((name) => `${document} ${name}`)

describe("files that documents name", () => {
  it("are there", () => {
    const texts = [...documentTexts()]
    assert.isAbove(texts.flatMap(([name, text]) => namesIn(name, text)).length, 100, "the names are found")
    assert.deepStrictEqual(
      texts.flatMap(([name, text]) => missingNames(name, text)),
      []
    )
  })
})
