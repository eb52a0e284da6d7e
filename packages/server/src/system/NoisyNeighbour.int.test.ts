// A tenant that asks for all at once, and how long the tenant next door waits meanwhile (contract §10).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const ME = "/kw/api/v1/auth/me"
const LIST =
  "/kw/api/v1/OpChatRooms/list?limit=100&include=client,operator,subject,skillGroups,lastMessage&order[lastMessageAt]=desc"
const AT_ONCE = 400
/** Medians of the neighbour's requests, beside and alone. Without the limits it was above 90. */
const RATIO_MAX = 50

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** A process of its own, so that reading its answers does not delay the neighbour's measurement. */
const noisy = `
const [url, token] = process.argv.slice(1)
const answers = await Promise.all(Array.from({ length: ${AT_ONCE} }, async () => {
  const answer = await fetch(url, { headers: { authorization: "Bearer " + token } })
  await answer.arrayBuffer()
  return answer.status + (answer.headers.get("retry-after") === null ? "" : " later")
}))
console.log(JSON.stringify(answers))
`
const listsAtOnce = (origin: string, token: string) => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", noisy, `${origin}${LIST}`, token], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  return new Promise<ReadonlyArray<string>>((resolve) => child.once("close", () => resolve(JSON.parse(text))))
}

layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })(
  "400 lists at once of one user",
  (it) => {
    it.effect("400 concurrent lists of one user do not delay another tenant", () =>
      Effect.gen(function* () {
        const server = yield* RunningServer
        yield* Effect.promise(async () => {
          const me = async () => {
            const start = performance.now()
            const answer = await server.call(ME, { login: "other.administrator" })
            await answer.arrayBuffer()
            assert.strictEqual(answer.status, 200)
            return performance.now() - start
          }
          const token = await server.tokenOf("supervisor")
          for (let n = 0; n < 30; n++) await me()
          const alone: Array<number> = []
          for (let n = 0; n < 50; n++) alone.push(await me())

          const beside: Array<number> = []
          const running = new AbortController()
          const lists = listsAtOnce(server.origin, token).finally(() => running.abort())
          while (!running.signal.aborted) beside.push(await me())
          const answers = await lists
          const count = (answer: string) => answers.filter((one) => one === answer).length
          assert.strictEqual(count("200") + count("429 later"), AT_ONCE, answers.join(" "))
          assert.isAtLeast(count("200"), 32)
          const ratio = median(beside) / median(alone)
          assert.isBelow(ratio, RATIO_MAX, `${beside.map(Math.round).join(" ")} beside ${median(alone)}`)
        })
      })
    )
  }
)
