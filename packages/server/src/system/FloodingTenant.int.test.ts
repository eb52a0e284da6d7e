// How long another tenant waits during a flood of requests (contract §10).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const ME = "/kw/api/v1/auth/me"
const LIST =
  "/kw/api/v1/OpChatRooms/list?limit=100&include=client,operator,subject,skillGroups,lastMessage&order[lastMessageAt]=desc"
const REQUESTS = 400
/** Answers to the other tenant, one after the other, before the flood ends. */
const ANSWERED_MIN = 20

/** Runs in another process. */
const floodingProgram = `
const [url, token] = process.argv.slice(1)
const answers = await Promise.all(Array.from({ length: ${REQUESTS} }, async () => {
  const answer = await fetch(url, { headers: { authorization: "Bearer " + token } })
  await answer.arrayBuffer()
  return answer.status + (answer.headers.get("retry-after") === null ? "" : " later")
}))
console.log(JSON.stringify(answers))
`
const flood = (origin: string, token: string) => {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", floodingProgram, `${origin}${LIST}`, token],
    {
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  return new Promise<ReadonlyArray<string>>((resolve) => child.once("close", () => resolve(JSON.parse(text))))
}

layer(ServerFixtures.running(), { excludeTestServices: true, timeout: "120 seconds" })(
  "a flooding tenant",
  (it) => {
    it.effect("400 concurrent lists of one user do not delay another tenant", () =>
      Effect.gen(function* () {
        const server = yield* RunningServer
        yield* Effect.promise(async () => {
          const me = async () => {
            const answer = await server.call(ME, { login: "other.administrator" })
            await answer.arrayBuffer()
            assert.strictEqual(answer.status, 200)
          }
          const token = await server.tokenOf("supervisor")
          for (let n = 0; n < 30; n++) await me()
          let during = 0
          const running = new AbortController()
          const lists = flood(server.origin, token).finally(() => running.abort())
          while (!running.signal.aborted) {
            await me()
            during++
          }
          const answers = await lists
          const count = (answer: string) => answers.filter((one) => one === answer).length
          assert.strictEqual(count("200") + count("429 later"), REQUESTS, answers.join(" "))
          assert.isAtLeast(count("200"), 32)
          assert.isAtLeast(during, ANSWERED_MIN)
        })
      })
    )
  }
)
