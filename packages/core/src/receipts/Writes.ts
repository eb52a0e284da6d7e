// What the writes of all modules share: a version that must still be the present one, records that a body names, one answer under a key.
import {
  type IdempotencyInProgress,
  type IdempotencyKeyReused,
  type QuotaExceeded,
  InvalidRequest,
  type SearchUnavailable,
  VersionConflict,
  type Violation
} from "@rapport/contract/Errors.ts"
import { VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import type { Writer } from "../audit/Writer.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Command, Effected, Receipt } from "./Receipts.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"

/** How any write under a key may fail beside its own errors. */
export type WriteFailure = IdempotencyInProgress | IdempotencyKeyReused | QuotaExceeded | SearchUnavailable

/** What a command without a key cannot meet. */
export const keyless = {
  IdempotencyInProgress: (failure: IdempotencyInProgress) => Effect.die(failure),
  IdempotencyKeyReused: (failure: IdempotencyKeyReused) => Effect.die(failure),
  // What deletes is never refused for what is stored.
  QuotaExceeded: (failure: QuotaExceeded) => Effect.die(failure)
}

/** Who makes a command, for its entry in the audit log. */
export const writerOf = (
  session: AuthorizedSession,
  { operation }: Command,
  key: string | null,
  { id }: Receipt
): Writer => ({ session, operation, receiptId: key === null ? null : id })

/** An answer that the command has only now got. */
export const fresh = <A>(answer: A): Effected<A> => ({ answer, replayed: false })

/** INVALID_REQUEST that names each violation, so many at most (contract §12, "Work of one request"). */
export const invalid = (violations: ReadonlyArray<Violation>): InvalidRequest => {
  const errors = violations.slice(0, VIOLATIONS_MAX)
  return new InvalidRequest({ detail: errors.map((v) => `${v.path} ${v.message}`).join("; "), errors })
}

/** The same words for a record that is unknown, foreign or not visible (contract §1.1, NOT_FOUND). */
export const unknownRecord = (path: string): Violation => ({
  path,
  message: "names no record that you may use"
})

/** The same of ids in an array, each at its place in the request. */
export const unknownAt = (
  path: string,
  ids: ReadonlyArray<number>,
  unknown: ReadonlyArray<number>
): ReadonlyArray<Violation> =>
  ids.flatMap((id, i) => (unknown.includes(id) ? [unknownRecord(`${path}[${i}]`)] : []))

/** Fails where there are violations. */
export const refuse = (errors: ReadonlyArray<Violation>): Effect.Effect<void, InvalidRequest> =>
  errors.length === 0 ? Effect.void : Effect.fail(invalid(errors))

/** Compare-and-set: the version that was read must be the present one. */
export const requireVersion = (present: number, expected: number): Effect.Effect<void, VersionConflict> =>
  present === expected ? Effect.void : Effect.fail(new VersionConflict({ currentVersion: present }))

/** The record with the members of the patch, or null when nothing would change. */
export const patched = <A extends object>(record: A, patch: Partial<A>): A | null => {
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

/** Each id once, ascending. */
export const distinctIds = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(ids)].toSorted((a, b) => a - b)
