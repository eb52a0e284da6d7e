// Makes the table of endings of Ukrainian and Russian words: `node scripts/endings/build.ts [--folder PATH]`. Run on
// demand, a few minutes; it needs Maven, a JDK of 21 or newer and Python 3 with venv, and fetches named packages only.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { findJava } from "../../packages/server/src/testing/OpenSearchNode.ts"

const here = import.meta.dirname
const { values } = parseArgs({
  options: { folder: { type: "string", default: path.join(here, "../../.data/endings") } }
})
const { folder } = values
const texts = path.join(here, "../../packages/core/src/search/text")

const run = (command: string, ...words: ReadonlyArray<string>): void => {
  console.error(`${path.basename(command)} ${words.join(" ")}`)
  const { error, status } = spawnSync(command, words, {
    stdio: "inherit",
    cwd: folder,
    // Sets of Python give the same order every time.
    env: { ...process.env, PYTHONHASHSEED: "0" }
  })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? status}`)
}

mkdirSync(folder, { recursive: true })
const java = findJava(process.env)
if (java === undefined) throw new Error("no JDK of version 21 or newer is installed")

// Ukrainian forms with their lemmas.
if (!existsSync(path.join(folder, "ukrainian.tsv"))) {
  run(
    "mvn",
    "-q",
    "-B",
    "-f",
    path.join(here, "pom.xml"),
    "dependency:copy-dependencies",
    `-DoutputDirectory=${folder}/jars`
  )
  run(java, "-cp", `${folder}/jars/*`, path.join(here, "Dump.java"), "ukrainian.tsv")
}
// Russian ones, and how frequent forms are.
const python = path.join(folder, "venv/bin/python")
if (!existsSync(python)) run("python3", "-m", "venv", "venv")
run(python, "-m", "pip", "install", "-q", "-r", path.join(here, "requirements.txt"))
run(python, path.join(here, "lexemes.py"), "ukrainian.tsv", ".")
run(python, path.join(here, "labels.py"), ".")
run(
  process.execPath,
  path.join(here, "learn.ts"),
  path.join(folder, "examples.tsv"),
  path.join(texts, "endings.json")
)
run(process.execPath, path.join(here, "known.ts"), ".", path.join(texts, "known.json"))
