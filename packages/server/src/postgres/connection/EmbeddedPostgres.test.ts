import { assert, describe, it } from "@effect/vitest"
import { restartDelayMillis } from "./EmbeddedPostgres.ts"

describe("a PostgreSQL that ends again and again", () => {
  it("is started ever more rarely, at once the first time and every 30 s in the end", () => {
    const delays = Array.from({ length: 12 }, (_, at) => restartDelayMillis(at + 1))
    assert.deepStrictEqual(delays.slice(0, 4), [200, 400, 800, 1_600])
    assert.deepStrictEqual(delays.slice(8), [30_000, 30_000, 30_000, 30_000])
    assert.strictEqual(restartDelayMillis(10_000), 30_000)
  })
})
