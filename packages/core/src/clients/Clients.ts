// The use cases of clients (contract §2, §9).
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import {
  Client,
  type ClientPatch,
  type ClientRequest,
  clients as collection,
  CreatedClient
} from "@rapport/contract/clients/ClientsApi.ts"
import { distinctOf } from "@rapport/contract/values/Distinct.ts"
import { Clock, Context, Effect, Layer, Struct } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, invalidRequest, unknownRecord } from "../receipts/Writes.ts"
import { ClientStore, type MergedClients } from "./ClientStore.ts"
import { contactsAfter, withFirst } from "./Contacts.ts"
import {
  changeOnce,
  exportUseCase,
  requireRecord,
  updateUseCase,
  readUseCases
} from "../lists/RecordUseCases.ts"

type ClientChange = ChangeOf<ClientPatch>

export class Clients extends Context.Service<Clients>()("core/clients/Clients", {
  make: Effect.gen(function* () {
    const store = yield* ClientStore
    const receipts = yield* Receipts
    const pages = yield* Pages

    const listed = {
      name: "Clients",
      collection,
      access: requireReading,
      list: store.list,
      find: store.find
    }
    return {
      ...readUseCases(pages, listed),
      export: exportUseCase(pages, listed),

      create: Effect.fn("Clients.create")(function* (
        session: AuthorizedSession,
        request: ClientRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "clients.manage")
        if (request.createdAt !== undefined) {
          yield* Permissions.require(session, "appeals.import")
          if (request.createdAt > (yield* Clock.currentTimeMillis))
            return yield* invalidRequest([{ path: "createdAt", message: "must not lie in the future" }])
        }
        const client = {
          ...Struct.omit(withDefaults(request), ["email", "phone"]),
          ...contactsAfter({ emails: [], phones: [] }, request)
        }
        const content = withoutEmpty(client, ["tags", "identities", "emails", "phones"])
        const command = { operation: "client.create", pathIds: [], content }
        return yield* receipts.once({ caller: session, command, key, answer: CreatedClient }, () =>
          Effect.map(store.create(session, client), firstResult)
        )
      }, orUnavailable),

      update: updateUseCase(receipts, {
        name: "Clients",
        operation: "client.update",
        access: (session) => Permissions.require(session, "clients.manage"),
        answer: Client,
        find: store.find,
        update: store.update,
        normal: withDefaults<ClientChange>,
        following: (present, change) => withFirst(contactsAfter(present, change))
      }),

      /** Returns the survivor. Fails with InvalidRequest if both ids are the same client. */
      merge: Effect.fn("Clients.merge")(function* (
        session: AuthorizedSession,
        id: number,
        intoId: number,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "clients.manage")
        const command = { operation: "client.merge", pathIds: [id], content: { intoId } }
        const allowed = requireRecord(store.find, session, id)
        const merged = Effect.gen(function* () {
          const survivor = yield* store.merge(session, id, intoId, survivorOf)
          if (survivor === "no intoId") return yield* invalidRequest([unknownRecord("intoId")])
          if (survivor === "same")
            return yield* invalidRequest([{ path: "intoId", message: "must be another client" }])
          return survivor === "no id" ? undefined : survivor
        })
        return yield* changeOnce(receipts, { caller: session, command, key, answer: Client, allowed }, merged)
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Clients, Clients.make)
}

const readers: ReadonlyArray<Permission> = ["clients.read", "chats.read", "tickets.read", "clients.manage"]
/** Requires a permission that can show clients; the database decides which ones (contract §2). */
const requireReading = (session: AuthorizedSession) => Permissions.requireAny(session, readers)

/** Identities are subscribed unless the request says otherwise. */
const withDefaults = <R extends Pick<ClientRequest, "identities"> | Pick<ClientChange, "identities">>(
  request: R
) => ({
  ...request,
  ...(request.identities === undefined
    ? {}
    : { identities: request.identities.map((identity) => ({ subscribed: true, ...identity })) })
})

const unionOf = (into: ReadonlyArray<string>, from: ReadonlyArray<string>) => distinctOf([...into, ...from])

/** Members of the survivor win, missing ones are filled; lists are united (contract §9, "Clients"). */
const survivorOf = ({ from, into }: MergedClients): Client => ({
  ...into,
  ...withFirst({ emails: unionOf(into.emails, from.emails), phones: unionOf(into.phones, from.phones) }),
  externalId: into.externalId ?? from.externalId,
  language: into.language ?? from.language,
  tags: unionOf(into.tags, from.tags),
  identities: [...into.identities, ...from.identities]
})
