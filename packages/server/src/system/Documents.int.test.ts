// The commands and programs of the documents, run as a reader runs them: block after block, against a real service.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"
import { blocksOf, NO_TEST, readDocument, runDocuments } from "../testing/DocumentBlocks.ts"
import { listenOnLoopback } from "../testing/LoopbackServer.ts"
import { PostgresFixtures, PreparedFolder, temporaryFolder } from "../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const SHOWN_ORIGIN = "http://127.0.0.1:8080"

interface Completion {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | null }>
  readonly tools?: unknown
}
const toolCall = {
  id: "1",
  type: "function",
  function: { name: "get_client_context", arguments: '{"client_id":501,"query":"гроші"}' }
}

/** A line of a transcript in a pack: its text and its mark. */
const QUOTED_LINE = /^- (?:client|operator) [^\n"]*"([^\n]*)" 【(\d+)】$/mu

/** Calls a tool if it is offered some, then quotes the first message of the pack with its mark, or with `mark` if there is one. */
const messageOf = (body: string, mark?: string) => {
  const { messages, tools }: Completion = JSON.parse(body)
  const contentOf = (role: string) => messages.find((message) => message.role === role)?.content ?? undefined
  const result = contentOf("tool")
  if (tools !== undefined && result === undefined)
    return { role: "assistant", content: null, tool_calls: [toolCall] }
  // A framework sends the model the content of a tool's result.
  const pack: string = result === undefined ? (contentOf("system") ?? "") : JSON.parse(result)[0].text
  const [, quoted = "", source = ""] = QUOTED_LINE.exec(pack) ?? []
  return { role: "assistant", content: `${quoted} 【${mark ?? source}】` }
}

/** The URL of the reader's model. */
const model = (mark?: string) => {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => (body += part))
    request.on("end", () => {
      const message = messageOf(body, mark)
      const finish = "tool_calls" in message ? "tool_calls" : "stop"
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }] }))
    })
  })
  return Effect.map(listenOnLoopback(server), (port) => `http://127.0.0.1:${port}`)
}

const settingsOf = (url: string) => ({ MODEL_URL: url, MODEL: "stand-in", MODEL_KEY: "none" })

/** A folder with the files that a document names, and the command `rapport`. */
const prepareFolder = (document: string, folder: string) => {
  const blocks = blocksOf(document, readDocument(document))
  for (const { info, text } of blocks)
    if (/^[\w-]+\.\w+$/u.test(info)) fs.writeFileSync(path.join(folder, info), text)
  fs.mkdirSync(path.join(folder, "bin"))
  const program = path.join(repositoryFolder, "packages/server/start.js")
  fs.writeFileSync(
    path.join(folder, "bin/rapport"),
    `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
    {
      mode: 0o755
    }
  )
  return blocks.filter(({ info, language }) => language === "sh" && info !== NO_TEST)
}

/** The registry of the machine, and its certificates. */
const { NODE_EXTRA_CA_CERTS } = process.env
const forNpm = {
  NPM_CONFIG_USERCONFIG: path.join(os.homedir(), ".npmrc"),
  ...(NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS })
}

const shell = (script: string, cwd: string, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const env = {
      PATH: `${cwd}/bin:${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: cwd,
      ...forNpm,
      LANG: "C.UTF-8",
      LOG_LEVEL: "warn",
      ...environment
    }
    execFile(
      "bash",
      ["-euo", "pipefail", "-c", script],
      { cwd, env, maxBuffer: 64 * 1_024 * 1_024 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` })
    )
  })

/** Texts that the commands of a document print. */
const printed: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  "README.md": [/^### chat closed, .*【9006】$/mu, /Коли приїде мій синій роутер/u, /"token":"rpx_/u],
  "docs/tutorial.md": [
    /【\d+】 http:\/\/127\.0\.0\.1:\d+\/kw\/api\/v1\/OpChatRooms\/\d+\/messages\?around=\d+/u
  ],
  "docs/agents.md": [/# client 501$/mu, /^[^-#\n].* 【\d+】$/mu],
  "docs/retrying.md": [/"replayed":true/u],
  "docs/moving-in.md": [/"externalId":"c-17"/u],
  "docs/operations.md": [/\bactive +olha +operator\b/u]
}

layer(ServerFixtures.searchable().pipe(Layer.provideMerge(PostgresFixtures.smallFolder)), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("documents", (it) => {
  it.effect(
    "the agents in the documents refuse a source that the model invented",
    () =>
      Effect.gen(function* () {
        const { origin, send } = yield* RunningServer
        const folder = yield* temporaryFolder
        prepareFolder("docs/tutorial.md", folder)
        const { body } = yield* send({
          path: "/kw/api/v1/auth/external-tokens",
          body: { name: "liar", permissions: ["context.read"] }
        })
        const settings = {
          ...settingsOf(yield* model("42424242")),
          RAPPORT_URL: origin,
          RAPPORT_TOKEN: body.token
        }
        for (const command of ["node agent.mts", "python3 agent.py"]) {
          const { code, output } = yield* Effect.promise(() =>
            shell(`${command} 501 'Двічі списали гроші?'`, folder, settings)
          )
          assert.strictEqual(code, 1, output)
          assert.include(output, "the model invented the source 【42424242】")
        }
      }),
    120_000
  )

  it.effect(
    "the commands in the documents work as shown",
    () =>
      Effect.gen(function* () {
        const { path: data } = yield* PreparedFolder
        const { origin, process } = yield* RunningServer
        const honest = yield* model()
        for (const document of runDocuments) {
          const folder = yield* temporaryFolder
          const script = prepareFolder(document, folder)
            .map(({ text }) => text)
            .join("\n")
            .replaceAll(SHOWN_ORIGIN, origin)
          const { code, output } = yield* Effect.promise(() =>
            shell(script, folder, { ...settingsOf(honest), RAPPORT_DATA_DIR: data })
          )
          assert.strictEqual(code, 0, `${document}\n${output}`)
          assert.notMatch(output, /"code": ?"[A-Z_]+"|"isError":true/u, document)
          for (const expected of printed[document] ?? []) assert.match(output, expected, document)
        }
        // The command that the start prints.
        const [, pasted = ""] = /^(TOKEN=.*?)^ready /msu.exec(process.stdout) ?? []
        const pack = yield* Effect.promise(() => shell(pasted, data, {}))
        assert.match(pack.output, /^# client 501$/mu)
        assert.match(pack.output, /【9006】/u)
      }),
    240_000
  )
})
