// The data of a search benchmark: made once for each number of appeals and kept, with their index.
import { Console, Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Database, databaseOf } from "../peers/Postgres.ts"
import { login } from "../Requests.ts"
import { measured, program, type Running, runningService, unlimited } from "../Started.ts"

/** More are copies of so many: their rows and their index are multiplied as they are. */
export const APPEALS_SEEDED_MAX = 100_000

const filler = "packages/server/src/testing/SearchData.ts"

/** The folder with so many appeals below `root`. */
export const dataOf: (root: string, appeals: number) => Effect.Effect<string, unknown> = Effect.fnUntraced(
  function* (root: string, appeals: number) {
    const data = path.join(root, `appeals-${appeals}`)
    const mark = path.join(data, "filled")
    if (fs.existsSync(mark)) return data
    const from = appeals > APPEALS_SEEDED_MAX ? yield* dataOf(root, APPEALS_SEEDED_MAX) : undefined
    // Its index is built by the service that runs there.
    if (from !== undefined) yield* Effect.scoped(serviceOn(from))
    yield* Console.log(`filling ${data} with ${appeals} appeals …`)
    yield* measured(
      filler,
      from === undefined
        ? [data, String(appeals)]
        : [data, String(appeals), from, String(Math.round(appeals / APPEALS_SEEDED_MAX))]
    )
    fs.writeFileSync(mark, "")
    return data
  }
)

/** The default folder of the data. */
export const dataRoot = program("node_modules/.cache/rapport-bench")

export interface Searched extends Running {
  readonly headers: Readonly<Record<string, string>>
  readonly database: Database
}

/** The service on such data, when everything is searchable. */
export const serviceOn = Effect.fnUntraced(function* (folder: string) {
  const running = yield* runningService({
    ...unlimited,
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: folder
  })
  const headers = {
    authorization: `Bearer ${yield* login(running.origin)}`,
    "content-type": "application/json"
  }
  yield* Console.log("waiting for the index …")
  yield* indexed(running.origin, headers)
  const searched: Searched = { ...running, headers, database: databaseOf(folder) }
  return searched
})

const decodeReadiness = Schema.decodeUnknownPromise(
  Schema.Struct({ searchIndex: Schema.String, indexLagMs: Schema.Finite })
)

const indexed = (origin: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const answer = await fetch(`${origin}/kw/context/readiness`, { headers })
    return decodeReadiness(await answer.json())
  }).pipe(
    Effect.tap(Effect.sleep("1 second")),
    Effect.repeat({ until: ({ indexLagMs, searchIndex }) => searchIndex === "ready" && indexLagMs === 0 })
  )
