// A bundle belongs to one state of the sources.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundleFolder } from "./Bundle.js"

const withSources = (use: (root: string) => void): void => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-bundle-"))
  try {
    for (const file of [
      "pnpm-lock.yaml",
      "scripts/bundle.ts",
      ...["contract", "core", "demo", "mcp", "server"].map((name) => `packages/${name}/src/noun/Noun.ts`)
    ]) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      fs.writeFileSync(path.join(root, file), "one")
    }
    use(root)
  } finally {
    fs.rmSync(root, { recursive: true })
  }
}

it("the folder of a bundle is the same for the same sources, whatever tests exist", () => {
  withSources((root) => {
    const folder = bundleFolder(root)
    fs.writeFileSync(path.join(root, "packages/core/src/noun/Noun.test.ts"), "")
    assert.strictEqual(bundleFolder(root), folder)
    assert.strictEqual(path.dirname(folder), path.join(root, "packages/server/dist"))
  })
})

const changes: ReadonlyArray<readonly [string, (root: string) => void]> = [
  ["another text", (root) => fs.writeFileSync(path.join(root, "packages/demo/src/noun/Noun.ts"), "more")],
  ["an older file of the same size", (root) => fs.utimesSync(path.join(root, "pnpm-lock.yaml"), 1, 1)],
  ["a new file", (root) => fs.writeFileSync(path.join(root, "packages/mcp/src/noun/page.css"), "")],
  ["a file less", (root) => fs.rmSync(path.join(root, "packages/server/src/noun/Noun.ts"))]
]
for (const [what, change] of changes) {
  it(`the folder of a bundle changes after ${what}`, () => {
    withSources((root) => {
      const folder = bundleFolder(root)
      change(root)
      assert.notStrictEqual(bundleFolder(root), folder)
    })
  })
}
