// Fenced blocks of the documents, and which of them tests run (CONTRIBUTING.md, "Documents").
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"

/** Documents whose shell blocks and named programs Documents.int.test.ts runs, in their order. */
export const runDocuments: ReadonlyArray<string> = [
  "README.md",
  "docs/tutorial.md",
  "docs/agents.md",
  "docs/retrying.md",
  "docs/moving-in.md",
  "docs/operations.md"
]

/** The mark of a shell block that no test runs. */
export const NO_TEST = "no-test"

export interface Block {
  /** `document:line` of its first line. */
  readonly place: string
  readonly language: string
  /** The rest of the info string: `no-test`, or the name of the file that the block is saved as. */
  readonly info: string
  readonly text: string
}

export const readDocument = (document: string): string =>
  fs.readFileSync(path.join(repositoryFolder, document), "utf8")

export const blocksOf = (document: string, text: string): ReadonlyArray<Block> =>
  Array.from(
    text.matchAll(/^```(\S*)[ ]?([^\n]*)\n(.*?)^```$/gmsu),
    ({ 1: language = "", 2: info = "", 3: block = "", index }) => ({
      place: `${document}:${text.slice(0, index).split("\n").length}`,
      language,
      info,
      text: block
    })
  )
