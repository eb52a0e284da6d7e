// Data that are made once and kept for further runs.
import { Console, Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"

/** Makes the data of a folder, unless a run has completed them. */
export const madeOnce = Effect.fnUntraced(function* <E, R>(
  folder: string,
  make: Effect.Effect<unknown, E, R>
) {
  const mark = path.join(folder, "filled")
  if (fs.existsSync(mark)) return folder
  yield* Console.error(`filling ${folder} …`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  yield* make
  fs.writeFileSync(mark, "")
  return folder
})
