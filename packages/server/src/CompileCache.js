// Where compiled and type-stripped modules are kept between starts. Plain JavaScript, as all that is loaded before the cache
// is in use: the first module that nobody stripped before loads what strips it.
import * as path from "node:path"

/** @type {string} */
export const compileCacheFolder = path.resolve(
  import.meta.dirname,
  "../../../node_modules/.cache/rapport-compile"
)
