// Reads the sections together with the right to read them: in one statement, or one by one when that takes too long.
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Data, Effect } from "effect"
import type { Caller } from "../../access/Caller.ts"
import { CurrentSessionProof, isSameSession } from "../../access/SessionProof.ts"
import {
  type SourceUnavailable,
  attempt,
  type Attempted,
  available,
  unavailable,
  withDeadline
} from "../../failures/SourceUnavailable.ts"
import type { ContextPlan, Deadlines } from "./ContextPlan.ts"
import type { Confirmation, ContextStore, Opened, OpenedParts, OpenNeeds } from "./ContextStore.ts"
import { traced } from "../../tracing/Traced.ts"

type Part = "state" | "actions" | "properties" | "conversations" | "interactions" | "quarantinedMemories"

/** Each part that was asked for and may be read, or why it is missing; else null. */
export type Parts = { readonly [P in Part]: Attempted<NonNullable<OpenedParts[P]>> | null }

export interface OpenedSections extends Pick<Opened, "databaseAt" | "entityId"> {
  readonly snapshot: Confirmation["snapshot"]
  readonly group: () => OpenedParts["group"]
  readonly parts: () => Parts
  /** All that the parts say; null where they were read one by one, or one of them is missing. */
  readonly text: string | null
}

interface Found extends Pick<OpenedSections, "parts" | "snapshot" | "text"> {
  readonly right: Opened
}

type Store = ContextStore["Service"]

/** Fails where nothing may be answered: no database, no capability, or (without allowPartial) a context store not ready. */
export const openSections = traced("ContextReader.open")(
  Effect.fnUntraced(function* (
    store: Store,
    caller: AuthorizedSession,
    plan: ContextPlan,
    deadlines: Deadlines
  ): Effect.fn.Return<OpenedSections, SourceUnavailable | SearchUnavailable | SessionStale> {
    const proof = yield* CurrentSessionProof
    const needs = needsOf(plan, proof !== null)
    const whole = Effect.map(
      store.open(caller, plan.scope, needs).pipe(withDeadline(deadlines.open, "database")),
      (opened): Found => ({
        right: opened,
        parts: () => partsOf(opened.parts()),
        snapshot: opened.snapshot,
        text: opened.text
      })
    )
    const { parts, right, snapshot, text } = yield* plan.allowPartial
      ? Effect.catchIf(
          whole,
          ({ reason }) => reason === "timeout",
          () => oneByOne(store, caller, plan, needs, deadlines)
        )
      : whole
    if (proof !== null) {
      proof.state = right.session !== null && isSameSession(right.session, caller) ? "proven" : "stale"
      if (proof.state === "stale") return yield* new SessionStale()
    }
    if (!right.capabilityEnabled) return yield* new SearchUnavailable({ reason: "capability_disabled" })
    if (!right.contextStoreReady && !plan.allowPartial) {
      return yield* new SearchUnavailable({ reason: "context_store_not_ready" })
    }
    const { contextStoreReady, databaseAt, entityId } = right
    return {
      databaseAt,
      entityId,
      snapshot,
      group: () => right.parts().group,
      parts: contextStoreReady ? parts : () => withoutStore(plan, parts()),
      text: contextStoreReady ? text : null
    }
  })
)

/** The read was begun with a session that has changed or ended. */
export class SessionStale extends Data.TaggedError("SessionStale") {}

const nothing: Omit<OpenNeeds, "maxResponseBytes"> = {
  state: false,
  actions: null,
  properties: false,
  conversations: null,
  interactions: null,
  memories: false,
  group: false,
  from: null,
  to: null,
  session: false
}

const needsOf = (plan: ContextPlan, session: boolean): OpenNeeds => ({
  state: plan.sections.has("state"),
  actions: plan.sections.has("actions") ? plan.actions : null,
  properties: plan.sections.has("properties"),
  conversations: plan.conversations ? plan.topK : null,
  interactions: plan.interactions ? plan.topK : null,
  memories: plan.memories,
  maxResponseBytes: plan.maxResponseBytes,
  group: plan.scope.entity === "skill_group" && plan.appealLists.length > 0,
  from: plan.from,
  to: plan.to,
  session
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

/** The right alone, and beside it each section by itself: what still takes too long is missing with reason timeout. */
const oneByOne = (
  store: Store,
  caller: Caller,
  plan: ContextPlan,
  needs: OpenNeeds,
  deadlines: Deadlines
): Effect.Effect<Found, SourceUnavailable | SearchUnavailable> => {
  const { from, group, maxResponseBytes, session, to } = needs
  const part = <A>(select: (opened: OpenedParts) => A | null, need: Partial<OpenNeeds>) =>
    Object.values(need).every((one) => one === null || one === false)
      ? Effect.succeed(null)
      : store.open(caller, plan.scope, { ...nothing, from, maxResponseBytes, to, ...need }).pipe(
          withDeadline(deadlines.sections, "database"),
          Effect.map((opened) => select(opened.parts())),
          attempt(true),
          Effect.map((tried): Attempted<A> | null =>
            tried._tag === "Unavailable" ? tried : partOf(tried.value)
          )
        )
  const { actions, conversations, interactions, memories, properties, state } = needs
  return Effect.all(
    {
      right: store
        .open(caller, plan.scope, { ...nothing, maxResponseBytes, group, session })
        .pipe(withDeadline(deadlines.recheck, "database")),
      parts: Effect.all(
        {
          state: part((opened) => opened.state, { state }),
          actions: part((opened) => opened.actions, { actions }),
          properties: part((opened) => opened.properties, { properties }),
          conversations: part((opened) => opened.conversations, { conversations }),
          interactions: part((opened) => opened.interactions, { interactions }),
          quarantinedMemories: part((opened) => opened.quarantinedMemories, { memories })
        },
        { concurrency: "unbounded" }
      ),
      snapshot: Effect.succeed(null)
    },
    { concurrency: "unbounded" }
  ).pipe(Effect.map((found): Found => ({ ...found, parts: () => found.parts, text: null })))
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
