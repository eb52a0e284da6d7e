// contract §1.3: what a command finds under its key.
import { assert, it } from "@effect/vitest"
import { matchKey } from "./Receipts.ts"

it("an unused key begins a new command", () => {
  assert.deepStrictEqual(matchKey(null, "sha256:a"), { _tag: "New" })
})
it("the same command under its key is replayed", () => {
  assert.deepStrictEqual(matchKey({ fingerprint: "sha256:a" }, "sha256:a"), { _tag: "Replay" })
})
it("another command under a used key is refused", () => {
  assert.deepStrictEqual(matchKey({ fingerprint: "sha256:a" }, "sha256:A"), { _tag: "Reused" })
})
