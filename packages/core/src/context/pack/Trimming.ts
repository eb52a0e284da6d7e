// How much of each list of a draft a pack shows, and the order in which what does not fit gives way (docs/contract.md
// §3.2, "trimming"). Pure: the order never depends on the budget, so a larger budget never shows less.
import { ACTIONS_KEPT_LAST, EVIDENCE_KEPT_LAST, PAYLOAD_KEPT_BYTES_MAX } from "../PackLimits.ts"
import type { ActionJson, Cited, PackDraft } from "./PackDraft.ts"
import { UNIT_BYTES_MAX, bytesOf } from "./Tokens.ts"

/** How much of each list of a draft is shown; lists lose their last members. */
export interface Kept {
  /** Namespaces, by index, whose state gives way to null. */
  readonly withoutState: ReadonlySet<number>
  /** Actions, by index, whose payload gives way to {}. */
  readonly withoutPayload: ReadonlySet<number>
  readonly actions: number
  readonly appeals: number
  /** Of each appeal. */
  readonly snippets: ReadonlyArray<number>
  readonly conversations: number
  readonly interactions: number
  readonly memories: number
}

/** One thing that gives way. */
type Step = (kept: { -readonly [Part in keyof Kept]: Mutable<Kept[Part]> }) => void
type Mutable<A> = A extends ReadonlySet<infer B> ? Set<B> : A extends ReadonlyArray<infer B> ? Array<B> : A

const indexesLeft = (items: ReadonlyArray<Cited<unknown>>): Set<number> =>
  new Set(items.flatMap(({ leftBytes }, index) => (leftBytes === undefined ? [] : [index])))

/** What is shown once the first `count` of the steps are done. What was left in the database is never shown. */
export const keptAfter = (draft: PackDraft, steps: ReadonlyArray<Step>, count: number): Kept => {
  const { actions, evidence, state } = draft
  const kept = {
    withoutState: state?._tag === "Namespaces" ? indexesLeft(state.namespaces) : new Set<number>(),
    withoutPayload: actions?._tag === "Actions" ? indexesLeft(actions.items) : new Set<number>(),
    actions: actions?._tag === "Actions" ? actions.items.length : 0,
    appeals: evidence?.appeals.length ?? 0,
    snippets: evidence?.appeals.map(({ snippets }) => snippets.length) ?? [],
    conversations: evidence?.conversations.length ?? 0,
    interactions: evidence?.interactions.length ?? 0,
    memories: evidence?.memories.length ?? 0
  }
  for (const step of steps.slice(0, count)) step(kept)
  return kept
}

/** Everything that may go, the least important first. */
export const stepsOf = (draft: PackDraft, allowPartial: boolean): ReadonlyArray<Step> => {
  const evidence = evidenceSteps(draft)
  const actions = actionSteps(draft)
  const [lastEvidence, lastAction] = [evidence.last.at(-1), actions.last[0]]
  return [
    ...payloadSteps(draft),
    ...snippetSteps(draft),
    ...evidence.first,
    ...actions.first,
    ...evidence.last.slice(0, -1),
    // No section that was asked for vanishes while another is whole: with the last of the evidence goes an action.
    ...(lastEvidence === undefined
      ? []
      : [
          (kept: Parameters<Step>[0]) => {
            lastEvidence(kept)
            if (actions.first.length === 0) lastAction?.(kept)
          }
        ]),
    ...actions.last.slice(lastEvidence !== undefined && actions.first.length === 0 ? 1 : 0),
    ...(allowPartial ? namespaceSteps(draft) : [])
  ]
}

/** Of a payload that may be large; 0 of one that was left in the database. */
const payloadBytes = ({ known, leftBytes, text, value }: Cited<ActionJson>): number =>
  leftBytes !== undefined || (text !== null && text.length * UNIT_BYTES_MAX <= PAYLOAD_KEPT_BYTES_MAX)
    ? 0
    : heldBytes({ known }, value.payload)

/** Bytes of the state or the payload that a part of a pack holds, as JSON. */
export const heldBytes = ({ known }: Pick<Cited<unknown>, "known">, held: unknown): number =>
  (known.heldBytes ??= bytesOf(held))

/** 0: payloads above 4 KiB, the largest first. */
const payloadSteps = ({ actions }: PackDraft): ReadonlyArray<Step> => {
  if (actions?._tag !== "Actions") return []
  return actions.items
    .map((action, index) => ({ index, bytes: payloadBytes(action) }))
    .filter(({ bytes }) => bytes > PAYLOAD_KEPT_BYTES_MAX)
    .toSorted((a, b) => b.bytes - a.bytes || b.index - a.index)
    .map(
      ({ index }): Step =>
        (kept) =>
          void kept.withoutPayload.add(index)
    )
}

/** 1: the lowest-scored snippets beyond the first of each appeal; null is lowest, of equal ones the lowest-ranked. */
const snippetSteps = ({ evidence }: PackDraft): ReadonlyArray<Step> =>
  (evidence?.appeals ?? [])
    .flatMap(({ snippets }, appeal) =>
      snippets.slice(1).map(({ value }, i) => ({ score: value.score ?? -1, appeal, index: i + 1 }))
    )
    .toSorted((a, b) => a.score - b.score || b.appeal - a.appeal || b.index - a.index)
    .map(
      ({ appeal }): Step =>
        (kept) =>
          void (kept.snippets[appeal] = (kept.snippets[appeal] ?? 1) - 1)
    )

/**
 * 2 and 4: what is lowest in its list, down to the third, and in the end the rest; of equal places the interaction goes
 * first, the appeal last.
 */
const evidenceSteps = ({ evidence }: PackDraft) => {
  if (evidence === null) return { first: [], last: [] }
  const lists = (["interactions", "memories", "conversations", "appeals"] as const).map((name) => ({
    length: evidence[name].length,
    step: (kept: Parameters<Step>[0]) => void (kept[name] -= 1)
  }))
  const longest = Math.max(...lists.map(({ length }) => length))
  const from = (first: number, end: number): ReadonlyArray<Step> =>
    Array.from({ length: Math.max(0, first - end) }, (_, i) => first - 1 - i).flatMap((place) =>
      lists.flatMap(({ length, step }) => (place < length ? [step] : []))
    )
  return { first: from(longest, EVIDENCE_KEPT_LAST), last: from(Math.min(longest, EVIDENCE_KEPT_LAST), 0) }
}

const dropAction: Step = (kept) => void (kept.actions -= 1)

/** 3 and 5: the oldest actions, down to the five newest, and in the end these. */
const actionSteps = ({ actions }: PackDraft) => {
  const length = actions?._tag === "Actions" ? actions.items.length : 0
  const last = Math.min(length, ACTIONS_KEPT_LAST)
  return {
    first: Array.from({ length: length - last }, () => dropAction),
    last: Array.from({ length: last }, () => dropAction)
  }
}

/** With allowPartial: the largest namespaces, as long as naming one takes less than it holds. */
const namespaceSteps = ({ state }: PackDraft): ReadonlyArray<Step> =>
  state?._tag === "Namespaces"
    ? state.namespaces
        .map((namespace, index) => ({
          index,
          bytes: namespace.leftBytes === undefined ? heldBytes(namespace, namespace.value.state) : 0
        }))
        .filter(({ bytes }) => bytes > STATE_NAMED_BYTES)
        .toSorted((a, b) => b.bytes - a.bytes || a.index - b.index)
        .map(
          ({ index }): Step =>
            (kept) =>
              void kept.withoutState.add(index)
        )
    : []
/** What coverage says about a namespace that gave way takes about as much. */
const STATE_NAMED_BYTES = 200

/** Snippets of the appeals that are kept. */
export const snippetsShown = (kept: Kept): number => sum(kept.snippets.slice(0, kept.appeals))

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, n) => total + n, 0)
