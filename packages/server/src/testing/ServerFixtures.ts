// The real program as a process: signals, output and exit codes, and real HTTP.
import { Readiness } from "@rapport/contract/context/ContextApi.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type HttpAnswer, type HttpRequest, login, send } from "./WriterFixtures.ts"
import { PostgresFixtures, PreparedFolder } from "./PostgresFixtures.ts"
import { eventually } from "./ProjectionFixtures.ts"

/** The bundle, as users start it. */
export const program = path.resolve(import.meta.dirname, "../../start.js")
/** The program without a bundle. */
export const sources = path.resolve(import.meta.dirname, "../../rapport.js")

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))

/** The flags of Node in `pnpm start`. */
export const startFlags: ReadonlyArray<string> = Schema.decodeUnknownSync(Manifest)(
  fs.readFileSync(path.resolve(import.meta.dirname, "../../../../package.json"), "utf8")
)
  .scripts.start.split(" ")
  .filter((word) => word.startsWith("--"))

/** The exit code of a process, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A started program in its own process group. */
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
    // Nothing of the environment of the test.
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

  /** Waits for the ready line. Returns its `http://HOST:PORT`. */
  async ready(): Promise<string> {
    const [, origin = ""] = await this.#waitFor("stdout", /^ready (\S+)$/mu)
    return origin
  }

  /** Waits until the log matches; rejects if the program ends before. */
  async logs(pattern: RegExp): Promise<void> {
    await this.#waitFor("stderr", pattern)
  }

  #waitFor(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> {
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

  /** Sends a signal, and waits for the end. */
  stop(name: NodeJS.Signals = "SIGTERM", to?: "process" | "group"): Effect.Effect<Ended> {
    return Effect.promise(() => {
      this.signal(name, to)
      return this.end
    })
  }

  /** Sends a signal to the process, or to its group as a terminal does. */
  signal(name: NodeJS.Signals, to: "process" | "group" = "process"): void {
    process.kill(to === "group" ? -this.pid : this.pid, name)
  }
}

/** Starts `rapport <args>` with flags of Node, or another program; stopped with the scope. */
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

/** A service on the small demo. */
export class RunningServer extends Context.Service<
  RunningServer,
  {
    readonly origin: string
    readonly process: ServerProcess
    /** An access token of a demo login. */
    readonly tokenOf: (login: string, password?: string) => Promise<string>
    /** `fetch` below the origin, with the token of a demo login if one is given. */
    readonly call: (path: string, init?: RequestInit & { readonly login?: string }) => Promise<Response>
    /** Sends JSON with the token of a demo login, by default `administrator`. */
    readonly send: (request: HttpRequest & { readonly login?: string }) => Effect.Effect<HttpAnswer>
  }
>()("@rapport/server/testing/RunningServer") {}

export const connect = (started: ServerProcess, origin: string): RunningServer["Service"] => {
  const tokens = new Map<string, Promise<string>>()
  const tokenOf = (name: string, password?: string) => {
    const token = tokens.get(name) ?? login(origin, name, password).then(({ accessToken }) => accessToken)
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
    },
    send: ({ login: name = "administrator", ...request }) =>
      Effect.promise(async () => send(origin, await tokenOf(name), request))
  }
}

/** Starts a service on a free port, and waits until it is ready. */
export const startService = Effect.fnUntraced(function* (
  environment: Readonly<Record<string, string>>,
  flags?: ReadonlyArray<string>,
  file?: string
) {
  const started = yield* startProcess(["serve"], { PORT: "0", ...environment }, flags, file)
  return connect(started, yield* Effect.promise(() => started.ready()))
})

const decodeReadiness = Schema.decodeUnknownEffect(Readiness, { onExcessProperty: "error" })

/** The readiness of the sources of a context read. */
export const readinessOf = ({ send }: RunningServer["Service"]) =>
  Effect.flatMap(send({ path: "/kw/context/readiness" }), ({ body }) => Effect.orDie(decodeReadiness(body)))

/** Waits until the index of appeals is complete. */
export const untilSearchable = (service: RunningServer["Service"]) =>
  eventually(
    readinessOf(service),
    ({ indexLagMs, searchIndex }) => searchIndex === "ready" && indexLagMs === 0
  )

const runningIn = (environment: Readonly<Record<string, string>>) =>
  Layer.effect(
    RunningServer,
    Effect.gen(function* () {
      const { path: folder } = yield* PreparedFolder
      return yield* startService({ RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder, ...environment })
    })
  )

/** For `layer(…)` of @effect/vitest with `{ excludeTestServices: true }`: the program needs real time. */
export const ServerFixtures = {
  /** One process on a fresh copy of the small demo; `environment` adds settings. */
  running: (environment: Readonly<Record<string, string>> = {}) =>
    runningIn(environment).pipe(Layer.provide(PostgresFixtures.smallFolder)),
  /** The same, with a complete index of appeals. */
  searchable: (environment: Readonly<Record<string, string>> = {}) =>
    Layer.effectDiscard(Effect.flatMap(RunningServer, untilSearchable)).pipe(
      Layer.provideMerge(ServerFixtures.running(environment))
    ),
  /** The same on a demo that was seeded on another day: `midnight` is UTC, epoch milliseconds. */
  runningOn: (midnight: number, environment: Readonly<Record<string, string>> = {}) =>
    runningIn(environment).pipe(Layer.provide(PostgresFixtures.smallFolderOn(midnight))),
  /** One process on an empty seed; `environment` names its administrator. */
  emptied: (environment: Readonly<Record<string, string>>) =>
    runningIn({ RAPPORT_SEED: "empty", ...environment }).pipe(Layer.provide(PostgresFixtures.migratedFolder))
}
