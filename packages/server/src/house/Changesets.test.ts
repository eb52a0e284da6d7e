// A changeset is only for changes on the wire or in settings (.changeset/README.md).
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"

const folder = path.join(repositoryFolder, ".changeset")
const TEXT_CHARACTERS_MAX = 600

/** The fault of a changeset; undefined for a valid one. */
const faultOf = (file: string): string | undefined => {
  const [, head = "", text = ""] = /^---\n([^]*?)\n---\n([^]*)$/u.exec(file) ?? []
  const packages = [...head.matchAll(/^"([^"]+)": (?:major|minor|patch)$/gmu)].map(([, name]) => name)
  if (packages.length === 0) return "names no package"
  if (packages.some((name) => name !== "@rapport/contract" && name !== "@rapport/mcp"))
    return "names a package that is not published"
  if (!/`[^`\n]+`/u.test(text)) return "names no route, member, code or setting in backticks"
  return text.trim().length > TEXT_CHARACTERS_MAX
    ? `is longer than ${TEXT_CHARACTERS_MAX} characters`
    : undefined
}

it("changesets tell users about the wire or settings", () => {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md")
  const faults = files.flatMap((name) => {
    const fault = faultOf(fs.readFileSync(path.join(folder, name), "utf8"))
    return fault === undefined ? [] : [`${name} ${fault}`]
  })
  assert.deepStrictEqual(faults, [])
})
