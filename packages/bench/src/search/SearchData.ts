// The data of a search benchmark: made once for each number of appeals and kept, with their index.
import { Console, Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { makeOnce } from "../MakeOnce.ts"
import { program } from "../Repository.ts"
import { login } from "../Requests.ts"
import { startService } from "../Started.ts"

const filler = program("packages/server/src/testing/SearchData.ts")

/** The folder with so many appeals below `root`. */
export const dataOf = (root: string, appeals: number): Effect.Effect<string, unknown> => {
  const data = path.join(root, `appeals-${appeals}`)
  const make = Effect.sync(() => {
    const args = [filler, data, String(appeals)]
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" })
    if (status !== 0) throw new Error(`the filling ended with ${status}`)
  })
  return makeOnce(data, { packages: program("packages"), filler }, make)
}

/** The service on such data, when everything is searchable. */
export const startSearchedService = Effect.fnUntraced(function* (folder: string) {
  const service = yield* startService(folder)
  const token = yield* login(service.origin)
  yield* Console.log("waiting for the index …")
  yield* waitUntilIndexed(service.origin, token)
  return { ...service, token }
})
export type SearchedService = Effect.Success<ReturnType<typeof startSearchedService>>

const decodeReadiness = Schema.decodeUnknownPromise(
  Schema.Struct({ searchIndex: Schema.String, indexLagMs: Schema.Finite })
)

const waitUntilIndexed = (origin: string, token: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${origin}/kw/context/readiness`, { headers })
    return decodeReadiness(await answer.json())
  }).pipe(
    Effect.tap(Effect.sleep("1 second")),
    Effect.repeat({ until: ({ indexLagMs, searchIndex }) => searchIndex === "ready" && indexLagMs === 0 })
  )
