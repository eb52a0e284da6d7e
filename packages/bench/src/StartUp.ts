// `pnpm bench start`: seconds from the start of the program to its first answer, cold and after a kill -9, and memory when idle.
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { count } from "./Flags.ts"
import { residentMiB } from "./ProcessCpu.ts"
import { startService, temporaryFolder } from "./Started.ts"

const rounds = count("rounds", 3, "Starts of each kind")
const REST_SECONDS = 20

const secondsToAnswer = Effect.fnUntraced(function* (folder: string) {
  const before = performance.now()
  const service = yield* startService(folder, {})
  yield* Effect.promise(() => fetch(`${service.origin}/health/ready`))
  return { ...service, seconds: (performance.now() - before) / 1_000 }
})

export const startUp = Command.make(
  "start",
  { rounds },
  Effect.fn(function* ({ rounds }) {
    const folder = yield* temporaryFolder
    const first = yield* Effect.scoped(secondsToAnswer(folder))
    yield* Console.log(`first start, with the small demo   ${first.seconds.toFixed(2)} s`)
    for (let round = 0; round < rounds; round++) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { pid, seconds } = yield* secondsToAnswer(folder)
          yield* Effect.sleep(`${REST_SECONDS} seconds`)
          yield* Console.log(
            `cold start ${seconds.toFixed(2)} s, at rest ${residentMiB(pid).toFixed(0)} MiB after ${REST_SECONDS} s`
          )
          process.kill(pid, "SIGKILL")
        })
      )
      const recovered = yield* Effect.scoped(secondsToAnswer(folder))
      yield* Console.log(`start after kill -9 ${recovered.seconds.toFixed(2)} s`)
    }
  }, Effect.scoped)
).pipe(Command.withDescription("Cold start, start after kill -9, memory when idle"))
