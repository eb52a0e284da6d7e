// The tools as real clients use them, and the programs that serve them over standard input and output, by contract §6 and §11.
import { assert, layer } from "@effect/vitest"
import { readMarkdown } from "@rapport/core/testing/MarkdownPack.ts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as os from "node:os"
import { execute, findProgram } from "../../testing/ConformanceFixtures.ts"
import {
  call,
  clients,
  decodePack,
  failureOf,
  info,
  names,
  overHttp,
  overStdio,
  programs,
  withClient
} from "../../testing/McpClientFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"
import { unlimitedEnvironment } from "../../testing/SharedDatabaseFixtures.ts"

const inspector = (await findProgram("@modelcontextprotocol/inspector@2.12.0", "mcp-inspector")) ?? ""

const inspect = (target: ReadonlyArray<string>, method: string) =>
  execute(
    process.execPath,
    [inspector, "--cli", ...target, ...method.split(" "), "--connect-timeout", "120000"],
    os.tmpdir()
  )

const messageOf = (id: number, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})
const callOf = (id: number, clientId: number) =>
  messageOf(id, "tools/call", { name: "get_client_context", arguments: { client_id: clientId } })

layer(ServerFixtures.searchable(unlimitedEnvironment), { excludeTestServices: true })("the tools", (it) => {
  it.effect.each(clients)(
    "client %s lists and calls all four tools and gets the responses of the read",
    ([, connect]) =>
      withClient(connect, "administrator", async (client) => {
        assert.deepStrictEqual(
          (await client.listTools()).tools.map(({ name }) => name),
          names
        )
        for (const [name, args] of [
          ["get_client_context", { client_id: 501, actions: { limit: 2 } }],
          ["get_subject_context", { subject_id: 12, top_k: 2 }],
          ["get_operator_context", { operator_id: 31 }],
          ["get_skill_group_context", { skill_group_id: 3, sections: ["state"] }]
        ] as const) {
          // A slow machine takes longer than the default of two seconds.
          const sent = { ...args, query: "рахунок", timeout_ms: 5_000 }
          const markdown = await call(client, name, sent)
          assert.isUndefined(markdown.isError, markdown.text)
          assert.notProperty(markdown, "structuredContent")
          const found = readMarkdown(markdown.text)
          assert.strictEqual(`get_${found.scope.entity}_context`, name)
          const { isError, structuredContent, text } = await call(client, name, { ...sent, format: "json" })
          assert.isUndefined(isError, text)
          assert.deepStrictEqual(JSON.parse(text), structuredContent)
          const pack = await decodePack(structuredContent)
          assert.strictEqual(pack.budget.bytes.used, Buffer.byteLength(text))
          assert.isAtMost(pack.budget.tokens.used, 8_000)
        }
        const wrong = await failureOf(client, "get_client_context", { client_id: "client 501", now: true })
        const detail = "now is unknown; client_id must be a positive integer"
        assert.deepStrictEqual(wrong, { code: "INVALID_REQUEST", status: 400, detail })
      })
  )

  it.effect.skipIf(inspector === "")(
    "the inspector's command line lists and calls the tools over HTTP and stdio",
    () =>
      Effect.gen(function* () {
        const { origin, tokenOf } = yield* RunningServer
        yield* Effect.promise(async () => {
          const token = await tokenOf("administrator")
          const overHttp = `${origin}/kw/mcp --transport http --header`.split(" ")
          const overStdio = ["-e", `RAPPORT_URL=${origin}`, "-e", `RAPPORT_TOKEN=${token}`, process.execPath]
          const targets = [
            [...overHttp, `Authorization: Bearer ${token}`],
            [...overStdio, ...programs["rapport-mcp"]]
          ]
          for (const target of targets) {
            const listed = await inspect(target, "--method tools/list")
            for (const name of names) assert.include(listed.output, name)
            const call = "--method tools/call --tool-name get_client_context --tool-arg client_id=501"
            const called = await inspect(target, call)
            assert.strictEqual(called.code, 0, called.output)
            assert.include(called.output, "# client 501\\n## State\\n")
          }
        })
      })
  )

  it.effect("an external token calls the tools over HTTP and stdio until it is deleted", () =>
    Effect.gen(function* () {
      const { origin, send } = yield* RunningServer
      const tokens = "/kw/api/v1/auth/external-tokens"
      const { body } = yield* send({ path: tokens, body: { name: "agents", permissions: ["context.read"] } })
      const { id, token } = body
      const [direct, bridged] = yield* Effect.promise(async () => {
        const clients = await Promise.all([
          overHttp("auto")({ origin, token }),
          overStdio("auto", programs["rapport-mcp"])({ origin, token })
        ])
        for (const client of clients)
          assert.isUndefined((await call(client, "get_subject_context", { subject_id: 12 })).isError)
        return clients
      })
      yield* send({ method: "DELETE", path: `${tokens}/${id}` })
      yield* Effect.promise(async () => {
        const failure = await failureOf(bridged, "get_subject_context", { subject_id: 12 })
        assert.deepInclude(failure, { code: "UNAUTHENTICATED", status: 401 })
        assert.notInclude(JSON.stringify(failure), token)
        const refused = await direct
          .callTool({ name: names[0] ?? "", arguments: { client_id: 501 } })
          .catch(String)
        assert.notInclude(String(refused), token)
        await Promise.all([direct.close(), bridged.close()])
      })
    })
  )

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
          const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info }
          // A byte order mark, a message over several lines, a batch, and text that is not JSON.
          child.stdin.write(`\ufeff${JSON.stringify(messageOf(1, "initialize", params), null, 2)}\n`)
          child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
          child.stdin.write(`${JSON.stringify([messageOf(2, "tools/list"), callOf(3, 501)])}\n`)
          child.stdin.write(`nonsense\n${JSON.stringify(callOf(4, 0))}\n`)
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
          assert.strictEqual(messages.find(({ id }) => id === null).error.code, -32_700)
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
