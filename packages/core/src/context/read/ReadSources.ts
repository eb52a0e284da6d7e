// Reads everything that a pack needs: the database and the search beside each other, then what the search found.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { AccessDenied, type SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Fiber } from "effect"
import { appealVisibilityOf } from "../../search/EvidenceFilter.ts"
import type { ClientMemory } from "../../memory/ClientMemory.ts"
import { SourceUnavailable, attempt, withDeadline } from "../../failures/SourceUnavailable.ts"
import type { DocumentIndex, IndexStatus } from "../../search/DocumentIndex.ts"
import { recheckAppeals, searchAppeals, searchScope } from "../evidence/AppealSearch.ts"
import type { ContextPlan, Deadlines } from "./ContextPlan.ts"
import type { ContextStore, OpenedParts } from "./ContextStore.ts"
import type { EvidenceParts } from "../evidence/EvidenceDraft.ts"
import { type OpenedSections, openSections, type SessionStale } from "./OpenSections.ts"
import { inSpan } from "../../tracing/Traced.ts"

/** The sources of a read. */
export interface Sources {
  readonly store: ContextStore["Service"]
  readonly index: DocumentIndex
  readonly memory: ClientMemory["Service"]
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
): Effect.fn.Return<Gathered, AccessDenied | SearchUnavailable | SourceUnavailable | SessionStale> {
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
    const group = opened.group()
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
      conversations: plan.conversations ? opened.parts().conversations : null,
      interactions: plan.interactions ? opened.parts().interactions : null
    },
    indexStatus: stands?._tag === "Available" ? stands.value : null
  }
})

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
      query: plan.query,
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
