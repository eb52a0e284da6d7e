// contract §9, "Subjects and skill groups": one level of parents; anything deeper is 400 on parentId.
import { assert, it } from "@effect/vitest"
import type { Parentage } from "./DirectoryStore.ts"
import { parentViolations } from "./Subjects.ts"

const top = { id: 1, hasParent: false }
it.each<[string, number | null, Parentage, boolean]>([
  ["a new subject under one without parent", null, { parent: top, hasChildren: false }, true],
  ["under one that has a parent", null, { parent: { id: 1, hasParent: true }, hasChildren: false }, false],
  ["under none of the instance", null, { parent: undefined, hasChildren: false }, false],
  ["under itself", 1, { parent: top, hasChildren: false }, false],
  ["one with children under another", 2, { parent: top, hasChildren: true }, false],
  ["one without children under another", 2, { parent: top, hasChildren: false }, true]
])("the parent of a subject is checked: %s", (_, id, parentage, fits) => {
  assert.deepStrictEqual(
    parentViolations(id, parentage).map(({ path }) => path),
    fits ? [] : ["parentId"]
  )
})
