// The use cases of a client's actions and states (contract §4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  ActionRegistered,
  type ActionRequest,
  type ClientAction,
  clientActions,
  clientStates,
  stateHistory,
  type StateRequest,
  StateWritten
} from "@rapport/contract/clients/ClientContextApi.ts"
import {
  AccessDenied,
  ExternalEventConflict,
  NotFound,
  PayloadTooLarge,
  VersionConflict
} from "@rapport/contract/Errors.ts"
import { ACTION_PAYLOAD_BYTES_MAX, CLIENT_NAMESPACES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type { Collection } from "@rapport/contract/lists/Collection.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { canonicalBytes } from "../json/CanonicalJson.ts"
import { type ListParameters, Pages } from "../lists/Pages.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type Command, type PreparedWrite, Receipts } from "../receipts/Receipts.ts"
import { failedWrite, replayedAnswer } from "../receipts/WriteOutcomes.ts"
import { firstResult, invalidRequest, unknownRecord } from "../receipts/Writes.ts"
import { ClientContextStore, type ClientWrite, type ClientWriteOutcome } from "./ClientContextStore.ts"

export class ClientContext extends Context.Service<ClientContext>()("core/clients/ClientContext", {
  make: Effect.gen(function* () {
    const store = yield* ClientContextStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    const random = yield* SecureRandom.SecureRandom
    return {
      ...reads(store, pages),

      register: Effect.fn("ClientContext.register")(function* (
        session: AuthorizedSession,
        clientId: number,
        request: ActionRequest,
        key: string
      ) {
        const normalized = { ...request, payload: request.payload ?? {} }
        yield* requireBytesMax(normalized.payload, "payload", ACTION_PAYLOAD_BYTES_MAX)
        if (request.stateUpdate !== undefined)
          yield* requireBytesMax(request.stateUpdate.state, "stateUpdate.state", STATE_BYTES_MAX)
        yield* Permissions.require(session, "context.write")
        // Keeps the requested id: a repeat after a merge of the client is the same command.
        const command = commandOf(clientId, normalized)
        const prepared = yield* receipts.prepare({ caller: session, command, key })
        const members = actionOf(yield* random.uuidV7(), clientId, normalized, yield* Clock.currentTimeMillis)
        const fingerprint = yield* receipts.fingerprint(eventOf(command))
        const write = registration({ prepared }, { members, fingerprint }, request.stateUpdate)
        const outcome = yield* writeOne(store, session, write)
        if (outcome._tag === "Replayed") return yield* replayedAnswer(ActionRegistered, outcome)
        if (outcome._tag === "EventConflict") return yield* new ExternalEventConflict()
        if (outcome._tag !== "Done") return yield* failedClientWrite(outcome, prepared, "stateUpdate.")
        const action = { ...members, clientId: outcome.clientId }
        const { receipt } = prepared
        return firstResult<ActionRegistered>(
          outcome.state === null ? { receipt, action } : { receipt, action, state: outcome.state }
        )
      }, orUnavailable),

      put: Effect.fn("ClientContext.put")(function* (
        session: AuthorizedSession,
        clientId: number,
        namespace: string,
        request: StateRequest,
        key: string
      ) {
        if (request.mode !== "merge") yield* requireBytesMax(request.state, "state", STATE_BYTES_MAX)
        yield* Permissions.require(session, "context.write")
        const content = { mode: "replace" as const, ...request }
        const command: Command = { operation: "client.state.put", pathIds: [clientId, namespace], content }
        const prepared = yield* receipts.prepare({ caller: session, command, key })
        const { receipt } = prepared
        const outcome = yield* writeOne(store, session, {
          prepared,
          clientId,
          action: null,
          state: { ...content, namespace, updatedAt: receipt.committedAt },
          imported: null
        })
        if (outcome._tag === "Replayed") return yield* replayedAnswer(StateWritten, outcome)
        if (outcome._tag === "EventConflict") return yield* Effect.die("a state without an event")
        if (outcome._tag !== "Done") return yield* failedClientWrite(outcome, prepared, "")
        const { state } = outcome
        return state === null
          ? yield* Effect.die("a write without its state")
          : firstResult<StateWritten>({ receipt, state })
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(ClientContext, ClientContext.make)
}

type Store = ClientContextStore["Service"]

/** An action, with the state that it changes. */
export const registration = (
  common: Pick<ClientWrite, "prepared" | "batchId">,
  action: NonNullable<ClientWrite["action"]>,
  stateUpdate: ActionRequest["stateUpdate"]
): ClientWrite => ({
  ...common,
  clientId: action.members.clientId,
  action,
  state:
    stateUpdate === undefined
      ? null
      : { ...stateUpdate, mode: "replace", updatedAt: action.members.recordedAt },
  imported: null
})

const writeOne = (store: Store, session: AuthorizedSession, write: ClientWrite) =>
  Effect.flatMap(store.write(session, "context.write", [write]), ([outcome]) =>
    outcome === undefined ? Effect.die("a row without an outcome") : Effect.succeed(outcome)
  )

/** The error of a write without effect. `prefix` is the path of the state in the request. */
export const failedClientWrite = Effect.fnUntraced(function* (
  outcome: Exclude<ClientWriteOutcome, { readonly _tag: "Done" | "Replayed" | "EventConflict" }>,
  prepared: PreparedWrite,
  prefix: string
) {
  switch (outcome._tag) {
    case "UnknownReferences":
      return yield* invalidRequest([
        ...(outcome.appeal ? [] : [unknownRecord("appealId")]),
        ...(outcome.subject ? [] : [unknownRecord("subjectId")])
      ])
    case "VersionConflict":
      return yield* new VersionConflict({ currentVersion: outcome.currentVersion })
    case "NamespacesFull":
      return yield* invalidRequest([
        {
          path: `${prefix}namespace`,
          message: `would be more than the ${CLIENT_NAMESPACES_MAX} that a client may have`
        }
      ])
    case "StateTooLarge":
      return yield* tooLarge(`${prefix}state`, STATE_BYTES_MAX)
    default:
      return yield* failedWrite(outcome, prepared)
  }
})

const reads = (store: Store, pages: Pages["Service"]) => ({
  get: Effect.fn("ClientContext.get")(function* (session: AuthorizedSession, id: number, namespace: string) {
    const clientId = yield* resolve(store, session, id)
    const target = { instanceId: session.instanceId, clientId, namespace }
    return (yield* store.findState(target)) ?? (yield* new NotFound())
  }, orUnavailable),

  states: listOf(store, pages, clientStates, "client-state", ({ instanceId }, clientId, request) =>
    store.listStates(instanceId, clientId, request)
  ),

  history: Effect.fn("ClientContext.history")(function* (
    session: AuthorizedSession,
    id: number,
    namespace: string,
    parameters: ListParameters
  ) {
    const clientId = yield* resolve(store, session, id)
    const target = { instanceId: session.instanceId, clientId, namespace }
    const page = yield* pages.page({
      session,
      collection: { ...stateHistory, name: `client-state/${clientId}/${namespace}` },
      parameters,
      access: Effect.void,
      rows: (request) => store.listHistory(target, request)
    })
    // A namespace that was never written is not found, instead of an empty history.
    if (page.total === 0 && (yield* store.findState(target)) === undefined) return yield* new NotFound()
    return page
  }, orUnavailable),

  actions: listOf(store, pages, clientActions, "client-actions", store.listActions)
})

/** A list of one client, to which its cursors are bound. */
const listOf =
  (store: Store, pages: Pages["Service"], collection: Collection, name: string, rows: Store["listActions"]) =>
  (session: AuthorizedSession, id: number, parameters: ListParameters) =>
    resolve(store, session, id).pipe(
      orUnavailable,
      Effect.flatMap((clientId) =>
        pages.page({
          session,
          collection: { ...collection, name: `${name}/${clientId}` },
          parameters,
          access: Effect.void,
          rows: (request) => rows(session, clientId, request)
        })
      )
    )

/** Resolves the client. A missing permission and a missing client are different errors. */
const resolve = Effect.fnUntraced(function* (store: Store, session: AuthorizedSession, id: number) {
  yield* Permissions.require(session, "context.read")
  const { clientId, isAllowed } = yield* store.resolve(session, id)
  if (!isAllowed) return yield* new AccessDenied()
  return clientId ?? (yield* new NotFound())
})

type Normalized = ActionRequest & { readonly payload: ClientAction["payload"] }

/** The same command for the route of actions and for imports. */
export const commandOf = (clientId: number, request: Normalized): Command => ({
  operation: "client.action.register",
  pathIds: [clientId],
  content: request
})

/** The fingerprint of an external event leaves out the client, which may be merged. */
export const eventOf = (command: Command): Command => ({ ...command, pathIds: [] })

/** Measures canonical UTF-8 JSON: escapes and white space of the request do not count (contract §4). */
export const requireBytesMax = <A>(
  value: A,
  path: string,
  bytesMax: number
): Effect.Effect<A, PayloadTooLarge> =>
  canonicalBytes(value) <= bytesMax ? Effect.succeed(value) : Effect.fail(tooLarge(path, bytesMax))

export const tooLarge = (path: string, bytesMax: number): PayloadTooLarge =>
  new PayloadTooLarge({ detail: `${path} is above ${bytesMax} bytes of canonical JSON` })

export const actionOf = (
  id: string,
  clientId: number,
  request: Normalized,
  recordedAt: number
): ClientAction => ({
  id,
  clientId,
  type: request.type,
  occurredAt: request.occurredAt,
  actorType: request.actorType,
  actorId: request.actorId ?? null,
  externalEventId: request.externalEventId ?? null,
  source: request.source ?? null,
  channel: request.channel ?? null,
  subjectId: request.subjectId ?? null,
  appealId: request.appealId ?? null,
  summary: request.summary ?? null,
  payload: request.payload,
  recordedAt
})
