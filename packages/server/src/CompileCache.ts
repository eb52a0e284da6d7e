// Where compiled and type-stripped modules are kept between starts.
import * as path from "node:path"

export const compileCacheFolder: string = path.resolve(
  import.meta.dirname,
  "../../../node_modules/.cache/rapport-compile"
)
