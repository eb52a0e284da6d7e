// pnpm checks engines for the Node that runs the scripts, so that none of its own warnings precedes the start (pnpm-workspace.yaml).
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { repositoryFolder } from "../files/Repository.js"

describe("pnpm-workspace.yaml", () => {
  it("names the same Node for the check of engines as for the scripts", () => {
    const workspace = parse(fs.readFileSync(path.join(repositoryFolder, "pnpm-workspace.yaml"), "utf8"))
    assert.strictEqual(workspace.nodeVersion, workspace.catalog.node)
  })
})
