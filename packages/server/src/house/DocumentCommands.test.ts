// Every command in a document runs in a test, or its block is marked as not run (CONTRIBUTING.md, "Documents").
import { assert, describe, it } from "@effect/vitest"
import { type Block, blocksOf, NO_TEST, readDocument, runDocuments } from "../testing/DocumentBlocks.ts"
import { documentTexts } from "./Imports.ts"

/** Their programs are named by client and run by `pnpm clients`. */
const CLIENTS = "docs/clients.md"

const faultOf = (document: string, { info, language, place, text }: Block): string | undefined => {
  if (language === "") return `${place} names no language: text is one`
  if (language === "text" && /^(?:\$ |npx |pnpm |curl |docker |rapport )/mu.test(text))
    return `${place} has commands in a block of text: sh`
  const isRun = language === "sh" ? info !== NO_TEST : info.includes(".")
  return isRun && document !== CLIENTS && !runDocuments.includes(document)
    ? `${place} is run by no test: mark it \`${language} ${NO_TEST}\`, or add the document to runDocuments`
    : undefined
}

const faultsIn = (document: string, text: string): ReadonlyArray<string> =>
  blocksOf(document, text).flatMap((block) => faultOf(document, block) ?? [])

describe("commands in documents", () => {
  it("run in a test or are marked as not run", () => {
    const texts = [...documentTexts()]
    assert.isAbove(texts.flatMap(([name, text]) => blocksOf(name, text)).length, 40, "blocks are found")
    assert.deepStrictEqual(
      texts.flatMap(([name, text]) => faultsIn(name, text)),
      []
    )
  })

  it("are in every document that is said to run", () => {
    for (const document of runDocuments)
      assert.isTrue(
        blocksOf(document, readDocument(document)).some(
          ({ info, language }) => language === "sh" && info !== NO_TEST
        ),
        document
      )
  })
})
