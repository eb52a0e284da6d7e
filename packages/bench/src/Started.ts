// Programs that are started to be measured: each prints a line with its origin and ends with the scope.
import { Data, Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { databaseOf } from "./peers/Postgres.ts"
import { program } from "./Repository.ts"

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

export interface RunningProgram {
  readonly origin: string
  readonly pid: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** Runs a program by the Node that runs this one; `origin` finds its origin in what the program prints. */
export const startProgram = (
  args: ReadonlyArray<string>,
  environment: Environment,
  origin = /^ready (\S+)$/mu
): Effect.Effect<RunningProgram, NotStarted, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, args, {
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
      Effect.callback<RunningProgram, NotStarted>((resume) => {
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
          const found = origin.exec(text)?.[1]
          if (found !== undefined) resume(Effect.succeed({ origin: found, pid: child.pid ?? 0 }))
        })
        child.once("exit", (code) =>
          resume(new NotStarted({ message: `${args.join(" ")} ended with ${code}` }))
        )
      })
    )
  )

/** The options of Node in `pnpm start`. */
const startFlags: ReadonlyArray<string> = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))
)(fs.readFileSync(program("package.json"), "utf8"))
  .scripts.start.split(" ")
  .filter((word) => word.startsWith("--"))

/** A folder of its own, deleted with the scope; other users may read it, as the embedded PostgreSQL has to. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-bench-"))
    fs.chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

export const unlimitedRates = {
  RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_CONTEXT_WRITES_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_REST_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_ANONYMOUS_PER_MINUTE: "100000000",
  RAPPORT_LIMIT_APPEAL_IMPORTS_PER_MINUTE: "100000000"
}
/** Limits that nothing here reaches. */
export const unlimited = {
  ...unlimitedRates,
  RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE: "1000",
  RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE_INSTANCE: "1000",
  RAPPORT_LIMIT_REST_AT_ONCE: "1000",
  RAPPORT_LIMIT_REST_AT_ONCE_INSTANCE: "1000"
}

/** The program of the service. */
export const SERVICE = program("packages/server/start.js")

/** The service as `pnpm start` runs it, on the data of a folder: by default without limits on the small demo. */
export const startService = (folder: string, environment: Environment = unlimited, file = SERVICE) =>
  Effect.map(
    startProgram([...startFlags, file, "serve"], {
      RAPPORT_SEED: "small",
      ...environment,
      PORT: "0",
      LOG_LEVEL: "error",
      RAPPORT_DATA_DIR: folder
    }),
    (service) => ({ ...service, database: databaseOf(folder) })
  )
