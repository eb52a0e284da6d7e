import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ContextLimits } from "../Limits.ts"
import { rulesOf } from "../values/Checks.ts"
import { collectFaults } from "../values/CollectFaults.ts"
import { strict } from "../values/Faults.ts"
import { ContextRequest } from "./ContextRequest.ts"

const accepted = Schema.decodeUnknownSync(ContextRequest, strict)

/** The paths of all faults, of single members and of rules between members. */
const faults = (body: Record<string, unknown>): ReadonlyArray<string> =>
  [
    ...new Set(
      [...collectFaults(ContextRequest, body), ...rulesOf(ContextRequest)(body)].map(({ path }) => path)
    )
  ].toSorted()

/** Whether every fault is a value over its budget. */
const overBudget = (body: unknown): boolean => {
  const found = collectFaults(ContextRequest, body)
  return found.length > 0 && found.every(({ isOverBudget }) => isOverBudget)
}

const client = { scope: { entity: "client", id: 501 } }
const ask = (query: string) => ({ ...client, targets: ["previous_client_appeals"], query })
const of = (entity: string, more: object = {}) => ({ scope: { entity, id: 1 }, ...more })

describe("ContextRequest (contract §3.1)", () => {
  it("may have only a scope", () => {
    assert.deepStrictEqual(accepted(client), { scope: { entity: "client", id: 501 } })
  })

  it.each([
    { entity: "client", externalId: "КРМ-1" },
    { entity: "client", phone: "067 123-45-67" },
    { entity: "client", email: "олена@приклад.укр" },
    { entity: "client", identity: { channel: "telegram", chatId: "380Ab" } },
    { entity: "subject", name: "Рахунки" },
    { entity: "operator", login: "operator" },
    { entity: "operator", name: "Олена Коваль" },
    { entity: "skill_group", name: "Вторая линия" }
  ] as const)("may have a key instead of an id: %j", (scope) => {
    assert.deepStrictEqual(accepted({ scope }), { scope })
  })

  it.each([
    ["a missing scope", {}, ["scope"]],
    ["an unknown entity", of("user"), ["scope.entity"]],
    ["a conversation with a query", { ...ask("x"), conversation: { appealId: 1 } }, ["conversation"]],
    [
      "a conversation by two ids",
      {
        ...of("client", { targets: ["relevant_appeals"] }),
        conversation: { appealId: 1, sessionId: "0199a000-0000-7000-8000-000000000001" }
      },
      ["conversation.sessionId"]
    ],
    [
      "a conversation without an id and targets",
      of("client", { conversation: {} }),
      ["conversation", "conversation.appealId"]
    ],
    ["a scope without a key", { scope: { entity: "client" } }, ["scope.id"]],
    [
      "a scope with two keys",
      { scope: { entity: "client", id: 1, phone: "067", email: "a@b.c" } },
      ["scope.email", "scope.phone"]
    ],
    ["a key that the entity does not have", { scope: { entity: "subject", phone: "067" } }, ["scope.phone"]],
    ["a phone without digits", { scope: { entity: "client", phone: "немає" } }, ["scope.phone"]],
    [
      "half an identity",
      { scope: { entity: "client", identity: { channel: "x" } } },
      ["scope.identity.chatId"]
    ],
    ["a fraction instead of an integer", { ...client, topK: 8.5 }, ["topK"]],
    ["null instead of a value", { ...client, topK: null, query: null }, ["query", "topK"]],
    ["an unknown version", { ...client, version: 1 }, ["version"]],
    ["unknown clientId and subjectId", { clientId: 501, subjectId: 12 }, ["clientId", "scope", "subjectId"]],
    ["an unknown instanceId", { ...client, instanceId: 2 }, ["instanceId"]],
    [
      "unknown members inside scope and actions",
      { scope: { entity: "client", id: 1, x: 1 }, actions: { y: 1 } },
      ["actions.y", "scope.x"]
    ],
    ["a knownPackHash that is no packHash", { ...client, knownPackHash: "9f86" }, ["knownPackHash"]],
    ["empty arrays", { ...client, sections: [], targets: [] }, ["sections", "targets"]],
    ["an empty list of actor types", { ...client, actions: { actorTypes: [] } }, ["actions.actorTypes"]],
    [
      "an unknown actor type",
      { ...client, actions: { actorTypes: ["client", "robot"] } },
      ["actions.actorTypes[1]"]
    ],
    ["an unknown section", { ...client, sections: ["state", "memory"] }, ["sections[1]"]],
    [
      "sections that a subject does not have",
      of("subject", { sections: ["properties", "state", "actions"] }),
      ["sections[1]", "sections[2]"]
    ],
    ["actions of an operator", of("operator", { sections: ["actions"] }), ["sections[0]"]],
    ["actions of a skill group", of("skill_group", { sections: ["state", "actions"] }), ["sections[1]"]],
    ["parameters of actions for a skill group", of("skill_group", { actions: {} }), ["actions"]],
    [
      "a target of a subject for a client",
      { ...client, targets: ["recent_subject_appeals"] },
      ["targets[0]"]
    ],
    [
      "a target of a client for a subject",
      of("subject", { targets: ["relevant_appeals"], query: "x" }),
      ["targets[0]"]
    ],
    [
      "a target of a client for an operator",
      of("operator", { targets: ["previous_client_appeals"] }),
      ["targets[0]"]
    ],
    ["a query without targets", { ...client, query: "bill" }, ["query"]],
    ["relevant_appeals without a query", { ...client, targets: ["relevant_appeals"] }, ["query"]],
    [
      "relevant_subject_appeals without a query",
      of("subject", { targets: ["relevant_subject_appeals"] }),
      ["query"]
    ],
    ["a query of white space", { ...client, targets: ["previous_client_appeals"], query: " \n " }, ["query"]],
    ["an empty range", { ...client, from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" }, ["to"]],
    [
      "from and to that are neither times nor dates",
      { ...client, from: "2026-01", to: "10:00" },
      ["from", "to"]
    ],
    [
      "an empty range of a date and its midnight in UTC",
      { ...client, from: "2026-01-02", to: "2026-01-02T00:00:00" },
      ["to"]
    ],
    ["no actions at all", { ...client, actions: { limit: 0 } }, ["actions.limit"]],
    [
      "several faults together, also of rules between members",
      {
        scope: { entity: "subject", id: -1 },
        sections: ["state"],
        targets: ["relevant_subject_appeals"],
        topK: "8",
        extra: 1
      },
      ["extra", "query", "scope.id", "sections[0]", "topK"]
    ]
  ] as ReadonlyArray<[string, Record<string, unknown>, ReadonlyArray<string>]>)(
    "is refused for %s",
    (_, body, paths) => {
      assert.deepStrictEqual(faults(body), paths)
    }
  )

  it.each([0, -1, 8.5, "501", true, null, 2 ** 53])("is refused for the id %j", (id) => {
    assert.deepStrictEqual(faults({ scope: { entity: "client", id } }), ["scope.id"])
  })

  it.each(Object.entries(ContextLimits).filter(([name]) => name !== "actionsLimit"))(
    "%s may be its minimum and maximum, and is over budget above it",
    (name, { maximum, minimum }) => {
      for (const limit of [minimum, maximum])
        assert.deepInclude(accepted({ ...client, [name]: limit }), { [name]: limit })
      for (const limit of [minimum - 1, maximum + 1])
        assert.deepStrictEqual(faults({ ...client, [name]: limit }), [name])
      assert.isTrue(overBudget({ ...client, [name]: maximum + 1 }))
      assert.isFalse(overBudget({ ...client, [name]: minimum - 1 }))
    }
  )

  it("actions.limit is at most 100", () => {
    assert.isTrue(overBudget({ ...client, actions: { limit: 101 } }))
    assert.deepInclude(accepted({ ...client, actions: { limit: 100 } }), { actions: { limit: 100 } })
  })

  it("a query is trimmed, and is over budget above 512 code points", () => {
    assert.strictEqual(accepted(ask(`  ${"ї".repeat(512)} `)).query, "ї".repeat(512))
    assert.strictEqual(accepted(ask("😀".repeat(512))).query, "😀".repeat(512))
    assert.isTrue(overBudget(ask("😀".repeat(513))))
    assert.isFalse(overBudget(ask(" ")))
  })
})
