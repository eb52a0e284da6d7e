// The generated password of the embedded PostgreSQL.
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { PRIVATE_FILE } from "../../files/PrivateFiles.ts"
import { type Owner, PostgresFailed, run } from "./PostgresProcess.ts"

const fileOf = (cluster: string): string => path.join(cluster, "rapport-password")

/** Undefined if the file is missing or not readable. */
export const findPassword = (cluster: string): Redacted.Redacted | undefined => {
  try {
    return Redacted.make(fs.readFileSync(fileOf(cluster), "utf8").trim(), { label: "PostgreSQL" })
  } catch {
    return undefined
  }
}

/** Written at every start, which reverts other changes. */
const HOST_BASED_AUTHENTICATION = "local all rapport scram-sha-256\n"

/**
 * Requires a password for the stopped cluster, and sets one if it is missing. The file is written last, so that a kill
 * before it leads to a new password. The file belongs to the service user.
 */
export const requirePassword = Effect.fnUntraced(function* (
  owner: Owner,
  postgres: string,
  cluster: string
): Effect.fn.Return<Redacted.Redacted, PostgresFailed> {
  yield* writeFile(path.join(cluster, "pg_hba.conf"), HOST_BASED_AUTHENTICATION, owner)
  const existing = findPassword(cluster)
  if (existing !== undefined) return existing
  const password = randomBytes(PASSWORD_BYTES).toString("base64url")
  yield* run(
    owner,
    postgres,
    ["--single", "-D", cluster, "-c", "log_statement=none", "postgres"],
    `alter role rapport password '${password}'\n`
  )
  yield* writeFile(fileOf(cluster), `${password}\n`, {})
  return Redacted.make(password, { label: "PostgreSQL" })
})

const PASSWORD_BYTES = 32

const writeFile = (file: string, text: string, owner: Owner) =>
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
