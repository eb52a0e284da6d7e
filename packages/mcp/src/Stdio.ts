// The tools over standard input and output; standard output carries only MCP messages.
import { Client, credentialOf } from "@rapport/contract/Client.ts"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { Readable } from "node:stream"
import { stdioMessages } from "./StdioMessages.ts"
import { ToolServer } from "./ToolServer.ts"

export interface StdioOptions {
  /** Origin of the instance, such as http://127.0.0.1:8080. */
  readonly url: string
  /** An access token or an external token. */
  readonly token: Redacted.Redacted
}

/** Serves one client until it closes standard input; calls in flight are cancelled then. */
export const serve = ({ token, url }: StdioOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<Client>())
    yield* Effect.callback<void>((resume) => {
      const transport = new ClosingTransport(() => resume(Effect.void))
      const handle = serveStdio(() => new ToolServer((call, signal) => run(call, { signal })), { transport })
      return Effect.promise(() => handle.close())
    })
  }).pipe(Effect.provide(Client.layer(url, credentialOf(token))), Effect.provide(FetchHttpClient.layer))

const refuse = () => {
  const error = { code: -32_700, message: "Parse error: a message must be JSON of at most 256 KiB" }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", error, id: null })}\n`)
}

/** Resolves when the connection has ended, on either side. */
class ClosingTransport extends StdioServerTransport {
  readonly #onEnd: () => void

  constructor(onEnd: () => void) {
    super(
      Readable.from(stdioMessages(process.stdin.setEncoding("utf8"), refuse)).map((line) => Buffer.from(line))
    )
    this.#onEnd = onEnd
  }

  override async close(): Promise<void> {
    await super.close()
    this.#onEnd()
  }
}
