// The service with the probe inside: started for the measurement, and asked what each request held.
import { Effect, Schema } from "effect"
import { fork } from "node:child_process"
import { program, startFlags, temporaryFolder, unlimited } from "../Started.ts"

const Held = Schema.Struct({
  blockMillis: Schema.Finite,
  blockCpuMillis: Schema.Finite,
  cpuMillis: Schema.Finite,
  heapBytes: Schema.Finite,
  rssBytes: Schema.Finite
})
const decodeHeld = Schema.decodeUnknownPromise(Held)

/** One request, and what came of it; `bytes` are those of the answer. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}
export interface Answered {
  readonly status: number
  readonly bytes: number
  readonly millis: number
  readonly text: string
}

export interface Probed {
  readonly ask: (asked: Asked) => Promise<Answered>
  /** The same with the probe on. */
  readonly measure: (asked: Asked) => Promise<Answered & typeof Held.Type>
  readonly pid: number
}

/** Starts the service on the small demo, its probe on a channel of its own. */
export const probed = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(program("packages/server/src/main.ts"), ["serve"], {
        execArgv: [
          ...startFlags,
          "--expose-gc",
          "--import",
          program("packages/bench/src/worst/LoopProbe.ts")
        ],
        env: {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          ...unlimited,
          PORT: "0",
          LOG_LEVEL: "error",
          RAPPORT_DATA_DIR: folder,
          RAPPORT_SEED: "small"
        },
        stdio: ["ignore", "pipe", "inherit", "ipc"]
      })
    ),
    (started) =>
      Effect.callback<void>((resume) => {
        if (started.exitCode !== null || started.signalCode !== null) return resume(Effect.void)
        started.once("exit", () => resume(Effect.void))
        started.kill("SIGTERM")
      })
  )
  const origin = yield* Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        let text = ""
        child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
          const found = /^ready (\S+)$/mu.exec(text)?.[1]
          if (found !== undefined) resolve(found)
        })
        child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)))
      })
  )
  const told = () => new Promise<unknown>((resolve) => child.once("message", resolve))
  const ask = async ({ body, headers, method, path }: Asked): Promise<Answered> => {
    const began = performance.now()
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body })
    })
    const text = await answer.text()
    return { status: answer.status, bytes: Buffer.byteLength(text), millis: performance.now() - began, text }
  }
  return {
    ask,
    pid: child.pid ?? 0,
    measure: async (asked) => {
      const started = told()
      child.send("start")
      await started
      const answered = await ask(asked)
      const held = told()
      child.send("stop")
      return { ...answered, ...(await decodeHeld(await held)) }
    }
  } satisfies Probed
})
