import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, SchemaIssue } from "effect"
import { rulesOf } from "../values/Checks.ts"
import { ContextLimits } from "../Limits.ts"
import { ContextRequest } from "./ContextRequest.ts"

const decode = Schema.decodeUnknownEffect(ContextRequest, { errors: "all", onExcessProperty: "error" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const accepted = (body: unknown) => Effect.runSync(decode(body))

/** Paths of all faults, those of single members and those between members. */
const faults = (body: Record<string, unknown>): ReadonlyArray<string> => {
  const result = Effect.runSync(Effect.result(decode(body)))
  const paths = new Set(rulesOf(ContextRequest)(body).map(({ path }) => path))
  if (result._tag === "Failure") {
    for (const { path } of format(result.failure.issue).issues) {
      paths.add(
        (path ?? []).reduce<string>(
          (text, segment) =>
            typeof segment === "number"
              ? `${text}[${segment}]`
              : text === ""
                ? String(segment)
                : `${text}.${String(segment)}`,
          ""
        )
      )
    }
  }
  return [...paths].toSorted()
}

const client = { scope: { entity: "client", id: 501 } }
const ask = (query: string) => ({ ...client, targets: ["previous_client_appeals"], query })
const of = (entity: string, more: object = {}) => ({ scope: { entity, id: 1 }, ...more })

describe("ContextRequest (contract §3.1)", () => {
  it("takes a scope alone", () => {
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
  ] as const)("takes a key instead of an id: %j", (scope) => {
    assert.deepStrictEqual(accepted({ scope }), { scope })
  })

  it.each([
    ["scope is required", {}, ["scope"]],
    ["scope.entity is one of client, subject, operator, skill_group", of("user"), ["scope.entity"]],
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
    ["scope.id is a positive integer", { scope: { entity: "client", id: 0 } }, ["scope.id"]],
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
    ["no coercion: a text is no integer", { scope: { entity: "client", id: "501" } }, ["scope.id"]],
    ["no coercion: 8.5, null and true are no integers", { ...client, topK: 8.5 }, ["topK"]],
    ["null is no value", { ...client, topK: null, query: null }, ["query", "topK"]],
    ["version is rejected", { ...client, version: 1 }, ["version"]],
    [
      "the old clientId and subjectId shorthand is no longer accepted",
      { clientId: 501, subjectId: 12 },
      ["clientId", "scope", "subjectId"]
    ],
    ["an instance identifier in the body is unknown", { ...client, instanceId: 2 }, ["instanceId"]],
    [
      "unknown members inside scope and actions",
      { scope: { entity: "client", id: 1, x: 1 }, actions: { y: 1 } },
      ["actions.y", "scope.x"]
    ],
    ["knownPackHash is a packHash", { ...client, knownPackHash: "9f86" }, ["knownPackHash"]],
    ["empty arrays: 400", { ...client, sections: [], targets: [] }, ["sections", "targets"]],
    ["an empty list of actor types: 400", { ...client, actions: { actorTypes: [] } }, ["actions.actorTypes"]],
    [
      "actorTypes ⊆ client, operator, bot, system, integration",
      { ...client, actions: { actorTypes: ["client", "robot"] } },
      ["actions.actorTypes[1]"]
    ],
    ["an unknown section", { ...client, sections: ["state", "memory"] }, ["sections[1]"]],
    [
      "a subject has properties and evidence",
      of("subject", { sections: ["properties", "state", "actions"] }),
      ["sections[1]", "sections[2]"]
    ],
    ["an operator has no actions", of("operator", { sections: ["actions"] }), ["sections[0]"]],
    ["a skill group has no actions", of("skill_group", { sections: ["state", "actions"] }), ["sections[1]"]],
    ["actions parameters are for a client only", of("skill_group", { actions: {} }), ["actions"]],
    ["a client knows no subject targets", { ...client, targets: ["recent_subject_appeals"] }, ["targets[0]"]],
    [
      "a subject knows recent_subject_appeals and relevant_subject_appeals",
      of("subject", { targets: ["relevant_appeals"], query: "x" }),
      ["targets[0]"]
    ],
    [
      "an operator knows relevant_appeals",
      of("operator", { targets: ["previous_client_appeals"] }),
      ["targets[0]"]
    ],
    ["query requires targets", { ...client, query: "bill" }, ["query"]],
    ["relevant_appeals needs a query", { ...client, targets: ["relevant_appeals"] }, ["query"]],
    [
      "relevant_subject_appeals needs a query",
      of("subject", { targets: ["relevant_subject_appeals"] }),
      ["query"]
    ],
    [
      "a query of white space is empty",
      { ...client, targets: ["previous_client_appeals"], query: " \n " },
      ["query"]
    ],
    ["from < to", { ...client, from: "2026-01-02T00:00:00Z", to: "2026-01-02T00:00:00Z" }, ["to"]],
    ["from and to are times or dates", { ...client, from: "2026-01", to: "10:00" }, ["from", "to"]],
    [
      "from < to, a date being its midnight in UTC",
      { ...client, from: "2026-01-02", to: "2026-01-02T00:00:00" },
      ["to"]
    ],
    ["timeoutMs ≥ 50", { ...client, timeoutMs: 49 }, ["timeoutMs"]],
    ["maxResponseBytes ≥ 1024", { ...client, maxResponseBytes: 1023 }, ["maxResponseBytes"]],
    ["tokenBudget ≥ 64", { ...client, tokenBudget: 63 }, ["tokenBudget"]],
    [
      "every limit ≥ 1",
      { ...client, topK: 0, candidateLimit: 0, maxSnippetsPerAppeal: 0, actions: { limit: 0 } },
      ["actions.limit", "candidateLimit", "maxSnippetsPerAppeal", "topK"]
    ],
    [
      "all violations at once, those between members among them",
      {
        scope: { entity: "subject", id: -1 },
        sections: ["state"],
        targets: ["relevant_subject_appeals"],
        topK: "8",
        extra: 1
      },
      ["extra", "query", "scope.id", "sections[0]", "topK"]
    ]
  ] as ReadonlyArray<[string, Record<string, unknown>, ReadonlyArray<string>]>)("%s", (_, body, paths) => {
    assert.deepStrictEqual(faults(body), paths)
  })

  it.each(Object.entries(ContextLimits).filter(([name]) => name !== "actionsLimit"))(
    "%s takes its minimum and maximum, and is above it a matter of budget",
    (name, bounds) => {
      assert.deepInclude(accepted({ ...client, [name]: bounds.minimum }), { [name]: bounds.minimum })
      assert.deepInclude(accepted({ ...client, [name]: bounds.maximum }), { [name]: bounds.maximum })
      assert.deepStrictEqual(faults({ ...client, [name]: bounds.maximum + 1 }), [name])
      assert.isTrue(overBudget({ ...client, [name]: bounds.maximum + 1 }))
      assert.isFalse(overBudget({ ...client, [name]: bounds.minimum - 1 }))
    }
  )

  it("actions.limit is at most 100", () => {
    assert.isTrue(overBudget({ ...client, actions: { limit: 101 } }))
    assert.deepInclude(accepted({ ...client, actions: { limit: 100 } }), { actions: { limit: 100 } })
  })

  it("query: trimmed, 1–512 code points, above is a matter of budget", () => {
    assert.strictEqual(accepted(ask(`  ${"ї".repeat(512)} `)).query, "ї".repeat(512))
    assert.strictEqual(accepted(ask("😀".repeat(512))).query, "😀".repeat(512))
    assert.isTrue(overBudget(ask("😀".repeat(513))))
    assert.isFalse(overBudget(ask(" ")))
  })

  it("duplicates are taken, in sections, targets and actor types", () => {
    accepted({
      ...client,
      sections: ["state", "state"],
      targets: ["previous_client_appeals", "previous_client_appeals"],
      actions: { actorTypes: ["client", "client"] }
    })
  })
})

/** Every fault is one of budget. */
const overBudget = (body: unknown): boolean => {
  const result = Effect.runSync(Effect.result(decode(body)))
  if (result._tag === "Success") return false
  const leaves: Array<boolean> = []
  const walk = (issue: SchemaIssue.Issue): void => {
    if (issue._tag === "Composite") return issue.issues.forEach(walk)
    if (issue._tag === "Pointer" || issue._tag === "Encoding") return walk(issue.issue)
    leaves.push(issue._tag === "Filter" && issue.filter.annotations?.["rapportOverBudget"] === true)
  }
  walk(result.failure.issue)
  return leaves.every(Boolean)
}
