// Export or erasure of all data of a client (contract §9, "Clients").
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ClientErasure } from "@rapport/contract/clients/ClientsApi.ts"
import { NotFound, SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer, Stream } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { actorOf } from "../audit/AuditLog.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { sentBackJson } from "../json/SentBackJson.ts"
import { pageTexts } from "../lists/ListLines.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult } from "../receipts/Writes.ts"
import { type ClientDataPosition, ClientDataStore, type StoredClient } from "./ClientDataStore.ts"

export class ClientData extends Context.Service<ClientData>()("core/clients/ClientData", {
  make: Effect.gen(function* () {
    const store = yield* ClientDataStore
    const receipts = yield* Receipts
    return {
      /** One line of JSON for each record. The first page is read before the response starts, the others on demand. */
      export: Effect.fn("ClientData.export")(function* (session: AuthorizedSession, id: number) {
        yield* Permissions.require(session, "clients.erase")
        const client = (yield* store.find(session.instanceId, id)) ?? (yield* new NotFound())
        yield* store.exported(client, actorOf(session))
        const lines = yield* clientLines(store, client)
        return Stream.mapError(lines, ({ reason }) => SearchUnavailable.of(reason))
      }, orUnavailable),

      /** Begins the erasure, or returns its progress. */
      erase: Effect.fn("ClientData.erase")(function* (
        session: AuthorizedSession,
        id: number,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "clients.erase")
        const command = { operation: "client.erase", pathIds: [id], content: {} }
        return yield* receipts.once({ caller: session, command, key, answer: ClientErasure }, () =>
          Effect.gen(function* () {
            const begun = yield* store.beginErasure(session.instanceId, id, actorOf(session))
            if (begun === undefined) return yield* new NotFound()
            const { clientId, erased, finishedAt, requestedAt, status } = begun
            return firstResult({ clientId, erased, finishedAt, requestedAt, status })
          })
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(ClientData, ClientData.make)
}

const FIRST: ClientDataPosition = { part: 0, after: null }

/** One text for each page. The first page is read immediately, the others on demand. */
export const clientLines = (store: ClientDataStore["Service"], client: StoredClient) =>
  pageTexts(
    FIRST,
    (place) => store.page(client, place),
    ({ records }) => records.map((record) => `${sentBackJson(record)}\n`).join(""),
    ({ next }) => next
  )
