// Reads everything for a pack: database and search in parallel, then the found appeals and memories.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Fiber } from "effect"
import { appealVisibilityOf } from "../../search/EvidenceFilter.ts"
import type { ClientMemory, FoundMemories } from "../../memory/ClientMemory.ts"
import {
  attempt,
  type PartResult,
  available,
  inSpan,
  SourceUnavailable,
  traceAs,
  unavailable,
  valueOf,
  withDeadline
} from "../../failures/SourceUnavailable.ts"
import type { DocumentIndex, IndexStatus } from "../../search/DocumentIndex.ts"
import { type AppealEvidence, recheckAppeals, searchAppeals, searchScope } from "./AppealSearch.ts"
import type { ContextPlan, Deadlines } from "./ContextPlan.ts"
import type {
  Confirmation,
  ContextStore,
  ConversationRow,
  InteractionRow,
  OpenedContext,
  OpenedParts,
  OpenNeeds
} from "./ContextStore.ts"

/** The sources of a read. */
export interface Sources {
  readonly store: ContextStore["Service"]
  readonly index: DocumentIndex
  readonly memory: ClientMemory["Service"]
}

/** Each requested part, or why it is missing; null for other parts. */
export interface EvidenceParts {
  readonly appeals: PartResult<AppealEvidence> | null
  readonly conversations: PartResult<ReadonlyArray<ConversationRow>> | null
  readonly interactions: PartResult<ReadonlyArray<InteractionRow>> | null
  readonly memories: PartResult<FoundMemories> | null
}

export interface GatheredContext {
  readonly opened: OpenedSections
  readonly evidence: EvidenceParts
  /** Null if the index was not queried or did not answer. */
  readonly indexStatus: IndexStatus | null
}

/** Checks readiness (503), then access (403). With allowPartial missing parts are reported instead of failing. */
export const gather = Effect.fnUntraced(function* (
  sources: Sources,
  session: AuthorizedSession,
  plan: ContextPlan,
  deadlines: Deadlines
): Effect.fn.Return<GatheredContext, AccessDenied | SearchUnavailable | SourceUnavailable> {
  const { store } = sources
  const search = makeSearch(sources, session, plan, deadlines)
  const searched = plan.appealLists.length > 0
  const indexStatus = searched
    ? yield* Effect.forkChild(indexStatusOf(sources, session, deadlines), immediately)
    : null
  // Only the scope of a group depends on the first statement; other scopes are searched in parallel with it.
  const early =
    searched && plan.scope.entity !== "skill_group"
      ? yield* Effect.forkChild(search(plan.candidateLimit, { id: plan.scope.id, group: null }), immediately)
      : null

  const opened = yield* openSections(store, session, plan, deadlines)
  const ready = indexStatus === null ? null : yield* attempt(plan.allowPartial)(Fiber.join(indexStatus))
  const { entityId } = opened
  if (entityId === null) return yield* new AccessDenied()

  const appeals = Effect.gen(function* () {
    const { group } = opened
    const again = (limit: number) => search(limit, { id: entityId, group })
    // A merged client is searched as its survivor.
    const first = yield* early !== null && entityId === plan.scope.id
      ? Fiber.join(early)
      : again(plan.candidateLimit)
    return yield* withDeadline(
      deadlines.recheck,
      "database"
    )(recheckAppeals(store, session, plan, first, again))
  }).pipe(attempt(plan.allowPartial))
  const evidence = yield* Effect.all(
    {
      appeals:
        ready === null
          ? Effect.succeed(null)
          : ready._tag === "Unavailable"
            ? Effect.succeed(ready)
            : appeals,
      memories: plan.memories ? memories(sources, session, plan, entityId, deadlines) : Effect.succeed(null)
    },
    { concurrency: "unbounded" }
  )
  return {
    opened,
    evidence: {
      ...evidence,
      conversations: plan.conversations ? opened.parts.conversations : null,
      interactions: plan.interactions ? opened.parts.interactions : null
    },
    indexStatus: valueOf(ready, null)
  }
})

/** The records to be confirmed before the answer is sent: everything that was read, whether or not it fits the budget. */
export const shownRecordsOf = (
  { evidence, opened }: GatheredContext,
  { conversation }: ContextPlan
): Omit<Confirmation, "caller" | "scope" | "snapshot"> => {
  const { actions, conversations, interactions, properties } = opened.parts
  const memories = valueOf(evidence.memories, null)
  const named = [
    ...(valueOf(actions, null)?.rows ?? []),
    ...valueOf(conversations, []),
    ...valueOf(interactions, []),
    ...(memories?.memories ?? []),
    ...(memories?.dropped ?? []),
    // Its words are shown as the query.
    ...(conversation === null ? [] : [conversation])
  ].flatMap(({ appealId }) => appealId ?? [])
  const found = valueOf(evidence.appeals, null)
  const rows = (found?.chosen.appeals ?? []).flatMap(({ appealId }) => found?.rows.get(appealId) ?? [])
  return {
    appealIds: [...rows, ...(found?.dropped ?? [])].map(({ appealId }) => appealId),
    openedAppealIds: rows.filter(({ customFields }) => customFields !== null).map(({ appealId }) => appealId),
    namedAppealIds: [...new Set(named)],
    propertyDefinitionIds: valueOf(properties, []).flatMap(({ definitionId }) => definitionId ?? [])
  }
}

/** Starts the search before the first statement is sent. */
const immediately = { startImmediately: true } as const

const makeSearch =
  ({ index }: Sources, session: AuthorizedSession, plan: ContextPlan, deadlines: Deadlines) =>
  (limit: number, found: { readonly id: number; readonly group: OpenedParts["group"] }) =>
    searchAppeals(index, {
      instanceId: session.instanceId,
      visibility: appealVisibilityOf(session),
      plan,
      scope: searchScope({ ...plan.scope, id: found.id }, found.group),
      limit,
      deadline: Math.min(deadlines.search, deadlines.answer)
    }).pipe(withDeadline(deadlines.search, "search"), inSpan("ContextReader.search"))

const indexStatusOf = ({ index }: Sources, session: AuthorizedSession, deadlines: Deadlines) =>
  index.status(session.instanceId).pipe(
    withDeadline(deadlines.search, "search"),
    Effect.flatMap((indexStatus) =>
      indexStatus.ready
        ? Effect.succeed(indexStatus)
        : Effect.fail(new SourceUnavailable({ source: "search", reason: "search_index_not_ready" }))
    )
  )

const memories = (
  { memory }: Sources,
  session: AuthorizedSession,
  plan: ContextPlan,
  entityId: number,
  deadlines: Deadlines
) =>
  memory
    .find({
      ...plan,
      caller: session,
      clientId: entityId,
      seesAll: appealVisibilityOf(session).everything,
      leftOut: plan.conversation,
      limit: plan.topK,
      deadline: Math.min(deadlines.search, deadlines.answer)
    })
    .pipe(
      withDeadline(deadlines.search, "client_memory"),
      attempt(plan.allowPartial),
      inSpan("ContextReader.remember")
    )

type Part = "state" | "actions" | "properties" | "conversations" | "interactions" | "quarantinedMemories"

/** Each requested part that may be read, or why it is missing; else null. */
export type SectionParts = { readonly [P in Part]: PartResult<NonNullable<OpenedParts[P]>> | null }

export interface OpenedSections extends Omit<OpenedContext, "parts" | "snapshot"> {
  /** Null if sections were read in separate statements. */
  readonly snapshot: Confirmation["snapshot"]
  readonly group: OpenedParts["group"]
  readonly parts: SectionParts
}

/** Opens the entity with these needs until a deadline. */
type Open = (needs: OpenNeeds, deadline: number) => Effect.Effect<OpenedContext, SourceUnavailable>

/**
 * Reads the sections and checks the right to read them. Fails without database or capability, and without allowPartial also if
 * the context store is not ready.
 */
const openSections = traceAs("ContextReader.open")(
  Effect.fnUntraced(function* (
    store: ContextStore["Service"],
    caller: AuthorizedSession,
    plan: ContextPlan,
    deadlines: Deadlines
  ): Effect.fn.Return<OpenedSections, SourceUnavailable | SearchUnavailable> {
    const open: Open = (needs, deadline) =>
      store.open(caller, plan.scope, needs).pipe(withDeadline(deadline, "database"))
    const opened = yield* openParts(open, plan, deadlines)
    if (!opened.capabilityEnabled) return yield* new SearchUnavailable({ reason: "capability_disabled" })
    if (opened.contextStoreReady) return opened
    return plan.allowPartial
      ? { ...opened, parts: withoutStore(plan, opened.parts) }
      : yield* new SearchUnavailable({ reason: "context_store_not_ready" })
  })
)

/** All parts in one statement. With allowPartial, if that takes too long, one statement for each part. */
const openParts = (
  open: Open,
  plan: ContextPlan,
  deadlines: Deadlines
): Effect.Effect<OpenedSections, SourceUnavailable | SearchUnavailable> => {
  const needs = needsOf(plan)
  const together = Effect.map(open(needs, deadlines.open), ({ parts, ...opened }): OpenedSections => ({
    ...opened,
    group: parts.group,
    parts: partsOf(parts)
  }))
  return plan.allowPartial
    ? Effect.catchIf(
        together,
        ({ reason }) => reason === "timeout",
        () => separately(open, needs, deadlines)
      )
    : together
}

const nothing = {
  state: false,
  actions: null,
  properties: false,
  conversations: null,
  interactions: null,
  memories: false,
  group: false
} satisfies Partial<OpenNeeds>

const needsOf = (plan: ContextPlan): OpenNeeds => ({
  state: plan.sections.has("state"),
  actions: plan.sections.has("actions") ? plan.actions : null,
  properties: plan.sections.has("properties"),
  conversations: plan.conversations ? plan.topK : null,
  interactions: plan.interactions ? plan.topK : null,
  memories: plan.memories,
  maxResponseBytes: plan.maxResponseBytes,
  group: plan.scope.entity === "skill_group" && plan.appealLists.length > 0,
  leftOut: plan.conversation,
  from: plan.from,
  to: plan.to
})

const partOf = <A>(value: A | null): PartResult<A> | null => (value === null ? null : available(value))

const partsOf = (opened: OpenedParts): SectionParts => ({
  state: partOf(opened.state),
  actions: partOf(opened.actions),
  properties: partOf(opened.properties),
  conversations: partOf(opened.conversations),
  interactions: partOf(opened.interactions),
  quarantinedMemories: partOf(opened.quarantinedMemories)
})

/** Checks the right and reads each part by its own statement, in parallel; slow parts are missing with reason timeout. */
const separately = (
  open: Open,
  needs: OpenNeeds,
  deadlines: Deadlines
): Effect.Effect<OpenedSections, SourceUnavailable | SearchUnavailable> => {
  const part = <A>(need: Partial<OpenNeeds>, select: (opened: OpenedParts) => A | null) =>
    Object.values(need).every((one) => one === null || one === false)
      ? Effect.succeed(null)
      : open({ ...needs, ...nothing, ...need }, deadlines.sections).pipe(
          Effect.map((opened) => select(opened.parts)),
          attempt(true),
          Effect.map((tried): PartResult<A> | null =>
            tried._tag === "Unavailable" ? tried : partOf(tried.value)
          )
        )
  const parts = {
    state: part({ state: needs.state }, (opened) => opened.state),
    actions: part({ actions: needs.actions }, (opened) => opened.actions),
    properties: part({ properties: needs.properties }, (opened) => opened.properties),
    conversations: part({ conversations: needs.conversations }, (opened) => opened.conversations),
    interactions: part({ interactions: needs.interactions }, (opened) => opened.interactions),
    quarantinedMemories: part({ memories: needs.memories }, (opened) => opened.quarantinedMemories)
  }
  const right = open({ ...needs, ...nothing, group: needs.group }, deadlines.recheck)
  const read = Effect.all(parts, { concurrency: "unbounded" })
  return Effect.zipWith(
    right,
    read,
    (opened, parts) => ({ ...opened, group: opened.parts.group, parts, snapshot: null }),
    { concurrent: true }
  )
}

const without = <A>(part: A | null) => (part === null ? null : unavailable("context_store_not_ready"))

/** Removes the parts that need the context store; the state of operators and groups does not. */
const withoutStore = (plan: ContextPlan, parts: SectionParts): SectionParts => ({
  ...parts,
  state: plan.scope.entity === "client" ? without(parts.state) : parts.state,
  actions: without(parts.actions),
  conversations: without(parts.conversations),
  interactions: without(parts.interactions)
})
