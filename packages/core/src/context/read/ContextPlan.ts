// Plans a context read: its sections, lists of evidence, limits and deadlines (contract §3.1, §3.4); pure.
import {
  actorTypes,
  type ActorType,
  contextSections,
  contextTargets,
  type ContextEntity,
  type ContextRequest,
  type ContextSection,
  type ContextTarget
} from "@rapport/contract/context/ContextRequest.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { Context } from "effect"
import { type TextQuery, textQueryOf } from "../../search/text/TextQuery.ts"
import { type Conversation, type OpenedConversation, queryOf } from "./ConversationQuery.ts"

/** A list of appeals: `recent` by createdAt, newest first; `relevant` by score. */
export interface AppealList {
  /** Null: the evidence that operators and skill groups have without targets; it has no target. */
  readonly target: ContextTarget | null
  readonly order: "recent" | "relevant"
}

/** Every limit of the request, defaults filled in; times in epoch milliseconds. */
export interface ContextPlan {
  readonly scope: { readonly entity: ContextEntity; readonly id: number }
  /** Distinct, in the order of the answer. */
  readonly sections: ReadonlySet<ContextSection>
  readonly actions: { readonly limit: number; readonly actorTypes: ReadonlyArray<ActorType> | null }
  /** Lists that need the search index, in their round-robin order. */
  readonly appealLists: ReadonlyArray<AppealList>
  readonly conversations: boolean
  readonly interactions: boolean
  readonly memories: boolean
  readonly query: string | null
  /** The query as it is searched in texts. */
  readonly textQuery: TextQuery | null
  /** The conversation that the query was made from; it is left out of the evidence. */
  readonly conversation: Conversation | null
  /** Items found by the query with a lower score are dropped. */
  readonly minScore: number
  readonly from: number | null
  readonly to: number | null
  readonly allowPartial: boolean
  readonly topK: number
  readonly candidateLimit: number
  readonly maxSnippetsPerAppeal: number
  readonly maxResponseBytes: number
  readonly tokenBudget: number
  readonly timeoutMillis: number
  readonly knownPackHash: string | null
  /** Also returns why the pack is as it is. */
  readonly explain: boolean
}

const defaultSections: Readonly<Record<ContextEntity, ReadonlyArray<ContextSection>>> = {
  client: ["state", "properties"],
  subject: ["properties"],
  operator: ["state", "properties"],
  skill_group: ["state", "properties"]
}

/** Default targets; operators and skill groups then have appeals without a target. */
const defaultTargets: Readonly<Record<ContextEntity, ReadonlyArray<ContextTarget>>> = {
  client: ["previous_client_appeals"],
  subject: ["recent_subject_appeals"],
  operator: [],
  skill_group: []
}

const orderOfTarget: Partial<Record<ContextTarget, AppealList["order"]>> = {
  previous_client_appeals: "recent",
  relevant_appeals: "relevant",
  recent_subject_appeals: "recent",
  relevant_subject_appeals: "relevant"
}

/** An id that no entity has: a key without exactly one match is denied by the same steps as an unknown id. */
export const UNKNOWN_ID = 0

/** The plan for the only entity that was found, else for an unknown one. */
export const planFor = (plan: ContextPlan, found: ReadonlyArray<number>): ContextPlan => {
  const [id = UNKNOWN_ID, ...others] = found
  return { ...plan, scope: { ...plan.scope, id: others.length === 0 ? id : UNKNOWN_ID } }
}

/** The plan with the query of a conversation; null: a conversation that the caller may not read is denied like an unknown id. */
export const planWithin = (plan: ContextPlan, conversation: OpenedConversation | null): ContextPlan => {
  if (conversation === null) return planFor(plan, [])
  const query = queryOf(conversation.texts)
  return { ...plan, conversation, query, textQuery: query === null ? null : textQueryOf(query) }
}

/** The plan of a request that has passed its schema. */
export const planOf = (request: ContextRequest): ContextPlan => {
  const scope = { entity: request.scope.entity, id: request.scope.id ?? UNKNOWN_ID }
  const sections = sectionsOf(request)
  const targets = targetsOf(request, sections)
  const limit = (name: Exclude<keyof typeof ContextLimits, "actionsLimit">) =>
    request[name] ?? ContextLimits[name].default
  return {
    scope,
    sections,
    actions: {
      limit: request.actions?.limit ?? ContextLimits.actionsLimit.default,
      actorTypes:
        request.actions?.actorTypes === undefined ? null : inOrder(actorTypes, request.actions.actorTypes)
    },
    appealLists: appealListsOf(scope.entity, sections, targets),
    conversations: targets.includes("previous_client_conversations"),
    interactions: targets.includes("recent_client_interactions"),
    memories: targets.includes("relevant_client_memory"),
    query: request.query ?? null,
    textQuery: request.query === undefined ? null : textQueryOf(request.query),
    conversation: null,
    minScore: request.minScore ?? 0,
    from: request.from ?? null,
    to: request.to ?? null,
    allowPartial: request.allowPartial ?? false,
    topK: limit("topK"),
    candidateLimit: limit("candidateLimit"),
    maxSnippetsPerAppeal: limit("maxSnippetsPerAppeal"),
    maxResponseBytes: limit("maxResponseBytes"),
    tokenBudget: limit("tokenBudget"),
    timeoutMillis: limit("timeoutMs"),
    knownPackHash: request.knownPackHash ?? null,
    explain: request.explain ?? false
  }
}

/** Explicit targets or a range add evidence, parameters of actions add actions (contract §3.1). */
const sectionsOf = (request: ContextRequest): ReadonlySet<ContextSection> => {
  const requested = new Set(request.sections ?? defaultSections[request.scope.entity])
  if (request.targets !== undefined || request.from !== undefined || request.to !== undefined) {
    requested.add("evidence")
  }
  if (request.actions !== undefined) requested.add("actions")
  return new Set(inOrder(contextSections, [...requested]))
}

const targetsOf = (
  request: ContextRequest,
  sections: ReadonlySet<ContextSection>
): ReadonlyArray<ContextTarget> =>
  sections.has("evidence")
    ? inOrder(contextTargets, request.targets ?? defaultTargets[request.scope.entity])
    : []

const appealListsOf = (
  entity: ContextEntity,
  sections: ReadonlySet<ContextSection>,
  targets: ReadonlyArray<ContextTarget>
): ReadonlyArray<AppealList> => {
  if (!sections.has("evidence")) return []
  if (targets.length === 0)
    return defaultTargets[entity].length === 0 ? [{ target: null, order: "recent" }] : []
  return targets.flatMap((target) => {
    const order = orderOfTarget[target]
    return order === undefined ? [] : [{ target, order }]
  })
}

/** Distinct values in the given order, so that order and repetition in a request do not matter. */
const inOrder = <A>(all: ReadonlyArray<A>, some: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((one) => some.includes(one))

/** Deadlines of the parts, epoch milliseconds; Infinity: only the deadline of the answer applies. */
export interface Deadlines {
  /** The whole answer. */
  readonly answer: number
  /** The statement that reads all sections. */
  readonly open: number
  /** The statements of single sections, after that statement was cancelled. */
  readonly sections: number
  readonly search: number
  readonly recheck: number
}

/**
 * Divides the time of a read (contract §3.4). With allowPartial, parts end early enough to assemble and confirm a partial answer.
 * Without it only the deadline of the answer applies. `startedAt` is in epoch milliseconds.
 */
export const deadlinesOf = (startedAt: number, timeoutMillis: number, allowPartial: boolean): Deadlines => {
  const at = (share: number) => (allowPartial ? startedAt + Math.floor(timeoutMillis * share) : Infinity)
  return {
    answer: startedAt + timeoutMillis,
    open: at(0.5),
    sections: at(0.7),
    search: at(0.7),
    recheck: at(0.85)
  }
}

/** Milliseconds spent on a read before it began (authentication, queueing): they count against timeoutMs. */
export const WaitedMillis = Context.Reference<number>("core/context/WaitedMillis", { defaultValue: () => 0 })
