// The programs that serve the tools over standard input and output, by contract §6 and §11.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { info, programs } from "../testing/McpClientFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

layer(ServerFixtures.running(), { excludeTestServices: true })("the tools over stdio", (it) => {
  it.effect.each(Object.entries(programs))(
    "%s writes nothing but MCP on standard output and ends with its input",
    ([, args]) =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        yield* Effect.promise(async () => {
          const token = await tokenOf("administrator")
          const child = spawn(process.execPath, args, {
            env: {
              PATH: "/usr/bin:/bin",
              HOME: "/tmp",
              LOG_LEVEL: "debug",
              RAPPORT_URL: origin,
              RAPPORT_TOKEN: token,
              RAPPORT_TOKKEN: "x"
            }
          })
          let [stdout, stderr] = ["", ""]
          child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
          child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
          const ended = new Promise((resolve) => child.once("close", resolve))
          const answers = (count: number) =>
            new Promise<void>((resolve) => {
              const look = () => void (stdout.split("\n").length > count && resolve())
              child.stdout.on("data", look)
              look()
            })
          const say = (message: object) =>
            child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
          const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info }
          say({ id: 1, method: "initialize", params })
          say({ method: "notifications/initialized" })
          say({ id: 2, method: "tools/list" })
          say({
            id: 3,
            method: "tools/call",
            params: { name: "get_client_context", arguments: { client_id: 501 } }
          })
          child.stdin.write("this is no JSON\n")
          say({
            id: 4,
            method: "tools/call",
            params: { name: "get_client_context", arguments: { client_id: 0 } }
          })
          await answers(5)
          child.stdin.end()
          assert.strictEqual(await ended, 0, stderr)
          const messages = stdout
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
          assert.sameMembers(
            messages.map(({ id, jsonrpc }) => `${jsonrpc} ${id}`),
            [1, 2, 3, 4, null].map((id) => `2.0 ${id}`)
          )
          assert.strictEqual(messages.find(({ id }) => id === 1).result.protocolVersion, "2025-06-18")
          assert.notInclude(stdout + stderr, token)
        })
      })
  )

  it.effect.each(Object.entries(programs))(
    "%s without a token ends with 2 and one line that names it",
    ([, args]) =>
      Effect.gen(function* () {
        const { origin } = yield* RunningServer
        yield* Effect.promise(async () => {
          const child = spawn(process.execPath, args, { env: { PATH: "/usr/bin:/bin", RAPPORT_URL: origin } })
          let [stdout, stderr] = ["", ""]
          child.stdout.on("data", (text) => (stdout += String(text)))
          child.stderr.on("data", (text) => (stderr += String(text)))
          assert.strictEqual(await new Promise((resolve) => child.once("close", resolve)), 2)
          assert.strictEqual(stdout, "")
          assert.match(stderr, /^rapport(?:-mcp)?: RAPPORT_TOKEN is missing.*\n$/u)
        })
      })
  )
})
