// A real Redis on a free port, which tests stop, kill and restart.
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as net from "node:net"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { freePort } from "./SharedDatabaseFixtures.ts"

/** Its tests are skipped without an installed Redis, with one warning; with CI=true that is a failure. */
export const isRedisMissing = spawnSync("redis-server", ["--version"]).status !== 0
if (isRedisMissing) {
  if (process.env["CI"] === "true") throw new Error("no redis-server is installed: .ci/run installs it")
  console.warn("SKIPPED: limits that are shared through Redis are not tested, there is no redis-server")
}

export interface RunningRedis {
  readonly port: number
  readonly start: Effect.Effect<void>
  /** Sends a signal; SIGKILL returns when the process has ended. */
  readonly signal: (name: "SIGKILL" | "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
}

/** `settings` are further arguments. Nothing is stored on disk. */
export const startRedis = (
  settings: ReadonlyArray<string> = [],
  portOption: "--port" | "--tls-port" = "--port"
): Effect.Effect<RunningRedis, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const port = yield* freePort
    let child: ChildProcess | undefined
    const kill = Effect.promise(async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child?.once("exit", resolve))
      child.kill("SIGKILL")
      await ended
    })
    const start = Effect.promise(async () => {
      const options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
      child = spawn("redis-server", [...options, ...settings, portOption, String(port)], { stdio: "ignore" })
      while (!(await accepts(port))) await new Promise((resolve) => setTimeout(resolve, 20))
    })
    yield* Effect.acquireRelease(start, () => kill)
    return {
      port,
      start,
      signal: (name) => (name === "SIGKILL" ? kill : Effect.sync(() => void child?.kill(name)))
    }
  })

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
