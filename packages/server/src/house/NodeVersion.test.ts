// pnpm checks engines for the Node that runs the scripts, so that none of its own warnings precedes the start (pnpm-workspace.yaml).
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { repositoryFolder } from "../files/Repository.js"

it("pnpm-workspace.yaml names one Node version for engines and scripts", () => {
  const workspace = parse(fs.readFileSync(path.join(repositoryFolder, "pnpm-workspace.yaml"), "utf8"))
  assert.strictEqual(workspace.nodeVersion, workspace.catalog.node)
})
