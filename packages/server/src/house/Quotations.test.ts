// A quotation such as `contract §1, "Methods"` names a section of docs/contract that has these words, and
// `docs/operations.md, "Delivery"` a document that has them.
import { assert, describe, it } from "@effect/vitest"
import { readDocument } from "../testing/DocumentBlocks.ts"
import { sourceTexts } from "./Imports.ts"

/** `3.2` → the text of the section, from its heading to the next of the same kind. */
const sectionsOf = (texts: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    texts.flatMap((text) => {
      const whole = Array.from(
        text.matchAll(/^# (\d[\d.]*?)\.? /gmu),
        ([, number = ""]) => [number, text] as const
      )
      const parts = Array.from(
        text.matchAll(/^## (\d+\.\d+) [^]*?(?=\n## \d|$(?![^]))/gmu),
        ([part, number = ""]) => [number, part] as const
      )
      return [...whole, ...parts]
    })
  )

const sections = sectionsOf([...sourceTexts("docs/contract/[0-9]*.md").values()])

const CITATION = /§(\d+(?:\.\d+)*)((?:[,:]? (?:and )?"[^"]*")*)/gu

/** A comment as one line. */
const joinLines = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*(?!\/))\s?/gu, " ")
const plain = (text: string): string => text.replaceAll("`", "").replaceAll(/\s+/gu, " ").toLowerCase()

/** The faults of the quotations in a text. Sections of RFCs are ignored. */
const wrongIn = (file: string, text: string): ReadonlyArray<string> =>
  [
    ...joinLines(text)
      .replaceAll(/RFC \d+ §[\d.]+/gu, "")
      .matchAll(CITATION)
  ].flatMap(([whole, number = "", quoted = ""]) => {
    const section = sections.get(number)
    if (section === undefined) return [`${file}: there is no section ${whole}`]
    const words = Array.from(quoted.matchAll(/"([^"]*)"/gu), ([, quote = ""]) => quote.replace(/\.$/u, ""))
    return words
      .filter((quote) => !plain(section).includes(plain(quote)))
      .map((quote) => `${file}: §${number} does not say "${quote}"`)
  })

/** Quotations of other documents: `docs/operations.md, "Delivery"`. */
const missingQuotes = (file: string, text: string): ReadonlyArray<string> =>
  Array.from(
    joinLines(text).matchAll(/\b((?:docs\/[a-z-]+|CONTRIBUTING)\.md), "([^"]+)"/gu),
    ([, document = "", quote = ""]) =>
      plain(readDocument(document)).includes(plain(quote))
        ? []
        : [`${file}: ${document} does not say "${quote}"`]
  ).flat()

describe("quotations of the contract", () => {
  it("are in the section that they name", () => {
    assert.isAbove(sections.size, 20, "the sections are found")
    const texts = [
      ...sourceTexts("packages/*/src/**/*.{ts,js}", "scripts/**/*.ts", "*.md", "docs/**/*.md")
    ].filter(([file]) => !file.endsWith("Quotations.test.ts"))
    assert.isAbove(
      texts.filter(([, text]) => text.includes("contract §")).length,
      400,
      "the quotations are found"
    )
    assert.deepStrictEqual(
      texts.flatMap(([file, text]) => wrongIn(file, text)),
      []
    )
    assert.deepStrictEqual(
      texts.flatMap(([file, text]) => missingQuotes(file, text)),
      []
    )
    const unnamed = texts.filter(([, text]) => text.includes("contract.md")).map(([file]) => file)
    assert.deepStrictEqual(unnamed, [], 'write "contract §n"')
  })
})
