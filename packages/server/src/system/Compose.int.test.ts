import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Record } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { isOpenSearchMissing, OpenSearchAt, OpenSearchFixtures } from "../testing/OpenSearchFixtures.ts"
import { installedPostgres, isPostgresMissing } from "../testing/InstalledPostgres.ts"
import { certifyCluster, tlsProxy } from "../testing/TlsFixtures.ts"
import { eventually } from "../testing/ProjectionFixtures.ts"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { isRedisMissing, startRedis } from "../testing/RedisFixtures.ts"
import { emptyDatabase, freePort } from "../testing/SharedDatabaseFixtures.ts"
import { startService } from "../testing/ServerFixtures.ts"
import { readYaml, valueAt } from "../testing/Yaml.ts"

const docker = path.resolve(import.meta.dirname, "../../../../docker")

/** The `environment` of a service in compose.yaml, as the container would get it. */
const environmentOf = (service: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(valueAt(readYaml("compose.yaml")[0], `services.${service}.environment`))).map(
      ([name, value]) => [name, String(value)]
    )
  )

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
        const options = [
          "--port 0 --tls-auth-clients no",
          `--requirepass ${secrets("redis_password")}`,
          `--tls-cert-file ${tls("redis.pem")} --tls-key-file ${tls("redis_key.pem")}`,
          `--tls-ca-cert-file ${tls("ca.pem")}`
        ]
        const redis = yield* startRedis(
          options.flatMap((option) => option.split(" ")),
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
        const both = [yield* startService(environment), yield* startService(settingsOf("rapport-2"))]
        for (const { origin, tokenOf } of both) {
          assert.strictEqual(origin, `http://0.0.0.0:${listen}`)
          yield* Effect.promise(() => tokenOf("administrator", secrets("admin_password")))
        }
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
          for (const { process } of both) assert.notInclude(process.stderr + process.stdout, value, secret)
        }
      }),
    180_000
  )
})

// contract §11, several processes on one DATABASE_URL.
it.live(
  "processes that start together on an empty database migrate and seed once",
  () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const start = Effect.gen(function* () {
        return yield* startService({
          DATABASE_URL: url,
          RAPPORT_DATA_DIR: yield* temporaryFolder,
          RAPPORT_SEED: "small",
          RAPPORT_TOKEN_KEYS: Buffer.alloc(32, 7).toString("base64url")
        })
      })
      const both = yield* Effect.all([start, start], { concurrency: 2 })
      const countLines = (text: string) => both.filter(({ process }) => process.stderr.includes(text)).length
      assert.strictEqual(countLines("migrated the database"), 1)
      assert.isAtMost(countLines("another process seeds"), 1)
    }),
  120_000
)
