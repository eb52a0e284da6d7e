// The context store's writing rooms joined: handlers, use cases, stores in PostgreSQL (docs/contract.md §4, §5).
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { Layer } from "effect"
import { clientContextLayer } from "../http/handlers/ClientContextHttp.ts"
import { importsLayer } from "../http/handlers/ImportsHttp.ts"
import { sessionsLayer } from "../http/handlers/SessionsHttp.ts"
import * as ClientContextStorePostgres from "../postgres/clients/ClientContextStorePostgres.ts"
import * as ImportStorePostgres from "../postgres/imports/ImportStorePostgres.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import * as SessionStorePostgres from "../postgres/sessions/SessionStorePostgres.ts"

const stores = Layer.mergeAll(
  ClientContextStorePostgres.layer,
  SessionStorePostgres.layer,
  ImportStorePostgres.layer,
  ReceiptsPostgres.layer
)

/** Needs SqlClient, Cursors and SecureRandom; a part of the composition root, kept apart so that tests join the same. */
export const contextWriteRooms = Layer.mergeAll(clientContextLayer, sessionsLayer, importsLayer).pipe(
  Layer.provide(Layer.mergeAll(ClientContext.layer, Sessions.layer, Imports.layer)),
  Layer.provide(Pages.layer),
  Layer.provide(stores)
)
