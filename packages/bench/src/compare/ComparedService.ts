// Starts the service of a comparison on the small demo with copies of its client. Every run gets its own copy of the data, so that
// no run reads the writes of another.
import { Console, Effect } from "effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Database, databaseOf } from "../peers/Postgres.ts"
import { login } from "../Requests.ts"
import { dataRoot } from "../search/SearchData.ts"
import { program, type Running, runningService, temporaryFolder, unlimited } from "../Started.ts"
import { makeManyClients } from "./ManyClients.ts"

/** A measured program: its address, a token for it and its database. */
export interface Peer extends Running {
  readonly name: string
  readonly token: string
  readonly database: Database
}

/** The token key of the service, which the peers know. */
export const COMPARED_KEY = Buffer.alloc(32, "compare").toString("base64url")

const environmentOf = (folder: string) => ({
  ...unlimited,
  RAPPORT_TOKEN_KEYS: COMPARED_KEY,
  PORT: "0",
  LOG_LEVEL: "error",
  RAPPORT_DATA_DIR: folder,
  RAPPORT_SEED: "small"
})

/** Each checkout has its own data, because other code may have migrated further. */
const keptOf = (file: string) =>
  path.join(dataRoot, `compare-${createHash("sha256").update(path.resolve(file)).digest("hex").slice(0, 8)}`)

const keptData = Effect.fnUntraced(function* (file: string) {
  const kept = keptOf(file)
  const mark = path.join(kept, "filled")
  const data = path.join(kept, "data")
  if (fs.existsSync(mark)) return data
  yield* Console.error(`filling ${data} …`)
  fs.rmSync(kept, { recursive: true, force: true })
  fs.mkdirSync(kept, { recursive: true, mode: 0o755 })
  yield* Effect.scoped(
    Effect.andThen(
      runningService(environmentOf(data), file),
      Effect.suspend(() => makeManyClients(databaseOf(data)))
    )
  )
  fs.writeFileSync(mark, "")
  return data
})

/** The service of a checkout. */
export const comparedService = Effect.fnUntraced(function* (
  name: string,
  file = program("packages/server/start.js")
) {
  const folder = path.join(yield* temporaryFolder, "data")
  const copied = spawnSync("cp", ["-a", yield* keptData(file), folder])
  if (copied.status !== 0) throw new Error(copied.stderr.toString())
  const service = yield* runningService(environmentOf(folder), file)
  const peer: Peer = { ...service, name, token: yield* login(service.origin), database: databaseOf(folder) }
  return peer
})
