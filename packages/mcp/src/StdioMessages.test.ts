import { assert, it } from "@effect/vitest"
import { stdioMessages } from "./StdioMessages.ts"

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping", params: { query: "рахунок" } })

/** The messages that reach the server, and how many texts were refused. */
const read = async (...chunks: ReadonlyArray<string>) => {
  let refused = 0
  const messages: Array<unknown> = []
  const input = (async function* () {
    yield* chunks
  })()
  for await (const line of stdioMessages(input, () => refused++)) messages.push(JSON.parse(line))
  return { messages, refused }
}

it.each([
  ["one on each line", [`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}\n`]],
  [
    "cut between two chunks",
    [JSON.stringify(ping(1)).slice(0, 9), `${JSON.stringify(ping(1)).slice(9)}\n`, JSON.stringify(ping(2))]
  ],
  ["after a byte order mark", [`\ufeff${JSON.stringify(ping(1))}\r\n`, `${JSON.stringify(ping(2))}\r\n`]],
  ["as a batch", [`${JSON.stringify([ping(1), ping(2)])}\n`]],
  [
    "over several lines",
    [`${JSON.stringify(ping(1), null, 2)}\n`, `\n${JSON.stringify(ping(2), null, 2)}\n`]
  ],
  ["as a batch over several lines", [`${JSON.stringify([ping(1), ping(2)], null, 1)}\n`]]
])("messages of standard input are read %s", async (_, chunks) => {
  assert.deepStrictEqual(await read(...chunks), { messages: [ping(1), ping(2)], refused: 0 })
})

it("text that is not JSON is refused, and later messages are read", async () => {
  assert.deepStrictEqual(await read("nonsense\n", `${JSON.stringify(ping(1))}\n`, '{"jsonrpc":'), {
    messages: [ping(1)],
    refused: 2
  })
})

it("an endless text is refused, and the next message is read", async () => {
  const endless = Array.from({ length: 7 }, () => `"${"я".repeat(50_000)}",\n`)
  assert.deepStrictEqual(await read("[\n", ...endless, `${JSON.stringify(ping(1))}\n`), {
    messages: [ping(1)],
    refused: 2
  })
})
