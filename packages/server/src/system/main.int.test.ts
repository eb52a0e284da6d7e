import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { connect, createServer, type Socket } from "node:net"
import * as fs from "node:fs"
import * as path from "node:path"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { runProgram, sources, startProcess } from "../testing/ServerFixtures.ts"

const small = (folder: string) => ({ PORT: "0", RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder })

/** A folder of its own, stopped. */
const folderOf = <E>(prepared: Layer.Layer<PreparedFolder, E>) =>
  Effect.flatMap(Effect.scope, (scope) =>
    Effect.map(
      Layer.buildWithScope(Layer.fresh(prepared), scope),
      (context) => Context.get(context, PreparedFolder).path
    )
  )
const seededFolder = folderOf(PostgresFixtures.smallFolder)

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? ""

const postmasterPid = (folder: string) =>
  Number(fs.readFileSync(path.join(folder, "postgres/postmaster.pid"), "utf8").split("\n")[0])

// A zombie that is not reaped yet is dead.
const alive = (pid: number) => {
  try {
    return !/^State:\s+Z/mu.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

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

const takePort = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ port, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
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
    killed.signal("SIGKILL", "group")
    yield* Effect.promise(() => killed.end)

    const started = yield* startProcess(["serve"], small(folder), [], sources)
    const origin = yield* Effect.promise(() => started.ready())
    assert.match(origin, /^http:\/\/127\.0\.0\.1:\d+$/u)
    assert.strictEqual(yield* statusOf(`${origin}/health/ready`), 200)
    assert.strictEqual(yield* statusOf(`${origin}/health/live`), 200)
    for (const place of [origin, `${origin}/api-docs`, `${origin}/swagger.json`])
      assert.include(started.stdout, place)
    for (const login of ["light_agent", "other.administrator", "rapport-demo"])
      assert.include(started.stdout, login)
    assert.strictEqual(lastLine(started.stdout), `ready ${origin}`)
    assert.notInclude(started.stdout, "configuration")
    assert.include(started.stderr, "the configuration")
    const { stdout } = yield* runProgram(["seed", "--json"], small(folder))
    assert.deepStrictEqual(JSON.parse(stdout), { kind: "small", made: false })
  })
)

it.live("SIGTERM ends rapport serve with 0 after the request in flight, and no process is left", () =>
  Effect.gen(function* () {
    const folder = yield* seededFolder
    const started = yield* startProcess(["serve"], small(folder))
    const origin = yield* Effect.promise(() => started.ready())
    const postgres = postmasterPid(folder)
    const inUse = yield* runProgram(["serve"], small(folder))
    assert.strictEqual(inUse.code, 1)
    assert.include(lastLine(inUse.stderr), folder)

    const { finish } = yield* loginInFlight(origin)
    started.signal("SIGTERM")
    yield* Effect.sleep("50 millis")
    started.signal("SIGTERM")
    yield* Effect.sleep("300 millis")
    assert.match(yield* Effect.promise(finish), /^HTTP\/1\.1 200 .*"accessToken"/su)
    assert.deepInclude(yield* Effect.promise(() => started.end), { code: 0, signal: null })
    assert.isFalse(alive(postgres))
  })
)

it.live("rapport serve starts after kill -9 of its process group with every committed write", () =>
  Effect.gen(function* () {
    const folder = yield* seededFolder
    const killed = yield* startProcess(["serve"], small(folder))
    yield* Effect.promise(() => killed.ready())
    killed.signal("SIGKILL", "group")
    yield* Effect.promise(() => killed.end)

    const started = yield* startProcess(["serve"], small(folder))
    const origin = yield* Effect.promise(() => started.ready())
    assert.notInclude(started.stderr, "seeding")
    assert.strictEqual(yield* statusOf(`${origin}/health/ready`), 200)
    const { stdout } = yield* runProgram(["instance", "list", "--json"], small(folder))
    assert.include(stdout, "Verba Telecom")
    started.signal("SIGINT", "group")
    assert.deepInclude(yield* Effect.promise(() => started.end), { code: 0, signal: null })
  })
)

it.live("a second signal after a second ends rapport serve and PostgreSQL immediately", () =>
  Effect.gen(function* () {
    const folder = yield* seededFolder
    const started = yield* startProcess(["serve"], small(folder))
    const origin = yield* Effect.promise(() => started.ready())
    const postgres = postmasterPid(folder)
    yield* loginInFlight(origin)
    started.signal("SIGTERM")
    yield* Effect.sleep("2 seconds")
    started.signal("SIGTERM")
    // A drain that ends would exit with 0.
    assert.deepInclude(yield* Effect.promise(() => started.end), { code: 1, signal: null })
    yield* Effect.repeat(
      Effect.sync(() => alive(postgres)),
      { while: (still) => still, schedule: Schedule.spaced("50 millis") }
    )
  })
)

it.live("a wrong setting ends rapport serve with 2 and one line that names it", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { code, stderr, stdout } = yield* runProgram(["serve"], {
      ...small(folder),
      RAPPORT_POOL_SIZE: "many"
    })
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^rapport: RAPPORT_POOL_SIZE [^\n]+\n$/u)
  })
)

it.live("a data folder that cannot be made ends rapport serve with 1 and one line that names it", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* runProgram(["serve"], {
      PORT: "0",
      RAPPORT_DATA_DIR: "/proc/x/data"
    })
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.match(lastLine(stderr), /^rapport: data folder \/proc\/x\/data: /u)
  })
)

it.live("an empty seed without its administrator ends rapport serve with 2 and one line", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf(PostgresFixtures.migratedFolder)
    const { code, stderr } = yield* runProgram(["serve"], { ...small(folder), RAPPORT_SEED: "empty" })
    assert.strictEqual(code, 2)
    assert.include(lastLine(stderr), "RAPPORT_ADMIN_LOGIN")
  })
)

it.live("a port in use ends rapport serve with 1 and one line that names it, before anything is seeded", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { port } = yield* takePort
    const { code, stderr } = yield* runProgram(["serve"], { ...small(folder), PORT: String(port) })
    assert.strictEqual(code, 1)
    assert.include(lastLine(stderr), `port ${port}`)
    assert.isFalse(fs.existsSync(path.join(folder, "postgres")))
  })
)
