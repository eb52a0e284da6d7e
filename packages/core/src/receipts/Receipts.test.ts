// contract §1.3: what a command finds under its key.
import { assert, describe, it } from "@effect/vitest"
import { decide } from "./Receipts.ts"

describe("decide", () => {
  it("nothing under the key: the command is new", () => {
    assert.deepStrictEqual(decide(null, "sha256:a"), { _tag: "New" })
  })
  it("the same command: its answer is replayed", () => {
    assert.deepStrictEqual(decide({ fingerprint: "sha256:a" }, "sha256:a"), { _tag: "Replay" })
  })
  it("another command: the key was used", () => {
    assert.deepStrictEqual(decide({ fingerprint: "sha256:a" }, "sha256:A"), { _tag: "Reused" })
  })
})
