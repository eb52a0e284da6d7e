// A PostgreSQL that uses TLS with a certificate of its own authority: who is trusted, and who is not.
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import { installedPostgres, isPostgresMissing } from "../../testing/InstalledPostgres.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { freePort } from "../../testing/SharedDatabaseFixtures.ts"
import { certifyCluster, makeCertificates } from "../../testing/TlsFixtures.ts"
import { commandLayer } from "./Database.ts"
import { failureLine } from "../../cli/Failure.ts"

const Encrypted = Schema.Tuple([Schema.Struct({ ssl: Schema.Boolean })])
const isEncrypted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  return (yield* Schema.decodeUnknownEffect(Encrypted)(rows))[0].ssl
})

describe.skipIf(isPostgresMissing)("TLS to PostgreSQL", () => {
  it.live(
    "TLS to PostgreSQL is verified with the given certificates and refused where they do not match",
    () =>
      Effect.gen(function* () {
        const made = yield* temporaryFolder
        const stranger = yield* temporaryFolder
        makeCertificates(made)
        makeCertificates(stranger)
        const { port } = yield* installedPostgres(yield* freePort, ["-c ssl=on"], (cluster) =>
          certifyCluster(cluster, path.join(made, "server.crt"), path.join(made, "server.key"))
        )
        const connects = (more: string, folder?: string, host = "127.0.0.1") =>
          Effect.provide(
            isEncrypted,
            commandLayer({
              url: Redacted.make(`postgres://rapport@${host}:${port}/postgres${more}`),
              certificates:
                folder === undefined ? undefined : fs.readFileSync(path.join(folder, "ca.pem"), "utf8")
            }),
            { local: true }
          )
        assert.isTrue(yield* connects("", made))
        assert.isTrue(yield* connects("?sslmode=verify-full", made))
        assert.isFalse(yield* connects(""))
        // The certificate is for 127.0.0.1 only.
        const refusals = [
          [connects("", stranger), /self.signed|unable to/iu],
          [connects("?sslmode=verify-full", stranger), /self.signed|unable to/iu],
          [connects("?sslmode=require"), /self.signed|unable to/iu],
          [connects("", made, "localhost"), /altnames/iu],
          [connects("?sslmode=verify-full", made, "localhost"), /altnames/iu]
        ] as const
        for (const [refused, said] of refusals) {
          const error = yield* Effect.flip(refused)
          assert.strictEqual(error._tag, "SqlError")
          assert.match(failureLine(Cause.fail(error)) ?? "", said)
        }
      }),
    60_000
  )
})
