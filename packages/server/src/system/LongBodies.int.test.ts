// The memory of the process during many concurrent requests with the longest bodies (docs/operations.md, "Overload").
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const CONCURRENCY = 128
const BODY_BYTES = 5 * 1024 * 1024
/** 1,700 MiB if all bodies were read concurrently. */
const RESIDENT_MIB_MAX = 768
const TEST_MILLIS_MAX = 180_000

const environment = {
  // As `pnpm start` and the image run it.
  NODE_OPTIONS: "--max-semi-space-size=32 --max-old-space-size=1024",
  RAPPORT_LIMIT_REST_AT_ONCE: String(CONCURRENCY)
}

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/mu.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

/** A valid body in three languages with an unknown author: it is checked completely, and nothing is written. */
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
  "concurrent long bodies",
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
            const answers = await Promise.all(Array.from({ length: CONCURRENCY }, send)).finally(() =>
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
