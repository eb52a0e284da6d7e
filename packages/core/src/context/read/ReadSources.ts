// Reads everything that a pack needs: the database and the search beside each other, then what the search found.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Fiber } from "effect"
import { appealVisibilityOf } from "../../search/EvidenceFilter.ts"
import type { ClientMemory, FoundMemories } from "../../memory/ClientMemory.ts"
import {
  attempt,
  type Attempted,
  available,
  inSpan,
  SourceUnavailable,
  traced,
  unavailable,
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
  Opened,
  OpenedParts,
  OpenNeeds
} from "./ContextStore.ts"

/** The sources of a read. */
export interface Sources {
  readonly store: ContextStore["Service"]
  readonly index: DocumentIndex
  readonly memory: ClientMemory["Service"]
}

/** Each part that the plan asks for, or why it is missing; null for what was not asked. */
export interface EvidenceParts {
  readonly appeals: Attempted<AppealEvidence> | null
  readonly conversations: Attempted<ReadonlyArray<ConversationRow>> | null
  readonly interactions: Attempted<ReadonlyArray<InteractionRow>> | null
  readonly memories: Attempted<FoundMemories> | null
}

export interface Gathered {
  readonly opened: OpenedSections
  readonly evidence: EvidenceParts
  /** Null where the index was not asked, or could not answer. */
  readonly indexStatus: IndexStatus | null
  /** Of client memory. */
  readonly memoryStatus: IndexStatus | null
}

/** In the order of judgement: readiness (503), then access (403); what is missing with allowPartial is reported, no failure. */
export const gather = Effect.fnUntraced(function* (
  sources: Sources,
  session: AuthorizedSession,
  plan: ContextPlan,
  deadlines: Deadlines
): Effect.fn.Return<Gathered, AccessDenied | SearchUnavailable | SourceUnavailable> {
  const { store } = sources
  const search = searching(sources, session, plan, deadlines)
  const searched = plan.appealLists.length > 0
  const indexStatus = searched
    ? yield* Effect.forkChild(indexStatusOf(sources, session, deadlines), atOnce)
    : null
  // A group's subjects and members are known only when it is open; every other scope is searched meanwhile.
  const early =
    searched && plan.scope.entity !== "skill_group"
      ? yield* Effect.forkChild(search(plan.candidateLimit, { id: plan.scope.id, group: null }), atOnce)
      : null

  const opened = yield* openSections(store, session, plan, deadlines)
  const stands = indexStatus === null ? null : yield* attempt(plan.allowPartial)(Fiber.join(indexStatus))
  const { entityId } = opened
  if (entityId === null) return yield* new AccessDenied()

  const appeals = Effect.gen(function* () {
    const { group } = opened
    const again = (limit: number) => search(limit, { id: entityId, group })
    // A client who was merged into another is searched as that one.
    const first = yield* early !== null && entityId === plan.scope.id
      ? Fiber.join(early)
      : again(plan.candidateLimit)
    return yield* withDeadline(
      deadlines.recheck,
      "database"
    )(recheckAppeals(store, session, plan, first, again))
  }).pipe(attempt(plan.allowPartial))
  const { memoryStatus, ...evidence } = yield* Effect.all(
    {
      appeals:
        stands === null
          ? Effect.succeed(null)
          : stands._tag === "Unavailable"
            ? Effect.succeed(stands)
            : appeals,
      memories: plan.memories
        ? remembered(sources, session, plan, entityId, deadlines)
        : Effect.succeed(null),
      memoryStatus: plan.memories ? memoryStatusOf(sources, session, deadlines) : Effect.succeed(null)
    },
    { concurrency: "unbounded" }
  )
  return {
    opened,
    memoryStatus: evidence.memories?._tag === "Available" ? memoryStatus : null,
    evidence: {
      ...evidence,
      conversations: plan.conversations ? opened.parts.conversations : null,
      interactions: plan.interactions ? opened.parts.interactions : null
    },
    indexStatus: stands?._tag === "Available" ? stands.value : null
  }
})

/** What is to be confirmed before it leaves. */
export type Shown = Pick<Confirmation, "appealIds" | "namedAppealIds" | "propertyDefinitionIds">

/** All that was gathered, whether or not the budget leaves it in. */
export const shownOf = ({ evidence, opened }: Gathered): Shown => {
  const { actions, conversations, interactions, properties } = opened.parts
  const named = [
    ...(actions?._tag === "Available" ? actions.value.rows : []),
    ...(conversations?._tag === "Available" ? conversations.value : []),
    ...(interactions?._tag === "Available" ? interactions.value : []),
    ...(evidence.memories?._tag === "Available" ? evidence.memories.value.memories : [])
  ].flatMap(({ appealId }) => appealId ?? [])
  return {
    appealIds:
      evidence.appeals?._tag === "Available"
        ? evidence.appeals.value.chosen.appeals.map(({ appealId }) => appealId)
        : [],
    namedAppealIds: [...new Set(named)],
    propertyDefinitionIds:
      properties?._tag === "Available"
        ? properties.value.flatMap(({ definitionId }) => definitionId ?? [])
        : []
  }
}

/** The search is under way before the first statement is sent. */
const atOnce = { startImmediately: true } as const

const searching =
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

/** Null where it is not known: then nothing was found either. */
const memoryStatusOf = ({ memory }: Sources, session: AuthorizedSession, deadlines: Deadlines) =>
  memory.status(session.instanceId).pipe(
    withDeadline(deadlines.search, "client_memory"),
    Effect.orElseSucceed(() => null)
  )

const remembered = (
  { memory }: Sources,
  session: AuthorizedSession,
  plan: ContextPlan,
  entityId: number,
  deadlines: Deadlines
) =>
  memory
    .find({
      caller: session,
      clientId: entityId,
      seesAll: appealVisibilityOf(session).everything,
      sought: plan.sought,
      from: plan.from,
      to: plan.to,
      limit: plan.topK,
      deadline: Math.min(deadlines.search, deadlines.answer)
    })
    .pipe(
      withDeadline(deadlines.search, "client_memory"),
      attempt(plan.allowPartial),
      inSpan("ContextReader.remember")
    )

type Part = "state" | "actions" | "properties" | "conversations" | "interactions" | "quarantinedMemories"

/** Each part that was asked for and may be read, or why it is missing; else null. */
export type Parts = { readonly [P in Part]: Attempted<NonNullable<OpenedParts[P]>> | null }

export interface OpenedSections extends Pick<Opened, "databaseAt" | "entityId"> {
  /** Null where the sections were read in statements of their own. */
  readonly snapshot: Confirmation["snapshot"]
  readonly group: OpenedParts["group"]
  readonly parts: Parts
}

/** The right to read, with the sections that were read. */
interface OpenedRead extends Pick<OpenedSections, "parts" | "snapshot"> {
  readonly right: Opened
}

/** Opens the entity with these needs until a deadline. */
type Open = (needs: OpenNeeds, deadline: number) => Effect.Effect<Opened, SourceUnavailable>

/**
 * Reads the sections together with the right to read them. Fails where nothing may be answered: no database, no capability, or
 * (without allowPartial) a context store not ready.
 */
const openSections = traced("ContextReader.open")(
  Effect.fnUntraced(function* (
    store: ContextStore["Service"],
    caller: AuthorizedSession,
    plan: ContextPlan,
    deadlines: Deadlines
  ): Effect.fn.Return<OpenedSections, SourceUnavailable | SearchUnavailable> {
    const open: Open = (needs, deadline) =>
      store.open(caller, plan.scope, needs).pipe(withDeadline(deadline, "database"))
    const { parts, right, snapshot } = yield* openParts(open, plan, deadlines)
    if (!right.capabilityEnabled) return yield* new SearchUnavailable({ reason: "capability_disabled" })
    if (!right.contextStoreReady && !plan.allowPartial) {
      return yield* new SearchUnavailable({ reason: "context_store_not_ready" })
    }
    return {
      databaseAt: right.databaseAt,
      entityId: right.entityId,
      snapshot,
      group: right.parts.group,
      parts: right.contextStoreReady ? parts : withoutStore(plan, parts)
    }
  })
)

/** All parts in one statement; with allowPartial, where that takes too long, a statement for each of them. */
const openParts = (
  open: Open,
  plan: ContextPlan,
  deadlines: Deadlines
): Effect.Effect<OpenedRead, SourceUnavailable | SearchUnavailable> => {
  const needs = needsOf(plan)
  const together = Effect.map(open(needs, deadlines.open), (right): OpenedRead => ({
    right,
    parts: partsOf(right.parts),
    snapshot: right.snapshot
  }))
  return plan.allowPartial
    ? Effect.catchIf(
        together,
        ({ reason }) => reason === "timeout",
        () => separately(open, needs, deadlines)
      )
    : together
}

const nothing: Omit<OpenNeeds, "maxResponseBytes"> = {
  state: false,
  actions: null,
  properties: false,
  conversations: null,
  interactions: null,
  memories: false,
  group: false,
  from: null,
  to: null
}

const needsOf = (plan: ContextPlan): OpenNeeds => ({
  state: plan.sections.has("state"),
  actions: plan.sections.has("actions") ? plan.actions : null,
  properties: plan.sections.has("properties"),
  conversations: plan.conversations ? plan.topK : null,
  interactions: plan.interactions ? plan.topK : null,
  memories: plan.memories,
  maxResponseBytes: plan.maxResponseBytes,
  group: plan.scope.entity === "skill_group" && plan.appealLists.length > 0,
  from: plan.from,
  to: plan.to
})

const partOf = <A>(value: A | null): Attempted<A> | null => (value === null ? null : available(value))

const partsOf = (opened: OpenedParts): Parts => ({
  state: partOf(opened.state),
  actions: partOf(opened.actions),
  properties: partOf(opened.properties),
  conversations: partOf(opened.conversations),
  interactions: partOf(opened.interactions),
  quarantinedMemories: partOf(opened.quarantinedMemories)
})

/** The right, and in parallel each part by its own statement: one that still takes too long is missing with reason timeout. */
const separately = (
  open: Open,
  needs: OpenNeeds,
  deadlines: Deadlines
): Effect.Effect<OpenedRead, SourceUnavailable | SearchUnavailable> => {
  const {
    actions,
    conversations,
    from,
    group,
    interactions,
    maxResponseBytes,
    memories,
    properties,
    state,
    to
  } = needs
  const part = <A>(need: Partial<OpenNeeds>, select: (opened: OpenedParts) => A | null) =>
    Object.values(need).every((one) => one === null || one === false)
      ? Effect.succeed(null)
      : open({ ...nothing, from, maxResponseBytes, to, ...need }, deadlines.sections).pipe(
          Effect.map((opened) => select(opened.parts)),
          attempt(true),
          Effect.map((tried): Attempted<A> | null =>
            tried._tag === "Unavailable" ? tried : partOf(tried.value)
          )
        )
  const parts = {
    state: part({ state }, (opened) => opened.state),
    actions: part({ actions }, (opened) => opened.actions),
    properties: part({ properties }, (opened) => opened.properties),
    conversations: part({ conversations }, (opened) => opened.conversations),
    interactions: part({ interactions }, (opened) => opened.interactions),
    quarantinedMemories: part({ memories }, (opened) => opened.quarantinedMemories)
  }
  return Effect.all(
    {
      right: open({ ...nothing, maxResponseBytes, group }, deadlines.recheck),
      parts: Effect.all(parts, { concurrency: "unbounded" }),
      snapshot: Effect.succeed(null)
    },
    { concurrency: "unbounded" }
  )
}

const without = <A>(part: A | null) => (part === null ? null : unavailable("context_store_not_ready"))

/** What a context store that is not ready cannot give; the state of operators and groups does not come from it. */
const withoutStore = (plan: ContextPlan, parts: Parts): Parts => {
  return {
    ...parts,
    state: plan.scope.entity === "client" ? without(parts.state) : parts.state,
    actions: without(parts.actions),
    conversations: without(parts.conversations),
    interactions: without(parts.interactions)
  }
}
