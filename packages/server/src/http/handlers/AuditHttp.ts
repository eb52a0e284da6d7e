// The audit log over HTTP (contract §9).
import { Api } from "@rapport/contract/Api.ts"
import { AuditEntries } from "@rapport/core/audit/AuditEntries.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { listHandler } from "./Records.ts"

export const auditLayer = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const entries = yield* AuditEntries
    return handlers.handleAll({
      listAuditLog: listHandler(entries.list)
    })
  })
)
