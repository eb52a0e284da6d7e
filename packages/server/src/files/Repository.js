// The folder of the repository, or of the image. Plain JavaScript: it is loaded before types can be stripped.
import * as fs from "node:fs"
import * as path from "node:path"

/** @type {(folder: string) => string} */
const above = (folder) => {
  const parent = path.dirname(folder)
  return parent === folder || fs.existsSync(path.join(folder, "pnpm-workspace.yaml")) ? folder : above(parent)
}

/** @type {string} */
export const repositoryFolder = above(import.meta.dirname)
