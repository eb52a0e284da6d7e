// Changes of many records in one request (contract §1.3, "Bulk changes").
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import type { Violation } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { Permissions } from "../access/Permissions.ts"
import type { OnceResult } from "../receipts/Receipts.ts"
import type { IdempotencyKey } from "./Records.ts"

export interface BulkProblem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: ReadonlyArray<Violation>
  readonly currentVersion?: number
}
export type BulkUpdate<Change, A, E> = (
  session: AuthorizedSession,
  change: Change,
  key: IdempotencyKey
) => Effect.Effect<OnceResult<A>, E>
interface Options<Change, A, E, F, R> {
  readonly permission: Permission
  /** Charges the caller for the changes, after authorization and before any write. */
  readonly count: Effect.Effect<void, F, R>
  readonly update: BulkUpdate<Change, A, E>
}

/** Each change is a transaction of its own with a receipt of its own, so that a repeat continues after a failure. */
export const updateEach = Effect.fnUntraced(function* <
  Change extends { readonly id: number },
  A,
  E extends BulkProblem,
  F,
  R
>(
  { count, permission, update }: Options<Change, A, E, F, R>,
  session: AuthorizedSession,
  changes: ReadonlyArray<Change>,
  key: IdempotencyKey
) {
  yield* Permissions.require(session, permission)
  yield* count
  return yield* Effect.forEach(changes, (change) =>
    Effect.match(update(session, change, key === null ? null : `${key}/${change.id}`), {
      onSuccess: ({ answer, replayed }) => ({
        id: change.id,
        status: 200,
        replayed,
        record: answer,
        error: null
      }),
      onFailure: (problem) => ({
        id: change.id,
        status: problem.status,
        replayed: false,
        record: null,
        error: errorOf(problem)
      })
    })
  )
})

const errorOf = ({ code, currentVersion, detail, errors }: BulkProblem) => ({
  code,
  detail,
  ...(errors === undefined ? {} : { errors }),
  ...(currentVersion === undefined ? {} : { currentVersion })
})
