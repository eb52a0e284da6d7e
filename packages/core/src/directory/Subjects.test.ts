// Subjects have one level of parents (contract §9, "Subjects and skill groups").
import { assert, it } from "@effect/vitest"
import type { Parentage } from "./DirectoryStore.ts"
import { parentViolations } from "./Subjects.ts"

const top = { id: 1, hasParent: false }
it.each<[string, number | null, Parentage, boolean]>([
  ["a new subject under a top subject", null, { parent: top, hasChildren: false }, true],
  ["a new subject under a child", null, { parent: { id: 1, hasParent: true }, hasChildren: false }, false],
  [
    "a new subject under a subject that does not exist",
    null,
    { parent: undefined, hasChildren: false },
    false
  ],
  ["a subject under itself", 1, { parent: top, hasChildren: false }, false],
  ["a subject with children under another", 2, { parent: top, hasChildren: true }, false],
  ["a subject without children under another", 2, { parent: top, hasChildren: false }, true]
])("parentId is accepted or refused: %s", (_, id, parentage, fits) => {
  assert.deepStrictEqual(
    parentViolations(id, parentage).map(({ path }) => path),
    fits ? [] : ["parentId"]
  )
})
