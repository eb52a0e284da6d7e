import { assert, it } from "@effect/vitest"
import { faultsIn, type RecordedOperation } from "./Linearizable.ts"

const won = (version: number, called: number): RecordedOperation => ({
  kind: "won",
  version,
  expected: version - 1,
  value: `${version}`,
  called,
  answered: called + 1
})
const read = (version: number, called: number): RecordedOperation => ({
  ...won(version, called),
  kind: "read",
  expected: version
})

it("a history without an acknowledged write, or with a stale read, is not linearizable", () => {
  const history = [won(1, 0), read(1, 2), won(2, 4), read(2, 6)]
  assert.deepStrictEqual(faultsIn(history), [])
  assert.isNotEmpty(faultsIn(history.slice(1)))
  assert.isNotEmpty(faultsIn([...history, read(1, 8)]))
})
