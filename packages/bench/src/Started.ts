// Programs that are started to be measured: each prints a line with its origin and ends with the scope.
import { Data, Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

export interface Running {
  readonly origin: string
  readonly pid: number
}

/** Origin of a program of ours, run by the Node that runs this one; `said` finds it in what the program prints. */
export const started = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  said = /^ready (\S+)$/mu
): Effect.Effect<string, NotStarted, Scope.Scope> =>
  Effect.map(running(file, args, environment, said), ({ origin }) => origin)

/** The same with its process. */
export const running = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  said = /^ready (\S+)$/mu,
  flags: ReadonlyArray<string> = []
): Effect.Effect<Running, NotStarted, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...flags, file, ...args], {
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", ...environment },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<Running, NotStarted>((resume) => {
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
          const origin = said.exec(text)?.[1]
          if (origin !== undefined) resume(Effect.succeed({ origin, pid: child.pid ?? 0 }))
        })
        child.once("exit", (code) =>
          resume(new NotStarted({ message: `${path.basename(file)} ended with ${code}` }))
        )
      })
    )
  )

/** A file of this repository. */
export const program = (file: string): string => path.resolve(import.meta.dirname, "../../..", file)

const SERVICE = "packages/server/start.js"

/** The options of Node in `pnpm start`. */
export const startFlags: ReadonlyArray<string> = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))
)(fs.readFileSync(program("package.json"), "utf8"))
  .scripts.start.split(" ")
  .filter((word) => word.startsWith("--"))

/** The service as `pnpm start` runs it, of this checkout unless another's program is named. */
export const runningService = (
  environment: Readonly<Record<string, string>>,
  file = program(SERVICE)
): Effect.Effect<Running, NotStarted, Scope.Scope> =>
  running(file, ["serve"], environment, undefined, startFlags)

/** Runs a measuring program of this repository to its end; what it prints is shown. */
export const measured = (file: string, args: ReadonlyArray<string>): Effect.Effect<void, NotStarted> =>
  Effect.callback<void, NotStarted>((resume) => {
    const child = spawn(process.execPath, [program(file), ...args], { stdio: "inherit" })
    child.once("exit", (code) =>
      resume(
        code === 0 ? Effect.void : new NotStarted({ message: `the measurement ended with ${String(code)}` })
      )
    )
    return Effect.sync(() => child.kill("SIGTERM"))
  })

/** A folder of its own, deleted with the scope; other users may read it, as the embedded PostgreSQL has to. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-bench-"))
    fs.chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

/** A port that is free now. */
export const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const probe = net.createServer().listen(0, "127.0.0.1", () => {
        const address = probe.address()
        probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

/** Limits that nothing here reaches. */
export const unlimited = {
  RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_CONTEXT_WRITES_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE: "1000",
  RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE_INSTANCE: "1000",
  RAPPORT_LIMIT_REST_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_REST_AT_ONCE: "1000",
  RAPPORT_LIMIT_ANONYMOUS_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_REST_AT_ONCE_INSTANCE: "1000",
  RAPPORT_LIMIT_APPEAL_IMPORTS_PER_MINUTE: "100000000"
}

/** The service on the small demo in a folder. */
export const demoService = (
  folder: string,
  environment: Readonly<Record<string, string>> = unlimited
): Effect.Effect<Running, NotStarted, Scope.Scope> =>
  runningService({
    ...environment,
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: folder,
    RAPPORT_SEED: "small"
  })
