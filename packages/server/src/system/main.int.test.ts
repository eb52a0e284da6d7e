import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { connect, createServer, type Socket } from "node:net"
import * as fs from "node:fs"
import * as path from "node:path"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { runProgram, sources, startProcess, startService } from "../testing/ServerFixtures.ts"
import { isAlive, postmasterPid } from "../testing/StoppedPostgres.ts"

const small = (folder: string) => ({ PORT: "0", RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder })

/** A folder of its own, stopped. */
const seededFolder = Effect.map(
  Layer.build(Layer.fresh(PostgresFixtures.smallFolder)),
  (context) => Context.get(context, PreparedFolder).path
)

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? ""

const statusOf = (url: string) => Effect.promise(async () => (await fetch(url)).status)

/** A login whose body stops in the middle: a request in flight until `finish` sends the rest. */
const loginInFlight = (origin: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly finish: () => Promise<string>; readonly socket: Socket }>((resume) => {
      const { hostname, port } = new URL(origin)
      const body = JSON.stringify({ login: "operator", password: "rapport-demo" })
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /kw/api/v1/auth/login HTTP/1.1\r\nHost: rapport\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 9)}`
        )
        const finish = () =>
          new Promise<string>((resolve) => {
            let answer = ""
            socket.setEncoding("utf8").on("data", (text: string) => (answer += text))
            socket.on("close", () => resolve(answer))
            socket.write(body.slice(9))
          })
        // The service has read the headers.
        socket.once("data", () => resume(Effect.succeed({ finish, socket })))
      })
      socket.on("error", () => {})
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

// contract §11.

it.live("rapport serve seeds again after a kill during its seed, and prints only its start text", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const killed = yield* startProcess(["serve"], {
      ...small(folder),
      RAPPORT_SEED: "demo",
      LOG_LEVEL: "info"
    })
    yield* Effect.promise(() => killed.logs(/seeding/u))
    yield* killed.stop("SIGKILL", "group")

    const { origin, process } = yield* startService(small(folder), [], sources)
    assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/u)
    assert.strictEqual(yield* statusOf(`${origin}/health/ready`), 200)
    assert.strictEqual(yield* statusOf(`${origin}/health/live`), 200)
    for (const path of ["", "/api-docs", "/swagger.json", "/demo/phone"])
      assert.include(process.stdout, ` ${origin}${path}\n`)
    for (const text of ["rapport-demo", "light_agent", "other.administrator"])
      assert.include(process.stdout, text)
    assert.strictEqual(lastLine(process.stdout), `ready ${origin}`)
    assert.notInclude(process.stdout, "configuration")
    assert.include(process.stderr, "the configuration")
    const { stdout } = yield* runProgram(["seed", "--json"], small(folder))
    assert.deepStrictEqual(JSON.parse(stdout), { kind: "small", made: false })
  })
)

it.live("SIGTERM ends rapport serve with 0 after the request in flight, and no process is left", () =>
  Effect.gen(function* () {
    const folder = yield* seededFolder
    const { origin, process } = yield* startService(small(folder))
    const postgres = postmasterPid(folder)
    const inUse = yield* runProgram(["serve"], small(folder))
    assert.strictEqual(inUse.code, 1)
    assert.include(lastLine(inUse.stderr), folder)

    const { finish } = yield* loginInFlight(origin)
    process.signal("SIGTERM")
    yield* Effect.sleep("50 millis")
    process.signal("SIGTERM")
    yield* Effect.sleep("300 millis")
    assert.match(yield* Effect.promise(finish), /^HTTP\/1\.1 200 .*"accessToken"/su)
    assert.deepInclude(yield* Effect.promise(() => process.end), { code: 0, signal: null })
    assert.isFalse(isAlive(postgres))
  })
)

it.live("a second signal after a second ends rapport serve and PostgreSQL immediately", () =>
  Effect.gen(function* () {
    const folder = yield* seededFolder
    const { origin, process } = yield* startService(small(folder))
    const postgres = postmasterPid(folder)
    yield* loginInFlight(origin)
    process.signal("SIGTERM")
    yield* Effect.sleep("2 seconds")
    // A drain that ends would exit with 0.
    assert.deepInclude(yield* process.stop(), { code: 1, signal: null })
    yield* Effect.repeat(
      Effect.sync(() => isAlive(postgres)),
      { while: (still) => still, schedule: Schedule.spaced("50 millis") }
    )
  })
)

const unreachable = { DATABASE_URL: "postgres://rapport:hidden@127.0.0.1:9/rapport" }
const keys = { RAPPORT_TOKEN_KEYS: Buffer.alloc(32, 7).toString("base64url") }

it.live.each([
  ["a wrong setting", 2, { RAPPORT_POOL_SIZE: "many" }, /^rapport: RAPPORT_POOL_SIZE /u],
  [
    "a data folder that cannot be made",
    1,
    { RAPPORT_DATA_DIR: "/proc/x/data" },
    /^rapport: data folder \/proc\/x\/data: /u
  ],
  ["a DATABASE_URL without RAPPORT_TOKEN_KEYS", 2, unreachable, /^rapport: .*RAPPORT_TOKEN_KEYS is missing/u],
  [
    "an empty seed without its administrator",
    2,
    { RAPPORT_SEED: "empty" },
    /^rapport: .*RAPPORT_ADMIN_LOGIN/u
  ],
  ["a DATABASE_URL that does not answer", 1, { ...unreachable, ...keys }, /^rapport: PostgreSQL: /u]
] as const)("%s ends rapport serve with %d and one line that names it", ([, code, environment, line]) =>
  Effect.gen(function* () {
    const settings = { ...small(yield* temporaryFolder), ...environment }
    const ended = yield* runProgram(["serve"], settings)
    assert.deepInclude(ended, { code, stdout: "" })
    assert.match(lastLine(ended.stderr), line)
    assert.notInclude(ended.stderr, "hidden")
  })
)

it.live("a port in use ends rapport serve with 1 and one line that names it, before anything is seeded", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const port = yield* listenOnLoopback(createServer())
    const { code, stderr } = yield* runProgram(["serve"], { ...small(folder), PORT: String(port) })
    assert.strictEqual(code, 1)
    assert.include(lastLine(stderr), `port ${port}`)
    assert.isFalse(fs.existsSync(path.join(folder, "postgres")))
  })
)
