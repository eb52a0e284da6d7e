// Reads the audit log (contract §9, "Audit log").
import { auditLog as collection } from "@rapport/contract/audit/AuditApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import type { ListPage } from "../lists/ListRequest.ts"
import { type ListParameters, type PageFailure, Pages } from "../lists/Pages.ts"
import type { ListMethod } from "../lists/StoreMethods.ts"

/** Port of stored entries of the caller's instance. */
export class AuditEntryStore extends Context.Service<
  AuditEntryStore,
  {
    readonly list: ListMethod
  }
>()("core/audit/AuditEntryStore") {}

export class AuditEntries extends Context.Service<
  AuditEntries,
  {
    readonly list: (
      session: AuthorizedSession,
      parameters: ListParameters
    ) => Effect.Effect<ListPage, PageFailure>
  }
>()("core/audit/AuditEntries") {
  static readonly layer = Layer.effect(
    AuditEntries,
    Effect.gen(function* () {
      const store = yield* AuditEntryStore
      const pages = yield* Pages
      return AuditEntries.of({
        list: (session, parameters) =>
          pages.page({
            session,
            collection,
            parameters,
            access: Permissions.require(session, "audit.read"),
            rows: (request) => store.list(session, request)
          })
      })
    })
  )
}
