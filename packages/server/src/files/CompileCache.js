// The folder of the compile cache. Plain JavaScript, like everything that is loaded before the cache is enabled: Node loads its
// type stripper with the first TypeScript module that is not cached.
import * as path from "node:path"
import { repositoryFolder } from "./Repository.js"

/** @type {string} */
export const compileCacheFolder = path.join(repositoryFolder, "node_modules/.cache/rapport-compile")
