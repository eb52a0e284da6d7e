// The request of a context read, and the rules between its members (contract §3.1).
import { Predicate, Schema, SchemaGetter } from "effect"
import type { Violation } from "../Errors.ts"
import { distinct } from "../values/Distinct.ts"
import { PositiveInt, Uuid } from "../values/Ids.ts"
import { ContextLimits, QUERY_POINTS_MAX } from "../Limits.ts"
import { ExternalId, Login, ShortText } from "../values/Members.ts"
import { limitMember, overBudget } from "../values/Numbers.ts"
import { pointsOf, withRules } from "../values/Checks.ts"
import { Email } from "../values/Formats.ts"
import { rangeMillisOf, rangeTimeWith } from "../values/Time.ts"

export const contextEntities = ["client", "subject", "operator", "skill_group"] as const
export const ContextEntity = Schema.Literals(contextEntities)
export type ContextEntity = typeof ContextEntity.Type

/** In the order in which a pack shows them. */
export const contextSections = ["state", "actions", "properties", "evidence"] as const
export const ContextSection = Schema.Literals(contextSections)
export type ContextSection = typeof ContextSection.Type

/** In the order in which they take candidates (contract §3.1, "candidateLimit"). */
export const contextTargets = [
  "previous_client_appeals",
  "previous_client_conversations",
  "recent_client_interactions",
  "relevant_client_memory",
  "relevant_appeals",
  "recent_subject_appeals",
  "relevant_subject_appeals"
] as const
export const ContextTarget = Schema.Literals(contextTargets)
export type ContextTarget = typeof ContextTarget.Type

export const actorTypes = ["client", "operator", "bot", "system", "integration"] as const
export const ActorType = Schema.Literals(actorTypes)
export type ActorType = typeof ActorType.Type

/** The sections of each scope. */
export const sectionsOfEntity: Readonly<Record<ContextEntity, ReadonlyArray<ContextSection>>> = {
  client: ["state", "actions", "properties", "evidence"],
  subject: ["properties", "evidence"],
  operator: ["state", "properties", "evidence"],
  skill_group: ["state", "properties", "evidence"]
}

/** The targets of each scope. */
export const targetsOfEntity: Readonly<Record<ContextEntity, ReadonlyArray<ContextTarget>>> = {
  client: [
    "previous_client_appeals",
    "previous_client_conversations",
    "recent_client_interactions",
    "relevant_client_memory",
    "relevant_appeals"
  ],
  subject: ["recent_subject_appeals", "relevant_subject_appeals"],
  operator: ["relevant_appeals"],
  skill_group: ["relevant_appeals"]
}

/** Members of a scope of which exactly one names the entity. */
const keysOfEntity: Readonly<Record<ContextEntity, ReadonlyArray<string>>> = {
  client: ["id", "externalId", "phone", "email", "identity"],
  subject: ["id", "name"],
  operator: ["id", "login", "name"],
  skill_group: ["id", "name"]
}

/** Targets that require a query, or a conversation to make it from. */
export const targetsNeedingQuery: ReadonlyArray<ContextTarget> = [
  "relevant_appeals",
  "relevant_subject_appeals"
]

const someOf = <A extends string>(item: Schema.Codec<A>, description?: string) =>
  distinct(item, { ifEmpty: "must not be empty", ...(description === undefined ? {} : { description }) })

const Query = Schema.String.annotate({
  description: `Words to search for, trimmed, 1 to ${QUERY_POINTS_MAX} code points. Requires targets`,
  examples: ["не прийшов рахунок"]
})
  .check(
    Schema.makeFilter<string>((text) => text.trim() !== "", {
      message: "must have at least one character besides white space",
      toJsonSchema: () => ({ minLength: 1 })
    }),
    Schema.makeFilter<string>((text) => pointsOf(text.trim()) <= QUERY_POINTS_MAX, {
      ...overBudget,
      message: `must have at most ${QUERY_POINTS_MAX} characters`,
      toJsonSchema: () => ({ maxLength: QUERY_POINTS_MAX })
    })
  )
  .pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform((text: string) => text.trim()),
      encode: SchemaGetter.passthrough()
    })
  )

const describe = (description: string) => ({ description })

/** A phone in any spelling. Without a digit it names nobody. */
const Phone = ShortText.check(Schema.isPattern(/[1-9]/u, { message: "must have a digit from 1 to 9" }))

const Scope = Schema.Struct({
  entity: ContextEntity,
  id: Schema.optionalKey(PositiveInt),
  externalId: Schema.optionalKey(ExternalId),
  phone: Schema.optionalKey(Phone),
  email: Schema.optionalKey(Email),
  identity: Schema.optionalKey(
    Schema.Struct({ channel: ShortText, chatId: ExternalId }).annotate(
      describe("An address of a client in a channel")
    )
  ),
  name: Schema.optionalKey(ShortText),
  login: Schema.optionalKey(Login)
})
export type ContextScope = typeof Scope.Type

const members = Schema.Struct({
  scope: Scope.annotate(
    describe(
      "The entity of the pack, named by exactly one other member. An unknown or foreign entity is 403, never 404"
    )
  ),
  sections: Schema.optionalKey(
    someOf(
      ContextSection,
      "Default: state and properties; for a subject properties. Only a client has actions, and a subject has no state"
    )
  ),
  targets: Schema.optionalKey(someOf(ContextTarget, "The kinds of evidence. Adds the section evidence")),
  query: Schema.optionalKey(Query),
  conversation: Schema.optionalKey(
    Schema.Struct({
      appealId: Schema.optionalKey(PositiveInt),
      sessionId: Schema.optionalKey(Uuid)
    }).annotate(
      describe(
        "Instead of query: the current conversation, by exactly one id. The query is made from its last client messages, and the evidence leaves it out"
      )
    )
  ),
  actions: Schema.optionalKey(
    Schema.Struct({
      limit: Schema.optionalKey(limitMember(ContextLimits.actionsLimit, "Actions of the section")),
      actorTypes: Schema.optionalKey(someOf(ActorType))
    }).annotate(describe("Adds the section actions. Only for a client"))
  ),
  allowPartial: Schema.optionalKey(
    Schema.Boolean.annotate({
      default: false,
      ...describe("Whether an unavailable source is reported in its section instead of failing the request")
    })
  ),
  knownPackHash: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^sha256:[0-9a-f]{64}$/, { message: "must be the packHash of a pack" })
    ).annotate(
      describe("The packHash that the caller has. If the pack has the same, the answer is only `unchanged`")
    )
  ),
  from: Schema.optionalKey(rangeTimeWith("2026-10-01", "Only evidence from this time on. ")),
  to: Schema.optionalKey(rangeTimeWith("2026-11-01", "Only evidence before this time. ")),
  minScore: Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "must be a number from 0 to 1" })
    ).annotate(
      describe("Drops evidence that the query found with a lower score. Needs query or conversation")
    )
  ),
  explain: Schema.optionalKey(
    Schema.Boolean.annotate({
      default: false,
      ...describe(
        "Whether the JSON pack has the member explain: why each evidence was found, its tokens, and what was dropped"
      )
    })
  ),
  topK: Schema.optionalKey(limitMember(ContextLimits.topK, "Appeals or entries of each target")),
  candidateLimit: Schema.optionalKey(
    limitMember(ContextLimits.candidateLimit, "Visible appeals that the request considers, over all targets")
  ),
  maxSnippetsPerAppeal: Schema.optionalKey(
    limitMember(ContextLimits.maxSnippetsPerAppeal, "Snippets of one appeal")
  ),
  maxResponseBytes: Schema.optionalKey(limitMember(ContextLimits.maxResponseBytes, "Bytes of the answer")),
  tokenBudget: Schema.optionalKey(limitMember(ContextLimits.tokenBudget, "Tokens of the answer")),
  timeoutMs: Schema.optionalKey(
    limitMember(ContextLimits.timeoutMs, "Deadline of the answer in milliseconds")
  )
})

const scopeKeys = Object.keys(Scope.fields).filter((name) => name !== "entity")

const arrayOf = (u: unknown): ReadonlyArray<unknown> => (Array.isArray(u) ? u : [])
const timeOf = (u: unknown): number | undefined =>
  typeof u === "number" ? u : typeof u === "string" ? rangeMillisOf(u) : undefined
const isEntity = (u: unknown): u is ContextEntity => contextEntities.some((entity) => entity === u)

const notAllowedFaults = (
  body: Readonly<Record<string, unknown>>,
  name: "sections" | "targets",
  known: ReadonlyArray<string>,
  allowed: ReadonlyArray<string>
): ReadonlyArray<Violation> =>
  arrayOf(body[name]).flatMap((value, index) =>
    known.some((one) => one === value) && !allowed.some((one) => one === value)
      ? [
          {
            path: `${name}[${index}]`,
            message: `is not allowed for this scope, which has ${allowed.join(", ")}`
          }
        ]
      : []
  )

/** The faults of the members that name an entity; `pathOf` gives the path of a member. */
export const keyFaults = (
  entity: ContextEntity,
  given: ReadonlyArray<string>,
  pathOf: (key: string) => string
): ReadonlyArray<Violation> => {
  const known = keysOfEntity[entity]
  const [first, ...others] = known.filter((key) => given.includes(key))
  const foreign = given.filter((key) => !known.includes(key))
  return first === undefined && foreign.length === 0
    ? [
        {
          path: pathOf("id"),
          message: `is required, or instead of it ${known.slice(1).map(pathOf).join(", ")}`
        }
      ]
    : [
        ...others.map((key) => ({
          path: pathOf(key),
          message: `must not be given together with ${pathOf(first ?? "id")}`
        })),
        ...foreign.map((key) => ({
          path: pathOf(key),
          message: `is not allowed for this scope, which has ${known.join(", ")}`
        }))
      ]
}

/** Rules between the members: what the scope allows, and what needs what (contract §3.1). */
const rules = (body: Readonly<Record<string, unknown>>): ReadonlyArray<Violation> => {
  const scope = Predicate.isReadonlyObject(body["scope"]) ? body["scope"] : {}
  const { entity } = scope
  const found: Array<Violation> = []
  if (isEntity(entity)) {
    const given = scopeKeys.filter((key) => Object.hasOwn(scope, key))
    found.push(...keyFaults(entity, given, (key) => `scope.${key}`))
    found.push(...notAllowedFaults(body, "sections", contextSections, sectionsOfEntity[entity]))
    found.push(...notAllowedFaults(body, "targets", contextTargets, targetsOfEntity[entity]))
    if (body["actions"] !== undefined && entity !== "client") {
      found.push({ path: "actions", message: "is allowed only for a client" })
    }
  }
  const needing = targetsNeedingQuery.filter((target) => arrayOf(body["targets"]).includes(target))
  const { conversation } = body
  const searching = ["query", "conversation"].filter((name) => body[name] !== undefined)
  if (searching.length === 0 && needing.length > 0) {
    found.push({ path: "query", message: `is required by ${needing.join(", ")}` })
  }
  if (searching.length === 0 && body["minScore"] !== undefined) {
    found.push({ path: "minScore", message: "needs query or conversation" })
  }
  if (body["targets"] === undefined)
    found.push(...searching.map((path) => ({ path, message: "needs targets" })))
  if (searching.length > 1)
    found.push({ path: "conversation", message: "must not be given together with query" })
  if (Predicate.isReadonlyObject(conversation)) found.push(...conversationFaults(conversation))
  return [...found, ...rangeRule(body)]
}

/** Exactly one id names the conversation. */
const conversationFaults = ({
  appealId,
  sessionId
}: Readonly<Record<string, unknown>>): ReadonlyArray<Violation> => {
  const [appeal, session] = ["conversation.appealId", "conversation.sessionId"] as const
  if ((appealId === undefined) !== (sessionId === undefined)) return []
  return appealId === undefined
    ? [{ path: appeal, message: `is required, or instead of it ${session}` }]
    : [{ path: session, message: `must not be given together with ${appeal}` }]
}

/** Refuses an empty range. */
export const rangeRule = (body: Readonly<Record<string, unknown>>): ReadonlyArray<Violation> => {
  const from = timeOf(body["from"])
  const to = timeOf(body["to"])
  return from !== undefined && to !== undefined && from >= to
    ? [{ path: "to", message: "must be later than from" }]
    : []
}

/** The body of `POST /kw/chatrooms/context/retrieve`. Duplicates in lists are ignored. */
export const ContextRequest = members.pipe(withRules(rules)).annotate({
  identifier: "ContextRequest",
  description: "The context to read, and its limits",
  examples: [
    {
      scope: { entity: "client", id: 501 },
      targets: ["previous_client_appeals", "relevant_appeals"],
      query: "не прийшов рахунок",
      actions: { limit: 5, actorTypes: ["client"] },
      topK: 5,
      allowPartial: true
    },
    {
      scope: { entity: "client", phone: "067 123-45-67" },
      targets: ["previous_client_appeals", "relevant_appeals"],
      conversation: { appealId: 7310 }
    },
    {
      scope: { entity: "client", id: 501 },
      targets: ["relevant_appeals"],
      query: "не прийшов рахунок",
      minScore: 0.1,
      explain: true
    }
  ]
})
export type ContextRequest = typeof ContextRequest.Type
