// scripts/commits refuses subjects that are not "area: imperative", in clones without tags or history too.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"

const check = path.join(repositoryFolder, "scripts/commits")

/** A repository whose first commit has the subject `initial` and adds the check. */
const repository = (use: (folder: string, git: (...args: ReadonlyArray<string>) => void) => void) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "commits-"))
  const git = (...args: ReadonlyArray<string>) =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      cwd: folder
    })
  try {
    git("init", "-q")
    fs.mkdirSync(path.join(folder, "scripts"))
    fs.copyFileSync(check, path.join(folder, "scripts/commits"))
    git("add", ".")
    git("commit", "-qm", "Initial")
    use(folder, git)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

const commit = (git: (...args: ReadonlyArray<string>) => void, subject: string) =>
  git("commit", "-q", "--allow-empty", "-m", subject)
const refusalsIn = (folder: string) => {
  const { status, stderr } = spawnSync(check, { cwd: folder, encoding: "utf8" })
  const lines = stderr.split("\n").filter((line) => line !== "")
  assert.strictEqual(status, lines.length === 0 ? 0 : 1, stderr)
  return lines.map((line) => line.replace(/^[0-9a-f]+ /u, ""))
}

describe("scripts/commits", () => {
  it("accepts subjects of the form area: imperative since it was added", () =>
    repository((folder, git) => {
      commit(git, "records: use pg_trgm for contains filters")
      commit(git, "demo, bench: drop repeated members")
      assert.deepStrictEqual(refusalsIn(folder), [])
    }))

  it("refuses long subjects, subjects without an area and verbs that are no imperative", () =>
    repository((folder, git) => {
      commit(git, "records: filtered faster")
      commit(git, "Put a client first")
      commit(git, `records: ${"a".repeat(64)}`)
      assert.deepStrictEqual(refusalsIn(folder), [
        `"records: ${"a".repeat(64)}": the subject has 73 characters, at most 72 are allowed`,
        '"Put a client first": the subject must be "area: imperative" without a semicolon or a final period',
        '"records: filtered faster": the subject must begin with an imperative: not "filtered"'
      ])
    }))

  it("begins at the last release", () =>
    repository((folder, git) => {
      commit(git, "Old habits")
      git("tag", "v1.0.0")
      commit(git, "records: use an index")
      assert.deepStrictEqual(refusalsIn(folder), [])
    }))

  it("checks a shallow clone as far as it goes", () =>
    repository((folder, git) => {
      commit(git, "Old habits")
      commit(git, "records: use an index")
      const clone = path.join(folder, "clone")
      git("clone", "-q", "--depth", "1", `file://${folder}`, clone)
      assert.deepStrictEqual(refusalsIn(clone), [])
    }))
})
