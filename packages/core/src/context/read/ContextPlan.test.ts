// The plan of a request, with its defaults (contract §3.1).
import { assert, it } from "@effect/vitest"
import type { ContextRequest } from "@rapport/contract/context/ContextRequest.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { planOf } from "./ContextPlan.ts"

const plan = (entity: ContextRequest["scope"]["entity"], more: Omit<Partial<ContextRequest>, "scope"> = {}) =>
  planOf({ scope: { entity, id: 1 }, ...more })

const inEvidence = { targets: ["previous_client_appeals"] } as const
it.each<[Parameters<typeof plan>, ...ReadonlyArray<string>]>([
  // By default state and properties, and for a subject only properties.
  [["client"], "state", "properties"],
  [["operator"], "state", "properties"],
  [["skill_group"], "state", "properties"],
  [["subject"], "properties"],
  // Targets or a time range add evidence, and parameters of actions add actions.
  [["client", inEvidence], "state", "properties", "evidence"],
  [["client", { from: 0 }], "state", "properties", "evidence"],
  [["client", { to: 0 }], "state", "properties", "evidence"],
  [["client", { actions: {} }], "state", "actions", "properties"],
  [["client", { ...inEvidence, sections: ["state"], actions: {} }], "state", "actions", "evidence"]
])("the sections of the request %j are those of the contract", (request, ...expected) =>
  assert.deepStrictEqual([...plan(...request).sections], expected)
)

it("the order and repetition of sections and targets do not matter", () => {
  const one = plan("client", {
    sections: ["evidence", "state", "evidence"],
    targets: ["relevant_appeals", "previous_client_appeals", "relevant_appeals"],
    query: "x"
  })
  const other = plan("client", {
    sections: ["state", "evidence"],
    targets: ["previous_client_appeals", "relevant_appeals"],
    query: "x"
  })
  assert.deepStrictEqual(one, other)
  assert.deepStrictEqual([...one.sections], [...other.sections])
})

it.each<[Parameters<typeof plan>, ...ReadonlyArray<string>]>([
  // Evidence without targets searches all appeals of the scope.
  [["client", { sections: ["evidence"] }], "previous_client_appeals:recent"],
  [["subject", { from: 0 }], "recent_subject_appeals:recent"],
  [["operator", { sections: ["evidence"] }], "null:recent"],
  [["skill_group", { to: 1 }], "null:recent"],
  [["client"]],
  // Targets are searched by time or by the query.
  [
    ["client", { targets: ["relevant_appeals", "previous_client_appeals"], query: "x" }],
    "previous_client_appeals:recent",
    "relevant_appeals:relevant"
  ],
  [
    ["subject", { targets: ["recent_subject_appeals", "relevant_subject_appeals"], query: "x" }],
    "recent_subject_appeals:recent",
    "relevant_subject_appeals:relevant"
  ],
  [["operator", { targets: ["relevant_appeals"], query: "x" }], "relevant_appeals:relevant"]
])("the appeals of the request %j are searched by time or by the query", (request, ...expected) => {
  const lists = plan(...request).appealLists.map(({ order, target }) => `${target}:${order}`)
  assert.deepStrictEqual(lists, expected)
})

it("missing limits get the defaults of the contract", () => {
  const { candidateLimit, maxResponseBytes, maxSnippetsPerAppeal, timeoutMillis, tokenBudget, topK } =
    plan("client")
  assert.deepStrictEqual(
    [topK, candidateLimit, maxSnippetsPerAppeal, maxResponseBytes, tokenBudget, timeoutMillis],
    [8, 80, 3, 65_536, 8_000, 2_000]
  )
  assert.deepStrictEqual(plan("client").actions, {
    limit: ContextLimits.actionsLimit.default,
    actorTypes: null
  })
})
