// The password of the embedded PostgreSQL: who may not read it cannot log in, another process of the same user included.
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { PRIVATE_FILE } from "../../files/PrivateFiles.ts"
import { type Owner, PostgresFailed, run } from "./PostgresProcess.ts"

const fileOf = (cluster: string): string => path.join(cluster, "rapport-password")

/** Undefined: the cluster has none yet, or it is not ours to read. */
export const findPassword = (cluster: string): Redacted.Redacted | undefined => {
  try {
    return Redacted.make(fs.readFileSync(fileOf(cluster), "utf8").trim(), { label: "PostgreSQL" })
  } catch {
    return undefined
  }
}

/** Only with the password, and only over the socket. Written at every start, so that no change by others lasts. */
const ADMITTED = "local all rapport scram-sha-256\n"

/**
 * Closes the stopped cluster to all without its password, which is made and set first where there is none. The file
 * is written last: a kill in between makes a new one. It belongs to us, not to the user whom PostgreSQL runs as.
 */
export const requirePassword = Effect.fnUntraced(function* (
  owner: Owner,
  postgres: string,
  cluster: string
): Effect.fn.Return<Redacted.Redacted, PostgresFailed> {
  yield* written(path.join(cluster, "pg_hba.conf"), ADMITTED, owner)
  const kept = findPassword(cluster)
  if (kept !== undefined) return kept
  const password = randomBytes(PASSWORD_BYTES).toString("base64url")
  yield* run(
    owner,
    postgres,
    ["--single", "-D", cluster, "-c", "log_statement=none", "postgres"],
    `alter role rapport password '${password}'\n`
  )
  yield* written(fileOf(cluster), `${password}\n`, {})
  return Redacted.make(password, { label: "PostgreSQL" })
})

const PASSWORD_BYTES = 32

const written = (file: string, text: string, owner: Owner) =>
  Effect.try({
    try: () => {
      const draft = `${file}.new`
      fs.rmSync(draft, { force: true })
      fs.writeFileSync(draft, text, { mode: PRIVATE_FILE, flush: true })
      if (owner.uid !== undefined && owner.gid !== undefined) fs.chownSync(draft, owner.uid, owner.gid)
      fs.renameSync(draft, file)
    },
    catch: (cause) =>
      new PostgresFailed({ message: `${file}: ${cause instanceof Error ? cause.message : "?"}` })
  })
