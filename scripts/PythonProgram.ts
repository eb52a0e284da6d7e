// Programs of Python packages, each installed once into the cache.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as path from "node:path"

/** The folder of the programs of a package. */
export const pythonPrograms = (name: string, version: string): string => {
  const venv = path.resolve(import.meta.dirname, "../node_modules/.cache", `${name}-${version}`)
  const programs = path.join(venv, "bin")
  if (existsSync(path.join(programs, name))) return programs
  for (const [program, ...args] of [
    ["python3", "-m", "venv", venv],
    [path.join(programs, "pip"), "install", "--quiet", `${name}==${version}`]
  ] as const)
    if (spawnSync(program, args, { stdio: "inherit" }).status !== 0)
      throw new Error(`${program} ${args.join(" ")} failed: Python 3.10 or newer with venv is needed`)
  return programs
}
