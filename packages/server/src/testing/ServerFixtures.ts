// The real program as a process, for tests of what only a process shows, and once per file for tests over real HTTP.
import { Readiness } from "@rapport/contract/context/ContextApi.ts"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "./PostgresFixtures.ts"

/** What users start: the bundle, whose start takes half of the processor's time of the sources'. */
const program = path.resolve(import.meta.dirname, "../../start.js")
/** The program where no bundle can be made. */
export const sources = path.resolve(import.meta.dirname, "../../rapport.js")

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))

/** What `pnpm start` gives Node: without them it keeps 128 MiB for young objects. */
export const startFlags: ReadonlyArray<string> = Schema.decodeUnknownSync(Manifest)(
  fs.readFileSync(path.resolve(import.meta.dirname, "../../../../package.json"), "utf8")
)
  .scripts.start.split(" ")
  .filter((word) => word.startsWith("--"))

/** How a process ended: its exit code, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A started program, in a process group of its own. */
export class ServerProcess {
  readonly child: ChildProcess
  /** Settles with the end of the process. */
  readonly end: Promise<Ended>
  stdout = ""
  stderr = ""

  constructor(
    args: ReadonlyArray<string>,
    environment: Readonly<Record<string, string>>,
    flags: ReadonlyArray<string> = [],
    file = program
  ) {
    // Nothing of the test's own environment but where programs are.
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", ...environment }
    this.child = spawn(process.execPath, [...flags, file, ...args], {
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text))
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.end = new Promise((resolve) =>
      this.child.once("close", (code, signal) =>
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      )
    )
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("the program was not started")
    return this.child.pid
  }

  /** `http://HOST:PORT` of the ready line, as soon as it is printed. */
  async ready(): Promise<string> {
    const [, origin = ""] = await this.#sees("stdout", /^ready (\S+)$/mu)
    return origin
  }

  /** Settles as soon as the log holds the pattern; rejects when the program ends before. */
  async logs(pattern: RegExp): Promise<void> {
    await this.#sees("stderr", pattern)
  }

  #sees(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, reject, resolve } = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const found = pattern.exec(this[stream])
      if (found !== null) resolve(found)
    }
    this.child[stream]?.on("data", look)
    void this.end.then(({ code, stderr }) => reject(new Error(`the program ended with ${code}: ${stderr}`)))
    look()
    return promise
  }

  /** Sends a signal to the process, or to its whole group as a terminal does. */
  signal(name: NodeJS.Signals, to: "process" | "group" = "process"): void {
    process.kill(to === "group" ? -this.pid : this.pid, name)
  }
}

/** Starts `rapport <args>` with flags of Node, or another program; whatever still runs at the end of the scope is killed. */
export const startProcess = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  flags?: ReadonlyArray<string>,
  file?: string
) =>
  Effect.acquireRelease(
    Effect.sync(() => new ServerProcess(args, environment, flags, file)),
    (started) =>
      Effect.promise(async () => {
        if (started.child.exitCode === null && started.child.signalCode === null) started.signal("SIGTERM")
        await started.end
      })
  )

/** Runs `rapport <args>` to its end. */
export const runProgram = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.scoped(
    Effect.flatMap(startProcess(args, environment), (started) => Effect.promise(() => started.end))
  )

const Tokens = Schema.Struct({ accessToken: Schema.String })
const decodeTokens = Schema.decodeUnknownPromise(Tokens)

/** A service on the small demo, with real HTTP and real signatures. */
export class RunningServer extends Context.Service<
  RunningServer,
  {
    readonly origin: string
    readonly process: ServerProcess
    /** An access token of a demo login. */
    readonly tokenOf: (login: string, password?: string) => Promise<string>
    /** `fetch` below the origin, with the token of a demo login when one is named. */
    readonly call: (path: string, init?: RequestInit & { readonly login?: string }) => Promise<Response>
  }
>()("@rapport/server/testing/RunningServer") {}

export const connect = (started: ServerProcess, origin: string): RunningServer["Service"] => {
  const tokens = new Map<string, Promise<string>>()
  const login = async (name: string, password: string) => {
    const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ login: name, password })
    })
    return (await decodeTokens(await answer.json())).accessToken
  }
  const tokenOf = (name: string, password = "rapport-demo") => {
    const token = tokens.get(name) ?? login(name, password)
    tokens.set(name, token)
    return token
  }
  return {
    origin,
    process: started,
    tokenOf,
    call: async (place, { login: name, ...init } = {}) => {
      const headers = new Headers(init.headers)
      if (name !== undefined) headers.set("authorization", `Bearer ${await tokenOf(name)}`)
      return fetch(`${origin}${place}`, { ...init, headers })
    }
  }
}

const decodeReadiness = Schema.decodeUnknownPromise(Readiness, { onExcessProperty: "error" })
const SEARCHABLE_WITHIN = "60 seconds"

/** Settles as soon as readiness says so. */
const untilReady =
  (isReady: (readiness: typeof Readiness.Type) => boolean) =>
  ({ call }: RunningServer["Service"]) =>
    Effect.promise(async () => {
      const answer = await call("/kw/context/readiness", { login: "administrator" })
      return isReady(await decodeReadiness(await answer.json()))
    }).pipe(
      Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("50 millis") }),
      Effect.timeout(SEARCHABLE_WITHIN),
      Effect.asVoid
    )

/** The index of appeals holds everything: a later start does not wait for it. */
export const untilSearchable = untilReady(
  ({ indexLagMs, searchIndex }) => searchIndex === "ready" && indexLagMs === 0
)

/** An empty seed in a cluster without rows. */
const runningEmpty = (environment: Readonly<Record<string, string>>) =>
  runningIn({ RAPPORT_SEED: "empty", ...environment }).pipe(Layer.provide(PostgresFixtures.migratedFolder))

const runningIn = (environment: Readonly<Record<string, string>>) =>
  Layer.effect(
    RunningServer,
    Effect.gen(function* () {
      const folder = yield* PreparedFolder
      const started = yield* startProcess(["serve"], {
        PORT: "0",
        RAPPORT_SEED: "small",
        RAPPORT_DATA_DIR: folder.path,
        ...environment
      })
      return connect(started, yield* Effect.promise(() => started.ready()))
    })
  )

/** Layers of the bundled program for `layer(…)` of @effect/vitest; use them with `{ excludeTestServices: true }`, real time is needed. */
export const ServerFixtures = {
  /** One process on a fresh copy of the small demo; `environment` adds settings. */
  running: (environment: Readonly<Record<string, string>> = {}) =>
    runningIn(environment).pipe(Layer.provide(PostgresFixtures.smallFolder)),
  /** The same, from when its index of appeals holds everything. */
  searchable: (environment: Readonly<Record<string, string>> = {}) =>
    Layer.effectDiscard(Effect.flatMap(RunningServer, untilSearchable)).pipe(
      Layer.provideMerge(ServerFixtures.running(environment))
    ),
  /** The process of `running` on a demo that was seeded on another day: `midnight` is UTC, epoch milliseconds. */
  runningOn: (midnight: number, environment: Readonly<Record<string, string>> = {}) =>
    runningIn(environment).pipe(Layer.provide(PostgresFixtures.smallFolderOn(midnight))),
  /** One process on an empty seed; `environment` names its administrator. */
  emptied: runningEmpty,
  temporaryFolder
}
