// Checks that the writes of all modules share.
import {
  type AccessDenied,
  InvalidRequest,
  type NotFound,
  QueryBudgetExceeded,
  type StateNotAllowed,
  VersionConflict,
  type Violation
} from "@rapport/contract/Errors.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { detailOf, type Fault } from "@rapport/contract/values/Faults.ts"
import { Effect, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import type { Command, OnceResult, Receipts } from "./Receipts.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"

/** A deletion in one transaction. It has no key, and quotas never refuse it. */
export const deletion = (
  receipts: Receipts["Service"],
  caller: Caller,
  command: Omit<Command, "content">,
  remove: () => Effect.Effect<void, AccessDenied | NotFound | StateNotAllowed | SourceUnavailable>
) =>
  receipts
    .once({ caller, command: { ...command, content: {} }, key: null, answer: Schema.Null }, () =>
      Effect.as(remove(), firstResult(null))
    )
    .pipe(
      Effect.catchTags({
        IdempotencyInProgress: Effect.die,
        IdempotencyKeyReused: Effect.die,
        QuotaExceeded: Effect.die
      }),
      Effect.asVoid
    )

/** The result of a write that is not a replay. */
export const firstResult = <A>(answer: A): OnceResult<A> => ({ answer, replayed: false })

/** INVALID_REQUEST with at most VIOLATIONS_MAX violations. */
export const invalidRequest = (violations: ReadonlyArray<Violation>): InvalidRequest => {
  const errors = violations.slice(0, VIOLATIONS_MAX)
  return new InvalidRequest({ detail: detailOf(errors), errors })
}

/** INVALID_REQUEST, or QUERY_BUDGET_EXCEEDED if all faults are exceeded maximums (contract §1 "Order of checks"). */
export const refusalOf = (faults: ReadonlyArray<Fault>): InvalidRequest | QueryBudgetExceeded => {
  const ofShape = faults.filter(({ isOverBudget }) => !isOverBudget)
  const errors = (ofShape.length > 0 ? ofShape : faults).map(({ message, path }): Violation => ({
    path,
    message
  }))
  const body = { detail: detailOf(errors), errors }
  return ofShape.length > 0 ? new InvalidRequest(body) : new QueryBudgetExceeded(body)
}

/** The same message whether the record is unknown or not visible (contract §1.1, NOT_FOUND). */
export const unknownRecord = (path: string): Violation => ({
  path,
  message: "names no record that you may use"
})

export const unknownFiles = (path: string): Violation => ({
  path,
  message: "must be files that you uploaded and that no message has"
})

/** The violations of unknown ids in an array. */
export const unknownAt = (
  path: string,
  ids: ReadonlyArray<number>,
  unknown: ReadonlyArray<number>
): ReadonlyArray<Violation> =>
  ids.flatMap((id, i) => (unknown.includes(id) ? [unknownRecord(`${path}[${i}]`)] : []))

export const requireNoViolations = (errors: ReadonlyArray<Violation>): Effect.Effect<void, InvalidRequest> =>
  errors.length === 0 ? Effect.void : Effect.fail(invalidRequest(errors))

export const requireVersion = (present: number, expected: number): Effect.Effect<void, VersionConflict> =>
  present === expected ? Effect.void : Effect.fail(new VersionConflict({ currentVersion: present }))

/** The patched record, or null without a change. */
export const applyPatch = <A extends object>(record: A, patch: Partial<A>): A | null => {
  const next = { ...record, ...patch }
  return canonicalJson(next) === canonicalJson(record) ? null : next
}

/** Names of the members that differ, for the audit log. */
export const changedMembers = <A extends object>(before: A, after: A): ReadonlyArray<string> => {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(after)
    .filter(([name, value]) => canonicalJson(value) !== canonicalJson(old.get(name)))
    .map(([name]) => name)
}

export const distinctIds = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(ids)].toSorted((a, b) => a - b)
