// Actions of a client, and state by namespace with compare-and-set (contract §4).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ExternalEventConflict,
  IdempotencyKeyRequired,
  NotFound,
  PayloadTooLarge,
  VersionConflict
} from "../Errors.ts"
import { pathId, PositiveInt, UuidV7, Version } from "../values/Ids.ts"
import { ACTION_TYPE_CHARACTERS_MAX, NAMESPACE_CHARACTERS_MAX } from "../Limits.ts"
import { type Collection, collectionOf } from "../lists/Collection.ts"
import { AnyObject, ExternalId, LongText, RequiredVersion, ShortText } from "../values/Members.ts"
import { ActorType, actorTypes } from "../context/ContextRequest.ts"
import { operation } from "../documents/Operation.ts"
import { keyRequired } from "../receipts/IdempotencyKey.ts"
import { Receipt } from "../receipts/Receipt.ts"
import { Time } from "../values/Time.ts"
import { RatePolicy, policies } from "../http/RateLimits.ts"
import { updateRoute, createRoute, getRoute, listRoute, accessErrors } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const typeText = `must be 1 to ${ACTION_TYPE_CHARACTERS_MAX} of a-z, 0-9, dot, underscore and dash`
const ActionType = Schema.String.check(
  Schema.isPattern(new RegExp(`^[a-z0-9_.-]{1,${ACTION_TYPE_CHARACTERS_MAX}}$`, "u"), { message: typeText })
)
const namespaceText = `must be a lower-case letter and up to ${NAMESPACE_CHARACTERS_MAX - 1} of a-z, 0-9, underscore, dot and dash`
const Namespace = Schema.String.annotate({ examples: ["crm"] }).check(
  Schema.isPattern(new RegExp(`^[a-z][a-z0-9_.-]{0,${NAMESPACE_CHARACTERS_MAX - 1}}$`, "u"), {
    message: namespaceText
  })
)

export const ClientAction = Schema.Struct({
  id: UuidV7,
  clientId: PositiveInt,
  type: Schema.String,
  occurredAt: Time,
  actorType: ActorType,
  actorId: Schema.NullOr(PositiveInt),
  externalEventId: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String),
  channel: Schema.NullOr(Schema.String),
  subjectId: Schema.NullOr(PositiveInt),
  appealId: Schema.NullOr(PositiveInt),
  summary: Schema.NullOr(Schema.String),
  payload: AnyObject,
  recordedAt: Time
}).annotate({ identifier: "ClientAction" })
export type ClientAction = typeof ClientAction.Type

export const ClientState = Schema.Struct({
  clientId: PositiveInt,
  namespace: Schema.String,
  version: Version,
  state: AnyObject,
  updatedAt: Time
}).annotate({ identifier: "ClientState" })
export type ClientState = typeof ClientState.Type

export const StateUpdate = Schema.Struct({
  namespace: Namespace,
  expectedVersion: RequiredVersion,
  state: AnyObject
}).annotate({ identifier: "StateUpdate" })

export const ActionRequest = Schema.Struct({
  type: ActionType,
  occurredAt: Time,
  actorType: ActorType,
  actorId: Schema.optionalKey(PositiveInt),
  externalEventId: Schema.optionalKey(ExternalId),
  source: Schema.optionalKey(ShortText),
  channel: Schema.optionalKey(ShortText),
  subjectId: Schema.optionalKey(PositiveInt),
  appealId: Schema.optionalKey(PositiveInt),
  summary: Schema.optionalKey(LongText),
  payload: Schema.optionalKey(AnyObject),
  stateUpdate: Schema.optionalKey(StateUpdate)
}).annotate({
  identifier: "ActionRequest",
  examples: [
    {
      type: "order.created",
      occurredAt: 1_790_000_000_000,
      actorType: "client",
      externalEventId: "shop-10442",
      source: "shop",
      summary: "Order 10442, two routers",
      payload: { total: 3198 }
    }
  ]
})
export type ActionRequest = typeof ActionRequest.Type

export const StateRequest = Schema.Struct({
  expectedVersion: RequiredVersion,
  state: AnyObject,
  mode: Schema.optionalKey(
    Schema.Literals(["replace", "merge"]).annotate({ description: "`merge` is RFC 7396. Default `replace`" })
  )
}).annotate({
  identifier: "StateRequest",
  examples: [{ expectedVersion: 0, state: { tier: "gold" } }]
})
export type StateRequest = typeof StateRequest.Type

/** The answer of a registered action without `replayed`. */
export const ActionRegistered = Schema.Struct({
  receipt: Receipt,
  dedupedBy: Schema.optionalKey(Schema.Literal("externalEventId")),
  action: ClientAction,
  state: Schema.optionalKey(ClientState)
})
export type ActionRegistered = typeof ActionRegistered.Type
/** The answer of a state write without `replayed`. */
export const StateWritten = Schema.Struct({ receipt: Receipt, state: ClientState })
export type StateWritten = typeof StateWritten.Type

const answers = <F extends Schema.Struct.Fields>(identifier: string, fields: F) =>
  Schema.Struct({ replayed: Schema.Boolean, ...fields }).annotate({ identifier })

export const clientActions: Collection = {
  name: "client-actions",
  fields: {
    id: "uuid",
    type: "text",
    actorType: { values: actorTypes },
    source: "text",
    channel: "text",
    occurredAt: "time",
    recordedAt: "time"
  },
  members: Object.keys(ClientAction.fields),
  defaultOrder: { field: "occurredAt", direction: "desc" }
}
export const clientStates = collectionOf("client-state", ClientState, {
  except: ["clientId"],
  key: "namespace",
  defaultOrder: { field: "namespace", direction: "asc" }
})
export const stateHistory = collectionOf("client-state-history", ClientState, {
  except: ["clientId", "namespace"],
  key: "version",
  defaultOrder: { field: "version", direction: "desc" }
})

const root = "/kw/clients/:client_id/context"
const clientParams = { client_id: pathId(501) }
const stateParams = { ...clientParams, namespace: Namespace }
/** The answers of a registered action and of a state write. */
export const ActionAnswer = answers("ActionAnswer", ActionRegistered.fields)
export const StateAnswer = answers("StateAnswer", StateWritten.fields)

export class ClientContextApi extends HttpApiGroup.make("clientContext")
  .add(
    HttpApiEndpoint.post("registerClientAction", `${root}/actions`, {
      params: clientParams,
      ...createRoute(
        ActionRequest,
        ActionAnswer,
        NotFound,
        IdempotencyKeyRequired,
        ExternalEventConflict,
        VersionConflict,
        PayloadTooLarge
      )
    })
      .annotate(RatePolicy, policies.contextWrite)
      .annotateMerge(keyRequired)
      .pipe(
        operation(
          "Register an action of a client",
          "An externalEventId of a source is stored once, whatever the key. `stateUpdate` is written in the same transaction. Requires context.write and an Idempotency-Key."
        )
      ),
    HttpApiEndpoint.get("listClientActions", `${root}/actions`, {
      params: clientParams,
      ...listRoute(clientActions, ClientAction, "ClientActionList"),
      error: accessErrors
    }).pipe(operation("List the actions of a client", "Latest first. Requires context.read.")),
    HttpApiEndpoint.get("listClientState", `${root}/state`, {
      params: clientParams,
      ...listRoute(clientStates, ClientState, "ClientStateList"),
      error: accessErrors
    }).pipe(operation("List the state of a client", "One record for each namespace. Requires context.read.")),
    HttpApiEndpoint.get(
      "getClientState",
      `${root}/state/:namespace`,
      getRoute(stateParams, ClientState)
    ).pipe(operation("Get a namespace of the state", "The ETag is the version. Requires context.read.")),
    HttpApiEndpoint.put(
      "setClientState",
      `${root}/state/:namespace`,
      updateRoute(stateParams, StateRequest, StateAnswer, IdempotencyKeyRequired, PayloadTooLarge)
    )
      .annotate(RatePolicy, policies.contextWrite)
      .annotateMerge(keyRequired)
      .pipe(
        operation(
          "Write a namespace of the state",
          "Compare-and-set: expectedVersion is the current version, or 0 if there is none. If-Match, if sent, must be the same version. Requires context.write and an Idempotency-Key."
        )
      ),
    HttpApiEndpoint.get("listClientStateHistory", `${root}/state/:namespace/history`, {
      params: stateParams,
      ...listRoute(stateHistory, ClientState, "ClientStateHistory"),
      error: accessErrors
    }).pipe(
      operation("List the versions of a namespace of the state", "Newest first. Requires context.read.")
    )
  )
  .pipe(withSession("Client actions and state", "What happened with a client, and the current state.")) {}
