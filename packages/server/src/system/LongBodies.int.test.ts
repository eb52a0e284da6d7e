// A crowd of the longest bodies at once, and how much memory the process takes for it (docs/operations.md, "Overload").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const AT_ONCE = 128
const BODY_BYTES = 5 * 1024 * 1024
/** It was 1,700 MiB where all were read at once. */
const RESIDENT_MIB_MAX = 768
const TEST_MILLIS_MAX = 180_000

const environment = {
  // As `pnpm start` and the image run it.
  NODE_OPTIONS: "--max-semi-space-size=32 --max-old-space-size=1024",
  RAPPORT_LIMIT_REST_AT_ONCE: String(AT_ONCE)
}

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/mu.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

/** Texts of three languages, of no author that there is: it is read and judged as a whole, and nothing is written. */
const body = (() => {
  const text = "Протікає вода. Не включается экран. The screen stays dark. "
  const message = {
    authorType: "nobody",
    text: text.repeat(1_000),
    occurredAt: "2026-03-01T08:00:00Z"
  }
  const count = Math.floor(BODY_BYTES / Buffer.byteLength(JSON.stringify(message)))
  return JSON.stringify({
    clientId: 501,
    channel: "web",
    messages: Array.from({ length: count }, () => message)
  })
})()

const sendTo = async (server: RunningServer["Service"]): Promise<string> => {
  const answer = await server.call("/kw/api/v1/OpChatRooms", {
    login: "administrator",
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": randomUUID() },
    body
  })
  await answer.arrayBuffer()
  return answer.status === 429 && answer.headers.get("retry-after") === null
    ? "429 without a time"
    : String(answer.status)
}

layer(ServerFixtures.running(environment), { excludeTestServices: true, timeout: "180 seconds" })(
  "128 bodies of 5 MiB at once",
  (it) => {
    it.effect(
      "128 concurrent bodies of 5 MiB are checked or refused in bounded memory",
      () =>
        Effect.gen(function* () {
          const server = yield* RunningServer
          const send = () => sendTo(server)
          yield* Effect.promise(async () => {
            assert.strictEqual(await send(), "400")
            let peakMiB = 0
            const look = () => (peakMiB = Math.max(peakMiB, residentMiB(server.process.pid)))
            const watch = setInterval(look, 50)
            const answers = await Promise.all(Array.from({ length: AT_ONCE }, send)).finally(() =>
              clearInterval(watch)
            )
            // On a busy machine not every one has its turn before it is refused, or has come before its time is over (408).
            assert.isEmpty(answers.filter((answer) => !["400", "429", "408"].includes(answer)))
            assert.isAtLeast(answers.filter((answer) => answer === "400").length, 4)
            assert.isBelow(peakMiB, RESIDENT_MIB_MAX)
            assert.strictEqual(await send(), "400")
          })
        }),
      TEST_MILLIS_MAX
    )
  }
)
