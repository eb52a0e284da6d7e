// The audit log over HTTP (docs/contract.md §9).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { AuditEntries } from "@rapport/core/audit/AuditEntries.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { asked } from "./Listed.ts"

export const auditLayer = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const entries = yield* AuditEntries
    return handlers.handle("listAuditLog", ({ query }) =>
      Effect.gen(function* () {
        return HttpServerResponse.jsonUnsafe(yield* entries.list(yield* CurrentSession, yield* asked(query)))
      })
    )
  })
)
