// Where compiled and type-stripped modules are kept between starts. Plain JavaScript, as all that is loaded before the cache
// is in use: the first module that nobody stripped before loads what strips it.
import * as path from "node:path"
import { repositoryFolder } from "./Repository.js"

/** @type {string} */
export const compileCacheFolder = path.join(repositoryFolder, "node_modules/.cache/rapport-compile")
