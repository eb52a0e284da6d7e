// Clients and their identities in channels (contract §9).
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { UniqueConflict } from "../Errors.ts"
import { Answers, HistoryBody } from "../http/RequestBody.ts"
import { Email, Language } from "../values/Formats.ts"
import { pathId, PositiveInt, Version } from "../values/Ids.ts"
import type { Collection } from "../lists/Collection.ts"
import { emptiable, expectedVersion, ExternalId, listOf, ShortText, Tags } from "../values/Members.ts"
import { operation } from "../documents/Operation.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { BODY_BYTES_MAX, CLIENT_CONTACTS_MAX } from "../Limits.ts"
import { repetitionsIn, withRules } from "../values/Checks.ts"
import { distinct } from "../values/Distinct.ts"
import { composedText } from "../values/NormalForm.ts"
import { Time } from "../values/Time.ts"
import {
  actionRoute,
  updateRoute,
  createRoute,
  describeExport,
  exportRoute,
  listRoute,
  getRoute,
  accessErrors,
  changeErrors
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

/** Why a provider does not deliver to an identity. */
export const UnsubscribedReason = Schema.Literals(["blocked", "deactivated", "removed"])
export type UnsubscribedReason = typeof UnsubscribedReason.Type

/** An address of a client. (channel, chatId) is unique in the instance. Only a provider sets a reason. */
export const Identity = Schema.Struct({
  channel: Schema.String,
  chatId: Schema.String,
  subscribed: Schema.Boolean,
  unsubscribedReason: Schema.optionalKey(UnsubscribedReason)
}).annotate({ identifier: "Identity" })

/** Times are epoch milliseconds in the program. */
export const Client = Schema.Struct({
  id: PositiveInt,
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
  emails: Schema.Array(Schema.String),
  phones: Schema.Array(Schema.String),
  externalId: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  identities: Schema.Array(Identity),
  createdAt: Time,
  updatedAt: Time,
  version: Version
}).annotate({ identifier: "Client" })
export type Client = typeof Client.Type

/** Another client with the same phone, e-mail address or name as a new one. */
export const ClientWarning = Schema.Struct({
  code: Schema.Literal("POSSIBLE_DUPLICATE"),
  clientId: PositiveInt,
  matches: Schema.Array(Schema.Literals(["phone", "name", "email"]))
}).annotate({ identifier: "ClientWarning" })
export type ClientWarning = typeof ClientWarning.Type

export const CreatedClient = Schema.Struct({
  ...Client.fields,
  warnings: Schema.optionalKey(
    Schema.Array(ClientWarning).annotate({
      description:
        "Clients that may be the same person, if there are any; at most 10, those with the same phone or e-mail address first, then the lowest ids"
    })
  )
}).annotate({ identifier: "CreatedClient" })
export type CreatedClient = typeof CreatedClient.Type

const IdentityRequest = Schema.Struct({
  channel: ShortText,
  chatId: ExternalId,
  subscribed: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "IdentityRequest" })

/** Each (channel, chatId) is given once. */
const identitiesOnce = withRules((body) =>
  repetitionsIn(body, "identities", "", "must not repeat a channel and chatId", ({ channel, chatId }) =>
    composedText(JSON.stringify([channel, chatId]))
  )
)

export const ClientRequest = identitiesOnce(
  Schema.Struct({
    name: ShortText,
    email: Schema.optionalKey(Email),
    phone: Schema.optionalKey(ShortText),
    emails: Schema.optionalKey(distinct(Email, { maximum: CLIENT_CONTACTS_MAX })),
    phones: Schema.optionalKey(distinct(ShortText, { maximum: CLIENT_CONTACTS_MAX })),
    externalId: Schema.optionalKey(ExternalId),
    language: Schema.optionalKey(Language),
    tags: Schema.optionalKey(Tags),
    identities: Schema.optionalKey(listOf(IdentityRequest)),
    createdAt: Schema.optionalKey(Time)
  })
).annotate({
  identifier: "ClientRequest",
  examples: [
    {
      name: "Olena Kovalenko",
      phones: ["+380 50 111 22 33", "044 765-43-21"],
      identities: [{ channel: "telegram", chatId: "380501112233" }]
    }
  ]
})
export type ClientRequest = typeof ClientRequest.Type

/** null empties a member. */
export const ClientPatch = identitiesOnce(
  Schema.Struct({
    expectedVersion,
    ...Struct.omit(ClientRequest.fields, ["createdAt"]),
    name: Schema.optionalKey(ShortText),
    email: emptiable(Email),
    phone: emptiable(ShortText),
    externalId: emptiable(ExternalId),
    language: emptiable(Language)
  })
).annotate({ identifier: "ClientPatch", examples: [{ expectedVersion: 1, phone: "+380501112233" }] })
export type ClientPatch = typeof ClientPatch.Type

export const ClientMerge = Schema.Struct({ intoId: PositiveInt }).annotate({
  identifier: "ClientMerge",
  examples: [{ intoId: 502 }]
})

/** The progress of an erasure. Times are epoch milliseconds in the program. */
export const ClientErasure = Schema.Struct({
  clientId: PositiveInt,
  status: Schema.Literals(["running", "finished"]),
  /** Rows deleted or emptied so far. */
  erased: Schema.Int,
  requestedAt: Time,
  finishedAt: Schema.NullOr(Time)
}).annotate({ identifier: "ClientErasure" })
export type ClientErasure = typeof ClientErasure.Type

export const clients: Collection = {
  name: "clients",
  fields: {
    id: "id",
    name: "text",
    email: "text",
    phone: "text",
    externalId: "text",
    language: "text",
    tags: "texts",
    identities: "texts",
    properties: "pairs",
    createdAt: "time",
    updatedAt: "time",
    version: "integer"
  },
  members: Object.keys(Client.fields),
  searched: true
}

const root = "/kw/api/v1/clients"
const params = { id: pathId(501) }

export class ClientsApi extends HttpApiGroup.make("clients")
  .add(
    HttpApiEndpoint.get("listClients", root, listRoute(clients, Client, "ClientList")).pipe(
      operation(
        "List clients",
        "With clients.read all clients of the instance. Otherwise clients whose appeals the caller sees, and with clients.manage also clients without appeals."
      )
    ),
    HttpApiEndpoint.get("exportClients", `${root}/export`, exportRoute(clients))
      .annotate(Answers, ["text/csv"])
      .pipe(
        operation("Export clients as CSV", `${describeExport("clients")} Shows the same clients as the list.`)
      ),
    HttpApiEndpoint.get("getClient", `${root}/:id`, getRoute(params, Client)).pipe(
      operation("Get a client", "The ETag is the version. The id of a merged client returns the survivor.")
    ),
    HttpApiEndpoint.post("createClient", root, createRoute(ClientRequest, CreatedClient, UniqueConflict))
      .annotate(HistoryBody, { members: ["createdAt"], bytesMax: BODY_BYTES_MAX })
      .pipe(
        operation(
          "Create a client",
          "Identities and externalId are unique in the instance. createdAt also requires appeals.import. `warnings` names clients with the same phone, e-mail address or name. Requires clients.manage."
        )
      ),
    HttpApiEndpoint.patch(
      "updateClient",
      `${root}/:id`,
      updateRoute(params, ClientPatch, Client, UniqueConflict)
    ).pipe(operation("Update a client", "Requires clients.manage, and expectedVersion or If-Match.")),
    HttpApiEndpoint.post(
      "mergeClient",
      `${root}/:id/merge`,
      actionRoute({ id: pathId(503) }, ClientMerge, Client)
    ).pipe(
      operation(
        "Merge a client into another",
        "Appeals, actions, sessions, identities and tags move to the survivor, which keeps its own members and state; only missing ones come from the other client. The old id then means the survivor. Requires clients.manage."
      )
    ),
    HttpApiEndpoint.get("exportClient", `${root}/:id/export`, {
      params,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
      error: accessErrors
    })
      .annotate(Answers, ["application/x-ndjson"])
      .pipe(
        operation(
          "Export the data of a client",
          "Streams one JSON line `{kind, record}` for each record: the client, identities, properties, state with history, actions, sessions, appeals with messages, comments of assessments, custom data that names the client, receipts and audit entries. Requires clients.erase."
        )
      ),
    HttpApiEndpoint.post("eraseClient", `${root}/:id/erase`, {
      params: { id: pathId(503) },
      headers: idempotencyHeaders,
      success: [ClientErasure.pipe(HttpApiSchema.status(202)), ClientErasure.pipe(HttpApiSchema.status(200))],
      error: changeErrors
    }).pipe(
      operation(
        "Erase the data of a client",
        "The client is unknown immediately. Its data is erased in the background, also from the search indexes. Appeals remain without texts for statistics. Repeat the request to see the progress: 202 while running, 200 when finished. Cannot be undone. Requires clients.erase."
      )
    )
  )
  .pipe(withSession("Clients", "The people who write to the instance.")) {}
