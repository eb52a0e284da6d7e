// The environment variables of rapport-mcp. An error is one line without secrets (contract §11).
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { readOptions } from "./Config.ts"

const url = { RAPPORT_URL: "http://127.0.0.1:8080/" }

const file = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-mcp-"))
    const name = path.join(folder, "token")
    fs.writeFileSync(name, "rpx_secret\n")
    return { folder, name }
  }),
  ({ folder }) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
)

describe("Config", () => {
  it.effect("reads the token from the variable, or from the file without its final line feed", () =>
    Effect.gen(function* () {
      const given = yield* readOptions({ ...url, RAPPORT_TOKEN: "rpx_secret" })
      const { name } = yield* file
      const read = yield* readOptions({ ...url, RAPPORT_TOKEN: "", RAPPORT_TOKEN_FILE: name })
      for (const options of [given, read]) {
        assert.strictEqual(options.url, "http://127.0.0.1:8080")
        assert.strictEqual(Redacted.value(options.token), "rpx_secret")
        assert.notInclude(String(options.token), "secret")
      }
    })
  )

  it.effect.each([
    ["RAPPORT_URL is missing", { RAPPORT_TOKEN: "rpx_secret" }],
    ["RAPPORT_URL is missing", { RAPPORT_URL: "", RAPPORT_TOKEN: "rpx_secret" }],
    ["RAPPORT_URL must be a URL", { RAPPORT_URL: "ftp://x", RAPPORT_TOKEN: "rpx_secret" }],
    ["RAPPORT_URL must be a URL", { RAPPORT_URL: "127.0.0.1:8080", RAPPORT_TOKEN: "rpx_secret" }],
    [
      "RAPPORT_URL must be an origin without a path",
      { RAPPORT_URL: "http://h/kw/mcp", RAPPORT_TOKEN: "rpx_secret" }
    ],
    [
      "RAPPORT_URL must be an origin without a path",
      { RAPPORT_URL: "http://u:secret@h", RAPPORT_TOKEN: "rpx_secret" }
    ],
    ["RAPPORT_TOKEN must be an external token", { ...url, RAPPORT_TOKEN: "rpx_secret…" }],
    ["RAPPORT_TOKEN must be an external token", { ...url, RAPPORT_TOKEN: "Bearer secret" }],
    ["RAPPORT_TOKEN is missing", url],
    [
      "RAPPORT_TOKEN and RAPPORT_TOKEN_FILE are both set",
      { ...url, RAPPORT_TOKEN: "rpx_secret", RAPPORT_TOKEN_FILE: "/x" }
    ],
    ["RAPPORT_TOKEN_FILE must name a readable file", { ...url, RAPPORT_TOKEN_FILE: "/nowhere/at/all" }]
  ] as const)("reports that %s", ([complaint, environment]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(readOptions(environment))
      assert.isTrue(message.startsWith(complaint), message)
      assert.notInclude(message, "secret")
      assert.notInclude(message, "\n")
    })
  )
})
