// Import batches: up to 100 items, committed one by one with a checkpoint, and resumable (contract §5).
import { Predicate, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActionRequest, StateRequest, StateUpdate } from "../clients/ClientContextApi.ts"
import { IdempotencyKeyRequired, PayloadTooLarge, RateLimited } from "../Errors.ts"
import { BodyBytesMax } from "../http/RequestBody.ts"
import { PositiveInt, Uuid, UuidV7 } from "../values/Ids.ts"
import { BODY_BYTES_IMPORT_MAX, IMPORT_ITEMS_MAX } from "../Limits.ts"
import { AnyObject, ExternalId, ShortText } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { keyRequired } from "../receipts/IdempotencyKey.ts"
import { withContentRule, SessionMessageRequest, SessionRequest } from "../sessions/SessionsApi.ts"
import { RatePolicy, policies } from "../http/RateLimits.ts"
import { createRoute, getRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"
import { withRules } from "../values/Checks.ts"

/** A fault in `data` fails only its item. */
export const ImportItem = Schema.Struct({
  kind: Schema.Literals(["action", "state", "session", "message"]),
  clientId: Schema.optionalKey(PositiveInt),
  sessionExternalId: Schema.optionalKey(ExternalId),
  externalId: ExternalId,
  data: AnyObject
}).annotate({
  identifier: "ImportItem",
  description:
    "`data` is the body of the matching route without its external id, source and clientId. For a state it also has the namespace, and expectedVersion is optional"
})
export type ImportItem = typeof ImportItem.Type

/** Only a message names its session. A missing clientId fails only its item (contract §5). */
const sessionsNamed = withRules(({ items }) =>
  (Array.isArray(items) ? items : []).flatMap((item: unknown, i) => {
    if (!Predicate.isReadonlyObject(item)) return []
    const isNamed = Object.hasOwn(item, "sessionExternalId")
    const path = `items[${i}].sessionExternalId`
    if (item["kind"] === "message") return isNamed ? [] : [{ path, message: "is required for a message" }]
    return isNamed ? [{ path, message: "is allowed only for a message" }] : []
  })
)

export const ImportRequest = sessionsNamed(
  Schema.Struct({
    source: ShortText,
    items: Schema.Array(ImportItem).check(
      Schema.isMinLength(1, { message: `must have 1 to ${IMPORT_ITEMS_MAX} items` }),
      Schema.isMaxLength(IMPORT_ITEMS_MAX, { message: `must have 1 to ${IMPORT_ITEMS_MAX} items` })
    )
  })
).annotate({
  identifier: "ImportRequest",
  examples: [
    {
      source: "old-desk",
      items: [
        {
          kind: "action",
          clientId: 501,
          externalId: "a-1",
          data: { type: "order.created", occurredAt: "2025-03-01T08:00:00.000Z", actorType: "client" }
        }
      ]
    }
  ]
})
export type ImportRequest = typeof ImportRequest.Type

/** The schema of `data`, by kind. */
export const ImportedAction = Schema.Struct(Struct.omit(ActionRequest.fields, ["externalEventId", "source"]))
export const ImportedState = Schema.Struct({
  ...Struct.omit(StateRequest.fields, ["expectedVersion"]),
  namespace: StateUpdate.fields.namespace,
  expectedVersion: Schema.optionalKey(StateRequest.fields.expectedVersion)
})
export const ImportedSession = Schema.Struct(
  Struct.omit(SessionRequest.fields, ["clientId", "externalSessionId"])
)
export const ImportedMessage = withContentRule(
  Schema.Struct(Struct.omit(SessionMessageRequest.fields, ["externalMessageId"]))
)

export const ImportedItem = Schema.Struct({
  index: Schema.Int,
  status: Schema.Literals(["succeeded", "failed", "replayed"]),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ImportedItem" })
export type ImportedItem = typeof ImportedItem.Type

export const ImportBatch = Schema.Struct({
  id: UuidV7,
  status: Schema.Literals(["running", "completed", "completed_with_errors"]),
  checkpoint: Schema.Struct({ nextIndex: Schema.Int }),
  total: Schema.Int,
  succeeded: Schema.Int.annotate({ description: "Includes replayed items" }),
  failed: Schema.Int,
  items: Schema.Array(ImportedItem).annotate({ description: "The items that are done" })
}).annotate({ identifier: "ImportBatch" })
export type ImportBatch = typeof ImportBatch.Type

const ImportAnswer = Schema.Struct({ replayed: Schema.Boolean, batch: ImportBatch }).annotate({
  identifier: "ImportAnswer"
})

export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.post(
      "createImportBatch",
      "/kw/context/import-batches",
      createRoute(ImportRequest, ImportAnswer, IdempotencyKeyRequired, PayloadTooLarge, RateLimited)
    )
      .annotate(RatePolicy, policies.contextWrite)
      .annotate(BodyBytesMax, BODY_BYTES_IMPORT_MAX)
      .annotateMerge(keyRequired)
      .pipe(
        operation(
          "Import a batch",
          "1 to 100 items, at most 1 MiB. Each item is committed on its own. The same request with the same Idempotency-Key resumes where it stopped. Every 25 items, or a part of them, count as one write. Requires imports.write."
        )
      ),
    HttpApiEndpoint.get(
      "getImportBatch",
      "/kw/context/import-batches/:batch_id",
      getRoute({ batch_id: Uuid }, ImportBatch)
    ).pipe(operation("Get an import batch", "Shows the progress while it runs. Requires imports.write."))
  )
  .pipe(withSession("Imports", "History from other systems.")) {}
