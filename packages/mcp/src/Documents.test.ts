// Examples of the documentation work when people copy them and models read them.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { tools } from "./Tools.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (name: string) => fs.readFileSync(path.join(root, name), "utf8")

describe("README", () => {
  it("has no fixed date in its commands, because demo data are relative to today", () => {
    const commands = [...read("README.md").matchAll(/```sh\n(.*?)```/gsu)]
      .map(([, text = ""]) => text)
      .join("\n")
    assert.include(commands, '"occurredAt"')
    assert.notMatch(commands, /\b20\d\d-\d\d-\d\d/u)
  })
})

describe("the documentation of the tools", () => {
  it("names all four tools, and every configuration is JSON with the endpoint or the program", () => {
    const guide = read("docs/agents.md")
    for (const { name } of tools) for (const text of [read("README.md"), guide]) assert.include(text, name)
    const configurations = [...guide.matchAll(/```json\n(.*?)```/gsu)].map(([, text = ""]) => text)
    assert.strictEqual(configurations.length, 3)
    for (const text of configurations) {
      const configuration = JSON.stringify(JSON.parse(text))
      assert.match(configuration, /\/kw\/mcp"|"rapport","mcp"\]/u)
    }
  })
  it("names all four tools in llms.txt, whose links lead to files", () => {
    const text = read("docs/llms.txt")
    for (const { name } of tools) assert.include(text, name)
    const links = [...text.matchAll(/\]\(([^)]+)\)/gu)].map(([, link = ""]) => link)
    assert.isAbove(links.length, 5)
    for (const link of links) assert.isTrue(fs.existsSync(path.join(root, "docs", link)), link)
  })
  it("names every argument of every tool in the contract", () => {
    const section = read("docs/contract/6-tools.md")
    for (const { inputSchema, name } of tools)
      for (const member of [name, ...Object.keys(Object(inputSchema["properties"]))])
        assert.include(section, member)
  })
})
