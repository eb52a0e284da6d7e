// Changes of many records in one request, each with the outcome of its own request (contract §1.3, "Bulk changes").
import { Schema } from "effect"
import { Violation } from "../Errors.ts"
import { BULK_CHANGES_MAX } from "../Limits.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { createErrors } from "./RecordRoutes.ts"
import { repetitionsIn, withRules } from "../values/Checks.ts"
import { PositiveInt, Version } from "../values/Ids.ts"

/** Each record is changed once. */
const idsOnce = withRules((body) => repetitionsIn(body, "changes", "id", "must not repeat a record"))

const message = `must have 1 to ${BULK_CHANGES_MAX} items`

/** `patch` are the members of a PATCH without its expected version. */
export const bulkRequest = <Patch extends Schema.Struct.Fields>(patch: Patch, identifier: string) =>
  idsOnce(
    Schema.Struct({
      changes: Schema.Array(
        Schema.Struct({ ...patch, id: PositiveInt, expectedVersion: Version }).annotate({ identifier })
      ).check(Schema.isMinLength(1, { message }), Schema.isMaxLength(BULK_CHANGES_MAX, { message }))
    })
  )

/** The members of a problem that say what was wrong with one change. */
export const ChangeError = Schema.Struct({
  code: Schema.String,
  detail: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Violation)),
  currentVersion: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "ChangeError" })

export const bulkAnswer = <R extends Schema.Top>(record: R, identifier: string) =>
  Schema.Struct({
    results: Schema.Array(
      Schema.Struct({
        id: PositiveInt,
        status: Schema.Int.annotate({ description: "The HTTP status of a request with only this change" }),
        replayed: Schema.Boolean,
        record: Schema.NullOr(record),
        error: Schema.NullOr(ChangeError)
      }).annotate({ identifier: `${identifier}Result` })
    )
  }).annotate({ identifier: `${identifier}Results` })

export const bulkRoute = <Request extends Schema.Top, Answer extends Schema.Top>(
  payload: Request,
  success: Answer
) => ({ headers: idempotencyHeaders, payload, success, error: createErrors })

export const describeBulk = (noun: string): string =>
  `Up to 100 changes of different ${noun}s, one after the other, each with the outcome of its own request. A change that fails does not affect others. The Idempotency-Key counts for each ${noun}. Every 10 changes, or a part of them, count as one request. Requires ${noun}s.manage.`
