// The files of the workspace and what each imports, for the tests of the repository.
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"

const NAME = String.raw`"((?:\.|@rapport/)[^"]+\.[jt]s)"`
const IMPORTED = new RegExp(
  String.raw`(?:^|\n)(?:import|export)\s+(?:([^"';]*?)\s*from\s*)?${NAME}|\bimport\(${NAME}\)`,
  "gu"
)

/** An import of another file of the workspace. `names` is `*` if all are imported. */
export interface Import {
  readonly target: string
  readonly names: string
}

/** Texts by path, relative to the repository. */
export const sourceTexts = (...patterns: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    fs
      .globSync(patterns, { cwd: repositoryFolder })
      .map((file) => [file, fs.readFileSync(path.join(repositoryFolder, file), "utf8")] as const)
  )

/** The documents of the repository. */
export const documentTexts = () =>
  sourceTexts("*.md", "docs/**/*.md", "packages/*/*.md", ".changeset/README.md")

/** Also `import type` and `import(…)`; not packages that others have published. */
export const importsOf = (file: string, text: string): ReadonlyArray<Import> =>
  Array.from(text.matchAll(IMPORTED), ([, names = "*", from, loaded = ""]) => {
    const name = from ?? loaded
    const target = name.startsWith("@rapport/")
      ? `packages/${name.slice("@rapport/".length).replace("/", "/src/")}`
      : path.join(path.dirname(file), name)
    return { target, names }
  })
