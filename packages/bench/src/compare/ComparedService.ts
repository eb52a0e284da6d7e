// Starts the service of a comparison on the small demo with copies of its client. Every run gets its own copy of the data, so that
// no run reads the writes of another.
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as path from "node:path"
import { makeOnce } from "../MakeOnce.ts"
import type { Database } from "../peers/Postgres.ts"
import { dataRoot, program } from "../Repository.ts"
import { login } from "../Requests.ts"
import { type RunningProgram, startService, SERVICE, temporaryFolder, unlimited } from "../Started.ts"
import { makeManyClients } from "./ManyClients.ts"

/** A measured program: its address, a token for it and its database. */
export interface Peer extends RunningProgram {
  readonly name: string
  readonly token: string
  readonly database: Database
}

/** The token key of the service, which the peers know. */
export const COMPARED_KEY = Buffer.alloc(32, "compare").toString("base64url")

const environment = { ...unlimited, RAPPORT_TOKEN_KEYS: COMPARED_KEY }

const manyClients = program("packages/bench/src/compare/ManyClients.ts")

/** Each checkout has its own data, because other code may have migrated further. */
const keptFolderOf = (file: string) =>
  path.join(dataRoot, `compare-${createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 8)}`)

const keepData = (file: string) => {
  const kept = keptFolderOf(file)
  const service = startService(kept, environment, file)
  const make = Effect.scoped(Effect.flatMap(service, ({ database }) => makeManyClients(database)))
  return makeOnce(kept, { packages: path.resolve(file, "../.."), filler: manyClients }, make)
}

/** The service of a checkout. */
export const startComparedService = Effect.fnUntraced(function* (name: string, file = SERVICE) {
  const folder = path.join(yield* temporaryFolder, "data")
  const copied = spawnSync("cp", ["-a", yield* keepData(file), folder])
  if (copied.status !== 0) throw new Error(copied.stderr.toString())
  const service = yield* startService(folder, environment, file)
  const peer: Peer = { ...service, name, token: yield* login(service.origin) }
  return peer
})
