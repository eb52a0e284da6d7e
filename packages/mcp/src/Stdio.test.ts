import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as path from "node:path"

const program = path.join(import.meta.dirname, "main.ts")
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}
const rest = [
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list" },
  { jsonrpc: "2.0", id: 3, method: "ping" }
]

it("rapport-mcp accepts a byte order mark, multi-line messages and batches, and refuses text that is not JSON", () => {
  const { status, stdout } = spawnSync(process.execPath, [program], {
    input: `\ufeff${JSON.stringify(initialize, null, 2)}\n${JSON.stringify(rest)}\nnonsense\n`,
    env: { ...process.env, RAPPORT_URL: "http://127.0.0.1:9", RAPPORT_TOKEN: "rpx_token" },
    encoding: "utf8"
  })
  assert.strictEqual(status, 0)
  const answers = stdout
    .trim()
    .split("\n")
    .map((line): { readonly id: unknown; readonly error?: { readonly code: number } } => JSON.parse(line))
  assert.sameMembers(
    answers.map(({ id }) => id),
    [1, 2, 3, null]
  )
  assert.strictEqual(answers.find(({ id }) => id === null)?.error?.code, -32_700)
})
