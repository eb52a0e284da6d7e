// Programs that are started to be measured: each prints a line "ready <origin>" and ends with the scope.
import { Data, Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

export class NotStarted extends Data.TaggedError("NotStarted")<{ readonly message: string }> {}

/** Origin of a program of ours, run by the Node that runs this one. */
export const started = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<string, NotStarted, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [file, ...args], {
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
      Effect.callback<string, NotStarted>((resume) => {
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
          const origin = /^ready (\S+)$/mu.exec(text)?.[1]
          if (origin !== undefined) resume(Effect.succeed(origin))
        })
        child.once("exit", (code) =>
          resume(new NotStarted({ message: `${path.basename(file)} ended with ${code}` }))
        )
      })
    )
  )

const packages = path.resolve(import.meta.dirname, "../..")

/** A constant answer of so many bytes. */
export const bareServer = (bytes: number) =>
  started(path.join(packages, "bench/src/bareServer.ts"), [String(bytes)])

/** The service on the small demo in a folder of its own, with limits that nothing here reaches. */
export const service = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-bench-"))
      fs.chmodSync(made, 0o755)
      return made
    }),
    (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
  )
  return yield* started(path.join(packages, "server/src/main.ts"), ["serve"], {
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: folder,
    RAPPORT_SEED: "small",
    RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: "100000000",
    RAPPORT_LIMIT_CONTEXT_WRITES_PER_MINUTE: "100000000",
    RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE: "1000",
    RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE_INSTANCE: "1000"
  })
})
