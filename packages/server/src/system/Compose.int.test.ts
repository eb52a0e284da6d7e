import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Record, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import * as path from "node:path"
import { parse } from "yaml"
import { DataFolder } from "../files/DataFolder.ts"
import { commandLayer } from "../postgres/connection/Database.ts"
import { EmbeddedPostgres } from "../postgres/connection/EmbeddedPostgres.ts"
import { isOpenSearchMissing, OpenSearchAt, OpenSearchFixtures } from "../testing/OpenSearchFixtures.ts"
import { installedPostgres, isPostgresMissing } from "../testing/InstalledPostgres.ts"
import { certifyCluster, tlsProxy } from "../testing/TlsFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { overTcp, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { isRedisMissing, runningRedis } from "../testing/RedisFixtures.ts"
import { runProgram, startProcess } from "../testing/ServerFixtures.ts"

const docker = path.resolve(import.meta.dirname, "../../../../docker")

const Services = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({ environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) })
  )
})
const decodeCompose = Schema.decodeUnknownSync(Services)

/** The `environment` of a service in compose.yaml, as the container would get it. */
const environmentOf = (service: string): Record<string, string> => {
  const text = fs.readFileSync(path.join(docker, "compose.yaml"), "utf8").replace("!reset ", "")
  return decodeCompose(parse(text, { merge: true })).services[service]?.environment ?? {}
}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** A PostgreSQL that is not ours, reached over TCP as in the compose file. */
const otherPostgres = Effect.gen(function* () {
  const port = yield* freePort
  const folder = yield* temporaryFolder
  const settings = overTcp(folder, port)
  const cluster = EmbeddedPostgres.layer({ connectionsMax: 64, settings }).pipe(
    Layer.provide(DataFolder.layer(folder))
  )
  yield* Layer.build(cluster)
  return port
})

/**
 * The OpenSearch of the compose file: the real one behind TLS and a password, where one is available; else an address without
 * one: a lost engine never stops a start (contract §3.4).
 */
const openSearchHost = (secrets: (name: string) => string) =>
  isOpenSearchMissing
    ? Effect.succeed({ host: "127.0.0.1:9", url: undefined })
    : Effect.gen(function* () {
        const { url } = Context.get(yield* Layer.build(OpenSearchFixtures.at), OpenSearchAt)
        const port = yield* tlsProxy({
          certificate: secrets("opensearch.pem"),
          key: secrets("opensearch_key.pem"),
          target: url,
          user: "rapport",
          password: secrets("opensearch_password")
        })
        return { host: `127.0.0.1:${port}`, url }
      })

const emptyDatabase = (port: number, name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`create database ${name}`)
  }).pipe(Effect.provide(commandLayer({ url: urlOf(port, "postgres") })))

const urlOf = (port: number, database: string) =>
  Redacted.make(`postgres://rapport:db-secret@127.0.0.1:${port}/${database}`)

// What the containers mount at /run/secrets and /data, in a folder of the test.
const secretsIn = (folder: string) => {
  execFileSync("cp", ["-r", path.join(docker, "make-secrets"), folder])
  execFileSync(path.join(folder, "make-secrets"))
  return (name: string) => fs.readFileSync(path.join(folder, "secrets", name), "utf8")
}

/** The files that the service's secrets of the compose file are. */
const filesOfSecrets = (): ReadonlyMap<string, string> =>
  new Map(
    [
      ...fs
        .readFileSync(path.join(docker, "compose.yaml"), "utf8")
        .matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\S+) \}$/gmu)
    ].map(([, name = "", file = ""]) => [name, file])
  )

// "A test starts the program with exactly the environment of compose.yaml, hosts replaced."
describe.skipIf(isPostgresMissing || isRedisMissing)("docker/compose.yaml", () => {
  it.live(
    "the two processes of docker/compose.yaml start on one port, and the administrator logs in",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const secrets = secretsIn(folder)
        const { port, run } = yield* installedPostgres(yield* freePort, ["-c ssl=on"], (cluster) =>
          certifyCluster(
            cluster,
            path.join(folder, "secrets/postgres.pem"),
            path.join(folder, "secrets/postgres_key.pem")
          )
        )
        yield* run("createdb", "rapport")
        const database = secrets("database_url")
        assert.include(database, "@postgres:5432/rapport?sslmode=verify-full")
        fs.writeFileSync(
          path.join(folder, "secrets/database_url"),
          database.replace("postgres:5432", `127.0.0.1:${port}`)
        )
        const tls = (name: string) => path.join(folder, "secrets", name)
        const redis = yield* runningRedis(
          [
            "--port",
            "0",
            "--tls-auth-clients",
            "no",
            "--requirepass",
            secrets("redis_password"),
            "--tls-cert-file",
            tls("redis.pem"),
            "--tls-key-file",
            tls("redis_key.pem"),
            "--tls-ca-cert-file",
            tls("ca.pem")
          ],
          "--tls-port"
        )
        fs.writeFileSync(
          path.join(folder, "secrets/redis_url"),
          secrets("redis_url").replace("redis:6379", `127.0.0.1:${redis.port}`)
        )
        const listen = yield* freePort
        const search = yield* openSearchHost(secrets)
        const files = filesOfSecrets()
        const inHere = (service: string) => (value: string) =>
          value
            .replace(/^\/run\/secrets\/(\w+)$/u, (_, name) => `${folder}/secrets/${files.get(name)}`)
            .replace(/^\/data$/u, `${folder}/${service}-data`)
            .replace("otel-collector:4318", "127.0.0.1:9")
            .replace("opensearch:9200", search.host)
            .replaceAll("8080", String(listen))
            .replace(/^946[45]$/u, "0")
        const settingsOf = (service: string) => Record.map(environmentOf(service), inHere(service))
        const environment = settingsOf("rapport")
        assert.includeMembers(Object.keys(environment), [
          "DATABASE_URL_FILE",
          "DATABASE_CA_FILE",
          "OPENSEARCH_CA_FILE",
          "OPENSEARCH_PASSWORD_FILE",
          "RAPPORT_TOKEN_KEYS_FILE",
          "OPENSEARCH_URL",
          "PORT",
          "HOST"
        ])
        const started = yield* startProcess(["serve"], environment)
        assert.strictEqual(yield* Effect.promise(() => started.ready()), `http://0.0.0.0:${listen}`)
        const second = yield* startProcess(["serve"], settingsOf("rapport-2"))
        assert.strictEqual(yield* Effect.promise(() => second.ready()), `http://0.0.0.0:${listen}`)
        const answer = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${listen}/kw/api/v1/auth/login`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              login: "administrator",
              password: fs.readFileSync(path.join(folder, "secrets/admin_password"), "utf8")
            })
          })
        )
        assert.strictEqual(answer.status, 200)
        const encrypted = yield* run(
          "psql",
          "-Atc",
          "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'rapport'",
          "rapport"
        )
        assert.strictEqual(encrypted.trim(), "t")
        // Limits are counted in Redis, through TLS and with the password; one that is late is done without at first.
        const counting = Effect.promise(async () => {
          await fetch(`http://127.0.0.1:${listen}/kw/api/v1/auth/me`, {
            headers: { authorization: "Bearer x" }
          })
          const address = ["--tls", "--cacert", tls("ca.pem"), "-p", String(redis.port)]
          const env = { PATH: "/usr/local/bin:/usr/bin:/bin", REDISCLI_AUTH: secrets("redis_password") }
          return spawnSync("redis-cli", [...address, "info", "commandstats"], { env, encoding: "utf8" })
            .stdout
        })
        yield* eventually(counting, (said) => /cmdstat_eval/u.test(said))
        // Through TLS and with the password its indexes are made.
        if (search.url !== undefined) {
          const aliases = Effect.promise(async () => (await fetch(`${search.url}/_alias`)).text())
          yield* eventually(aliases, (text) => text.includes("rapport-evidence"))
        }
        for (const secret of fs.readdirSync(path.join(folder, "secrets"))) {
          const value = fs.readFileSync(path.join(folder, "secrets", secret), "utf8")
          for (const { stderr, stdout } of [started, second]) {
            assert.notInclude(stderr, value, secret)
            assert.notInclude(stdout, value, secret)
          }
        }
      }),
    180_000
  )
})

// contract §11, several processes on one DATABASE_URL.

const keys = Buffer.alloc(32, 7).toString("base64url")

it.live(
  "processes that start together on an empty database migrate and seed once",
  () =>
    Effect.gen(function* () {
      const port = yield* otherPostgres
      yield* emptyDatabase(port, "several")
      const environmentIn = (folder: string) => ({
        PORT: "0",
        DATABASE_URL: Redacted.value(urlOf(port, "several")),
        RAPPORT_DATA_DIR: folder,
        RAPPORT_SEED: "small",
        RAPPORT_TOKEN_KEYS: keys
      })
      const first = yield* startProcess(["serve"], environmentIn(yield* temporaryFolder))
      const second = yield* startProcess(["serve"], environmentIn(yield* temporaryFolder))
      yield* Effect.promise(() => Promise.all([first.ready(), second.ready()]))
      const migrated = [first, second].filter(({ stderr }) => stderr.includes("migrated the database"))
      assert.lengthOf(migrated, 1)
      const waited = [first, second].filter(({ stderr }) => stderr.includes("another process seeds"))
      assert.isAtMost(waited.length, 1)
    }),
  120_000
)

it.live("DATABASE_URL without RAPPORT_TOKEN_KEYS ends the start with 2 and one line that names them", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { code, stderr } = yield* runProgram(["serve"], {
      PORT: "0",
      DATABASE_URL: "postgres://rapport@127.0.0.1:9/rapport",
      RAPPORT_DATA_DIR: folder
    })
    assert.strictEqual(code, 2)
    assert.include(stderr.trimEnd().split("\n").at(-1) ?? "", "RAPPORT_TOKEN_KEYS is missing")
  })
)

it.live("a DATABASE_URL that does not answer ends the start with 1 and one line", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { code, stderr } = yield* runProgram(["serve"], {
      PORT: "0",
      DATABASE_URL: "postgres://rapport:hidden@127.0.0.1:9/rapport",
      RAPPORT_DATA_DIR: folder,
      RAPPORT_TOKEN_KEYS: keys
    })
    assert.strictEqual(code, 1)
    assert.match(stderr.trimEnd().split("\n").at(-1) ?? "", /^rapport: PostgreSQL: /u)
    assert.notInclude(stderr, "hidden")
  })
)
