// The commands for users, tokens, doctor, status and the erasure of a client (contract §11).
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { SqlClient } from "effect/sql"
import { commandLayer } from "../postgres/connection/Database.ts"
import { findRunning } from "../postgres/connection/EmbeddedPostgres.ts"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { isRedisMissing, startRedis } from "../testing/RedisFixtures.ts"
import { program, RunningServer, runProgram, ServerFixtures } from "../testing/ServerFixtures.ts"

const rapport = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(PreparedFolder, ({ path }) => runProgram(args, { RAPPORT_DATA_DIR: path, ...more }))
interface Report {
  readonly healthy: boolean
  readonly checks: ReadonlyArray<{ name: string; status: string; found: string; mend: string | null }>
}
const reportIn = (stdout: string): Report => JSON.parse(stdout)
/** A check of `rapport doctor` with these settings. */
const checkOf = (name: string, more?: Readonly<Record<string, string>>) =>
  Effect.map(rapport(["doctor", "--json"], more), ({ stdout }) =>
    reportIn(stdout).checks.find((check) => check.name === name)
  )

const loginStatus = Effect.fnUntraced(function* (login: string, password: string) {
  const { origin } = yield* RunningServer
  return yield* Effect.promise(async () => {
    const body = JSON.stringify({ login, password })
    const headers = { "content-type": "application/json" }
    return (await fetch(`${origin}/kw/api/v1/auth/login`, { method: "POST", headers, body })).status
  })
})
const clientsStatus = Effect.fnUntraced(function* (token: string) {
  const { origin } = yield* RunningServer
  return yield* Effect.promise(
    async () => (await fetch(`${origin}/kw/api/v1/clients`, { headers: { "x-auth-token": token } })).status
  )
})

const createToken = (user: string) => [
  "token",
  "create",
  "--user",
  user,
  "--name",
  "CRM",
  "--permission",
  "clients.read"
]

layer(ServerFixtures.running().pipe(Layer.provideMerge(PostgresFixtures.smallFolder)), {
  excludeTestServices: true
})("the command line", (it) => {
  it.effect("user commands create a user who logs in, set a password and block a user", () =>
    Effect.gen(function* () {
      const role = ["--role", "operator", "--json"]
      const made = yield* rapport(["user", "create", "--login", "Ганна", ...role])
      assert.strictEqual(made.code, 0, made.stderr)
      const { id, password } = JSON.parse(made.stdout)
      assert.strictEqual(yield* loginStatus("ганна", password), 200)
      assert.strictEqual((yield* rapport(["user", "create", "--login", "ГАННА", ...role])).code, 1)
      assert.strictEqual((yield* rapport(["user", "create", "--login", "x", "--role", "emperor"])).code, 2)

      const file = path.join((yield* PreparedFolder).path, "password")
      fs.writeFileSync(file, "password123\n")
      const common = yield* rapport(["user", "password", "Ганна", "--password-file", file])
      assert.deepInclude(common, { code: 2, stdout: "" })
      assert.include(common.stderr, "must not be a common one")
      fs.writeFileSync(file, "їжак-у-тумані\n")
      const set = yield* rapport(["user", "password", "Ганна", "--password-file", file, "--json"])
      assert.strictEqual(
        set.stdout,
        `${JSON.stringify({ id, login: "Ганна", password: null, endedTokens: 0 })}\n`
      )
      assert.strictEqual(yield* loginStatus("Ганна", password), 401)
      assert.strictEqual(yield* loginStatus("Ганна", "їжак-у-тумані"), 200)

      assert.deepInclude(yield* rapport(["user", "block", "Ганна"]), { code: 0 })
      assert.strictEqual(yield* loginStatus("Ганна", "їжак-у-тумані"), 401)
      assert.match((yield* rapport(["user", "list"])).stdout, /blocked {2}Ганна/u)
      const unknown = yield* rapport(["user", "block", "nobody"])
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.stderr, "there is no user nobody")
    })
  )

  it.effect(
    "token commands create a token that works until it is revoked, and refuse one that could not work",
    () =>
      Effect.gen(function* () {
        const made = yield* rapport([...createToken("integrator"), "--days", "30", "--json"])
        assert.strictEqual(made.code, 0, made.stderr)
        const { id, token } = JSON.parse(made.stdout)
        assert.strictEqual(yield* clientsStatus(token), 200)
        for (const days of ["0", "36501", "99999999999"]) {
          const wrong = yield* rapport([...createToken("integrator"), "--days", days])
          assert.strictEqual(wrong.code, 2)
          assert.strictEqual(wrong.stderr, "rapport: --days must be 1 to 36500\n")
        }
        const lacking = yield* rapport(createToken("analyst"))
        assert.deepInclude(lacking, { code: 2, stdout: "" })
        assert.include(lacking.stderr, "clients.read, tokens.manage")
        assert.notInclude((yield* rapport(["token", "list", "--json"])).stdout, token)
        assert.deepInclude(yield* rapport(["token", "revoke", String(id), "--json"]), {
          code: 0,
          stdout: `{"ids":[${id}]}\n`
        })
        assert.strictEqual(yield* clientsStatus(token), 401)
        assert.strictEqual((yield* rapport(["token", "revoke", String(id)])).code, 1)
      })
  )

  it.effect.skipIf(isRedisMissing)("doctor writes to the Redis of REDIS_URL, with its password", () =>
    Effect.gen(function* () {
      const { port } = yield* startRedis(["--requirepass", "secret-word"])
      const ask = Effect.fnUntraced(function* (password: string) {
        const REDIS_URL = `redis://:${password}@127.0.0.1:${port}`
        return yield* checkOf("redis", { REDIS_URL, RAPPORT_REDIS_TIMEOUT_MS: "5000" })
      })
      assert.deepInclude(yield* ask("secret-word"), { status: "ok", mend: null })
      const refused = yield* ask("another-word")
      assert.strictEqual(refused?.status, "warning")
      assert.notInclude(refused?.found, "another-word")
    })
  )

  it.effect("doctor reports a running service as healthy, and how to mend a broken one", () =>
    Effect.gen(function* () {
      const healthy = yield* rapport(["doctor", "--json"])
      const report = reportIn(healthy.stdout)
      assert.deepStrictEqual([healthy.code, report.healthy], [0, true], healthy.stdout)
      for (const name of ["database", "migrations", "clock", "index", "files", "keys", "disk", "tls"])
        assert.include(
          report.checks.map((check) => check.name),
          name
        )
      const broken = yield* rapport(["doctor", "--json"], {
        DATABASE_URL: "postgres://nobody:secret-word@127.0.0.1:1/none",
        RAPPORT_FREE_MB: "900000000",
        OPENSEARCH_URL: "http://127.0.0.1:1",
        REDIS_URL: "redis://:secret-word@127.0.0.1:1"
      })
      const { checks } = reportIn(broken.stdout)
      const found = checks.filter(({ status }) => status === "failed")
      assert.include(checks.find(({ name }) => name === "redis")?.found, "counts limits separately")
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["database", "opensearch", "keys", "disk"]
      )
      assert.isTrue(found.every(({ mend }) => mend !== null && mend.length > 10))
      assert.strictEqual(broken.code, 1)
      assert.notInclude(broken.stdout + broken.stderr, "secret-word")
      assert.strictEqual((yield* rapport(["doctor"], { PORT: "wrong" })).code, 2)
      const status = yield* rapport(["status", "--json"])
      assert.strictEqual(status.code, 0, status.stderr)
      assert.include(status.stdout, '"processes":')
    })
  )

  it.effect("doctor reports demo logins that prevent a start, and an erasure that does not finish", () =>
    Effect.gen(function* () {
      const { path: folder } = yield* PreparedFolder
      const running = findRunning(folder)
      if (running === undefined) return assert.fail("PostgreSQL is not running")
      // contract §11: behind a proxy the service refuses to start, even if it listens on loopback.
      const proxied = { RAPPORT_TRUSTED_PROXIES: "10.0.0.1" }
      assert.deepInclude(yield* checkOf("demo logins", proxied), { status: "failed" })
      const allowed = { ...proxied, RAPPORT_ALLOW_DEMO_LOGINS: "true" }
      assert.deepInclude(yield* checkOf("demo logins", allowed), { status: "warning" })
      assert.deepInclude(yield* checkOf("demo logins"), { status: "ok" })

      assert.deepInclude(yield* checkOf("erasures"), { status: "ok" })
      // The running service cannot continue the erasure while a table that it needs is locked.
      const addOverdueErasure = Effect.provide(
        Effect.flatMap(
          SqlClient.SqlClient,
          (
            sql
          ) => sql`with client as (insert into clients (instance_id, name) values (1, 'Їжак') returning id)
            insert into client_erasures (instance_id, client_id, requested_at, part)
            select 1, id, now() - interval '2 hours', 'client_identities' from client`
        ),
        commandLayer(running),
        { local: true }
      )
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const overdue = yield* sql.withTransaction(
          sql`lock table client_identities in access exclusive mode`.pipe(
            Effect.andThen(addOverdueErasure),
            Effect.andThen(checkOf("erasures"))
          )
        )
        assert.deepInclude(overdue, { status: "failed" })
        assert.include(overdue?.found, "client_identities")
      }).pipe(Effect.provide(commandLayer(running), { local: true }))
    })
  )

  it.effect.skipIf(!fs.existsSync("/usr/bin/script"))(
    "client erase shows the client on a terminal and erases it only after its id is typed",
    () =>
      Effect.gen(function* () {
        const { path: folder } = yield* PreparedFolder
        const onTerminal = (typed: string) =>
          spawnSync(
            "/usr/bin/script",
            ["-qec", `'${process.execPath}' '${program}' client erase 501`, "/dev/null"],
            {
              input: `${typed}\n`,
              encoding: "utf8",
              env: { ...process.env, RAPPORT_DATA_DIR: folder, SHELL: "/bin/sh" }
            }
          )
        const refused = onTerminal("так")
        assert.strictEqual(refused.status, 1)
        assert.match(refused.stdout, /client 501 "\p{Lu}[^]*Type 501[^]*nothing was erased/u)
        assert.strictEqual((yield* rapport(["client", "export", "501"])).code, 0)
        const erased = onTerminal("501")
        assert.strictEqual(erased.status, 0, erased.stdout)
        assert.include(erased.stdout, "client 501 is erased")
        assert.strictEqual((yield* rapport(["client", "export", "501"])).code, 1)
      })
  )

  it.effect("a command ends without an error when the reader of its output has gone", () =>
    Effect.gen(function* () {
      const { path: folder } = yield* PreparedFolder
      for (const args of [
        ["instance", "list"],
        ["client", "export", "502"]
      ]) {
        const child = spawn(process.execPath, [program, ...args], {
          env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", RAPPORT_DATA_DIR: folder },
          stdio: ["ignore", "pipe", "inherit"]
        })
        child.stdout.destroy()
        const code = yield* Effect.callback<number | null>((resume) => {
          child.once("exit", (code) => resume(Effect.succeed(code)))
        })
        assert.strictEqual(code, 0, args.join(" "))
      }
    })
  )

  it.effect.skipIf(!fs.existsSync("/dev/full"))(
    "a result that cannot be written ends the command with an error",
    () =>
      Effect.gen(function* () {
        const { path: folder } = yield* PreparedFolder
        const ended = spawnSync(process.execPath, [program, "instance", "list"], {
          env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", RAPPORT_DATA_DIR: folder },
          stdio: ["ignore", fs.openSync("/dev/full", "w"), "pipe"],
          encoding: "utf8"
        })
        assert.strictEqual(ended.status, 1)
        assert.match(ended.stderr, /^rapport: standard output: ENOSPC/u)
      })
  )
})
