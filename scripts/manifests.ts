// Validates docker/kubernetes with the schemas of Kubernetes. An unknown member is an error.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import * as path from "node:path"
import { pythonPrograms } from "./PythonProgram.ts"

const folder = path.resolve(import.meta.dirname, "../docker/kubernetes")
const files = readdirSync(folder).map((name) => path.join(folder, name))
const validate = path.join(pythonPrograms("kubernetes-validate", "1.37.0"), "kubernetes-validate")
process.exitCode = spawnSync(validate, ["--strict", "--quiet", ...files], { stdio: "inherit" }).status ?? 1
