// The folder of this repository.
import * as path from "node:path"

/** A file of this repository. */
export const program = (file: string): string => path.resolve(import.meta.dirname, "../../..", file)

/** The default folder of data that are made once. */
export const dataRoot = program("node_modules/.cache/rapport-bench")
