// The YAML files below docker, for the tests of the repository.
import * as fs from "node:fs"
import * as path from "node:path"
import { parseAllDocuments } from "yaml"
import { repositoryFolder } from "../files/Repository.js"

/** The documents of a file below docker. */
export const readYaml = (file: string): ReadonlyArray<unknown> =>
  parseAllDocuments(
    // A tag of Compose, which replaces a list instead of extending it.
    fs.readFileSync(path.join(repositoryFolder, "docker", file), "utf8").replace("!reset ", ""),
    { merge: true }
  ).map((document): unknown => document.toJS())

/** `valueAt(manifest, "spec.ports.0.name")`; undefined if there is none. */
export const valueAt = (value: unknown, place: string): unknown =>
  place.split(".").reduce((inner, name): unknown => Object(inner)[name], value)

/** A list at a place; empty if there is none. */
export const valuesAt = (value: unknown, place: string): ReadonlyArray<unknown> => {
  const found = valueAt(value, place)
  return Array.isArray(found) ? found : []
}
