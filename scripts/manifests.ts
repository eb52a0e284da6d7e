// Validates docker/kubernetes with the schemas of Kubernetes. An unknown member is an error.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import * as path from "node:path"

const VERSION = "1.37.0"
const root = path.resolve(import.meta.dirname, "..")
const venv = path.join(root, "node_modules/.cache", `kubernetes-validate-${VERSION}`)
const validate = path.join(venv, "bin/kubernetes-validate")

const run = (program: string, args: ReadonlyArray<string>): void => {
  if (spawnSync(program, args, { stdio: "inherit" }).status !== 0)
    throw new Error(`${program} ${args.join(" ")} failed`)
}

if (!existsSync(validate)) {
  run("python3", ["-m", "venv", venv])
  run(path.join(venv, "bin/pip"), ["install", "--quiet", `kubernetes-validate==${VERSION}`])
}
const folder = path.join(root, "docker/kubernetes")
const files = readdirSync(folder).map((name) => path.join(folder, name))
run(validate, ["--strict", "--quiet", ...files])
