// Data that are made once and kept for further runs.
import { Console, Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

/** Folders below `packages` with the schema and the demo. */
const SHAPING = ["server/src/postgres/schema", "server/src/seed", "demo/src"]

/** A hash of the sources that shape the data. */
const fingerprint = (packages: string, filler: string): string => {
  const names = SHAPING.map((folder) => path.join(packages, folder, "**/*.{ts,json}"))
  const hash = createHash("sha256")
  for (const name of [...fs.globSync(names).toSorted(), filler])
    hash.update(name).update(fs.readFileSync(name))
  return hash.digest("hex")
}

/** Makes the data of a folder, unless a run has completed them from equal sources: those of `packages` and the filler. */
export const makeOnce = Effect.fnUntraced(function* <E, R>(
  folder: string,
  { filler, packages }: { readonly packages: string; readonly filler: string },
  make: Effect.Effect<unknown, E, R>
) {
  const mark = path.join(folder, "filled")
  const sources = fingerprint(packages, filler)
  if (fs.existsSync(mark) && fs.readFileSync(mark, "utf8") === sources) return folder
  yield* Console.error(`filling ${folder} …`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  yield* make
  fs.writeFileSync(mark, sources)
  return folder
})
