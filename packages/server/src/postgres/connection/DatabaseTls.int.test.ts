// A PostgreSQL that uses TLS with a certificate of its own authority: who is trusted, and who is not.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { installedPostgres, isPostgresMissing } from "../../testing/InstalledPostgres.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { freePort } from "../../testing/SharedDatabaseFixtures.ts"
import { commandLayer } from "./Database.ts"

const openssl = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] })

const subject = (name: string) => ["-subj", `/CN=${name}`]

/** An authority, and a certificate of it for 127.0.0.1. */
const certificates = (folder: string) => {
  openssl(
    folder,
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    ...subject("authority")
  )
  openssl(
    folder,
    "req",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    "server.key",
    "-out",
    "server.csr",
    ...subject("127.0.0.1")
  )
  fs.writeFileSync(path.join(folder, "names"), "subjectAltName=IP:127.0.0.1\n")
  openssl(
    folder,
    "x509",
    "-req",
    "-days",
    "2",
    "-in",
    "server.csr",
    "-CA",
    "ca.pem",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-extfile",
    "names",
    "-out",
    "server.crt"
  )
}

const Encrypted = Schema.Tuple([Schema.Struct({ ssl: Schema.Boolean })])
const isEncrypted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  return (yield* Schema.decodeUnknownEffect(Encrypted)(rows))[0].ssl
})

describe.skipIf(isPostgresMissing)("TLS to PostgreSQL", () => {
  it.live(
    "is judged by the given certificates, and refused where they do not fit",
    () =>
      Effect.gen(function* () {
        const made = yield* temporaryFolder
        const stranger = yield* temporaryFolder
        certificates(made)
        certificates(stranger)
        const { port } = yield* installedPostgres(yield* freePort, ["-c ssl=on"], (cluster) => {
          const { gid, uid } = fs.statSync(cluster)
          for (const name of ["server.key", "server.crt"]) {
            fs.copyFileSync(path.join(made, name), path.join(cluster, name))
            fs.chownSync(path.join(cluster, name), uid, gid)
            fs.chmodSync(path.join(cluster, name), 0o600)
          }
        })
        const asked = (more: string, folder?: string) =>
          Effect.provide(
            isEncrypted,
            commandLayer({
              url: Redacted.make(`postgres://rapport@127.0.0.1:${port}/postgres${more}`),
              certificates:
                folder === undefined ? undefined : fs.readFileSync(path.join(folder, "ca.pem"), "utf8")
            }),
            { local: true }
          )
        assert.isTrue(yield* asked("", made))
        assert.isTrue(yield* asked("?sslmode=verify-full", made))
        assert.isFalse(yield* asked(""))
        for (const refused of [asked("", stranger), asked("?sslmode=require")]) {
          const error = yield* Effect.flip(refused)
          assert.strictEqual(error._tag, "SqlError")
        }
      }),
    60_000
  )
})
