// The processes that send the loads. Callers are other machines: each process has a session of its own, so that it takes nothing from
// the service's, and what sends for the tenant that overloads takes what all others leave of the processors.
import { Data, Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { program } from "../Started.ts"
import { type Plan, Sent } from "./Plan.ts"

class NotSent extends Data.TaggedError("NotSent")<{ readonly message: string }> {}

const decodeSent = Schema.decodeUnknownEffect(Schema.fromJsonString(Sent))

/** Linux divides the processors between sessions before their processes: the least weight that a session can have. */
const LEAST_OF_SESSIONS = "19"
const leaveToOthers = (pid: number | undefined): void => {
  try {
    fs.writeFileSync(`/proc/${pid ?? 0}/autogroup`, LEAST_OF_SESSIONS)
  } catch {
    // This Linux divides them between processes alone.
  }
}

/** What a program of this folder prints until it ends. */
const printed = (name: string, args: ReadonlyArray<string>, isBehind: boolean) =>
  Effect.callback<string, NotSent>((resume) => {
    const [command = "", ...rest] = [
      ...(isBehind ? ["chrt", "--idle", "0"] : []),
      process.execPath,
      program(`packages/bench/src/overload/${name}`),
      ...args
    ]
    const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"], detached: true })
    if (isBehind) leaveToOthers(child.pid)
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    child.once("close", (code) =>
      resume(
        code === 0 ? Effect.succeed(text) : new NotSent({ message: `${name} ended with ${String(code)}` })
      )
    )
    return Effect.sync(() => child.kill())
  }).pipe(Effect.orDie)

const sent = (plan: typeof Plan.Type, isBehind: boolean) =>
  printed("openLoad.ts", [JSON.stringify(plan)], isBehind).pipe(Effect.flatMap(decodeSent), Effect.orDie)

/** Sends a load from another process and waits for its end. */
export const send = (plan: typeof Plan.Type) => sent(plan, false)
/** The same from one that takes only what others leave of the processors. */
export const sendBehind = (plan: typeof Plan.Type) => sent(plan, true)

/** A load beside a program that takes so many processors, of what others leave. */
export const sendBeside = (processors: number, seconds: number, load: Effect.Effect<Sent>) =>
  Effect.map(
    Effect.all([load, printed("ballast.ts", [Math.max(0, processors).toFixed(3), String(seconds)], true)], {
      concurrency: "unbounded"
    }),
    ([sent]) => sent
  )
