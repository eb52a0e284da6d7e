// Reads the audit log (contract §9, "Audit log").
import { auditLog as collection } from "@rapport/contract/audit/AuditApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import { listUseCase } from "../lists/RecordUseCases.ts"
import type { ListMethod } from "../lists/StoreMethods.ts"

/** Port of stored entries of the caller's instance. */
export class AuditEntryStore extends Context.Service<
  AuditEntryStore,
  {
    readonly list: ListMethod
  }
>()("core/audit/AuditEntryStore") {}

const access = (session: AuthorizedSession) => Permissions.require(session, "audit.read")

export class AuditEntries extends Context.Service<AuditEntries>()("core/audit/AuditEntries", {
  make: Effect.gen(function* () {
    const store = yield* AuditEntryStore
    const pages = yield* Pages
    return { list: listUseCase(pages, { collection, access, list: store.list }) }
  })
}) {
  static readonly layer = Layer.effect(AuditEntries, AuditEntries.make)
}
