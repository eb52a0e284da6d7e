// The audit log: changes, logins, context reads and refused requests (contract §9).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PositiveInt } from "../values/Ids.ts"
import { collectionOf } from "../lists/Collection.ts"
import { operation } from "../documents/Operation.ts"
import { Time } from "../values/Time.ts"
import { listRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

export const actorTypes = ["user", "token", "system"] as const
export const decisions = ["allowed", "denied"] as const

/** `actsAs` is the user as whom a token acted. `details` has ids, names and counts, never a secret or the text of a message. */
export const AuditRecord = Schema.Struct({
  id: PositiveInt,
  action: Schema.String,
  actorType: Schema.Literals(actorTypes),
  actorId: Schema.NullOr(PositiveInt),
  actsAs: Schema.NullOr(PositiveInt),
  entity: Schema.NullOr(Schema.String),
  entityId: Schema.NullOr(Schema.String),
  decision: Schema.Literals(decisions),
  requestId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  createdAt: Time,
  details: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "AuditRecord" })

export const auditLog = collectionOf("audit-log", AuditRecord)

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get(
      "listAuditLog",
      "/kw/api/v1/audit-log",
      listRoute(auditLog, AuditRecord, "AuditLogList")
    ).pipe(
      operation(
        "List the audit log",
        "Every change, login and context read with its decision, newest first. Requires audit.read."
      )
    )
  )
  .pipe(withSession("Audit", "Who did what to which record.")) {}
