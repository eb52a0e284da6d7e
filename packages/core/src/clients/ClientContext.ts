// Actions and state of a client: registered once, compared and set, never half (docs/contract.md §4).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  ActionRegistered,
  type ActionRequest,
  type ClientAction,
  clientActions,
  type ClientState,
  clientStates,
  stateHistory,
  type StateRequest,
  StateWritten
} from "@rapport/contract/clients/ClientContextApi.ts"
import {
  AccessDenied,
  ExternalEventConflict,
  type IdempotencyInProgress,
  type InvalidRequest,
  NotFound,
  PayloadTooLarge,
  type SearchUnavailable,
  VersionConflict
} from "@rapport/contract/Errors.ts"
import { ACTION_PAYLOAD_BYTES_MAX, CLIENT_NAMESPACES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import type { Writer } from "../audit/Writer.ts"
import { canonicalBytes } from "../json/CanonicalJson.ts"
import type { ListPage } from "../lists/ListRequest.ts"
import { type AskedList, type PageFailure, Pages } from "../lists/Pages.ts"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import {
  type Claim,
  type Claiming,
  type Command,
  type Effected,
  type Receipt,
  Receipts
} from "../receipts/Receipts.ts"
import { invalid, refuse, unknownRecord, type WriteFailure, writerOf } from "../receipts/Writes.ts"
import {
  type Access,
  ClientContextStore,
  type NamespacesFull,
  type StateTarget
} from "./ClientContextStore.ts"
import { mergePatch } from "../json/MergePatch.ts"

type Refused = AccessDenied | NotFound | InvalidRequest | PayloadTooLarge

export class ClientContext extends Context.Service<
  ClientContext,
  {
    readonly register: (
      session: AuthorizedSession,
      clientId: number,
      request: ActionRequest,
      key: string
    ) => Effect.Effect<
      Effected<ActionRegistered>,
      Refused | ExternalEventConflict | VersionConflict | WriteFailure
    >
    readonly put: (
      session: AuthorizedSession,
      clientId: number,
      namespace: string,
      request: StateRequest,
      key: string
    ) => Effect.Effect<Effected<StateWritten>, Refused | VersionConflict | WriteFailure>
    readonly get: (
      session: AuthorizedSession,
      clientId: number,
      namespace: string
    ) => Effect.Effect<ClientState, AccessDenied | NotFound | SearchUnavailable>
    readonly states: (
      session: AuthorizedSession,
      clientId: number,
      asked: AskedList
    ) => Effect.Effect<ListPage, PageFailure | NotFound>
    readonly history: (
      session: AuthorizedSession,
      clientId: number,
      namespace: string,
      asked: AskedList
    ) => Effect.Effect<ListPage, PageFailure | NotFound>
    readonly actions: (
      session: AuthorizedSession,
      clientId: number,
      asked: AskedList
    ) => Effect.Effect<ListPage, PageFailure | NotFound>
  }
>()("core/clients/ClientContext") {
  static readonly layer = Layer.effect(
    ClientContext,
    Effect.gen(function* () {
      const store = yield* ClientContextStore
      const receipts = yield* Receipts
      const pages = yield* Pages
      const random = yield* SecureRandom.SecureRandom
      return ClientContext.of({
        ...reads(store, pages),
        register: Effect.fn("ClientContext.register")(function* (session, clientId, request, key) {
          const normalized = { ...request, payload: request.payload ?? {} }
          yield* bounded(normalized.payload, "payload", ACTION_PAYLOAD_BYTES_MAX)
          if (request.stateUpdate !== undefined)
            yield* bounded(request.stateUpdate.state, "stateUpdate.state", STATE_BYTES_MAX)
          yield* Permissions.require(session, "context.write")
          // The id as it was sent: a repeat after a merge of the client is the same command.
          const command = commandOf(clientId, normalized)
          const id = yield* random.uuidV7()
          const sent = actionOf(id, clientId, normalized, yield* Clock.currentTimeMillis)
          const { stateUpdate } = request
          if (sent.externalEventId === null && stateUpdate === undefined) {
            const claim = yield* claimed(receipts, { caller: session, command, key })
            const made = claim && (yield* registerAtOnce(store, session, { action: sent, claim, command }))
            if (made !== null) return { answer: made, replayed: false }
          }
          const named = yield* resolve(store, session, "context.write", clientId, request)
          yield* refuse([
            ...(named.appeal ? [] : [unknownRecord("appealId")]),
            ...(named.subject ? [] : [unknownRecord("subjectId")])
          ])
          const fingerprint = yield* receipts.fingerprint(eventOf(command))
          return yield* receipts.once(
            { caller: session, command, key, answer: ActionRegistered },
            (receipt) =>
              Effect.flatMap(held(store, session, named.clientId), (heldId) =>
                registerOnce(store, {
                  writer: writerOf(session, command, key, receipt),
                  action: { ...sent, clientId: heldId },
                  stateUpdate,
                  receipt,
                  fingerprint
                }).pipe(Effect.catchTag("NamespacesFull", tooManyNamespaces("stateUpdate.namespace")))
              )
          )
        }, orUnavailable),

        put: Effect.fn("ClientContext.put")(function* (session, clientId, namespace, request, key) {
          if (request.mode !== "merge") yield* bounded(request.state, "state", STATE_BYTES_MAX)
          yield* Permissions.require(session, "context.write")
          const command: Command = {
            operation: "client.state.put",
            pathIds: [clientId, namespace],
            content: { mode: "replace", ...request }
          }
          const sent = { instanceId: session.instanceId, clientId, namespace }
          if (request.mode !== "merge") {
            const claim = yield* claimed(receipts, { caller: session, command, key })
            const done =
              claim && (yield* putAtOnce(store, session, { target: sent, request, claim, command }))
            if (done !== null) return { answer: done, replayed: false }
          }
          const named = yield* resolve(store, session, "context.write", clientId, {})
          return yield* receipts.once({ caller: session, command, key, answer: StateWritten }, (receipt) =>
            Effect.flatMap(held(store, session, named.clientId), (heldId) =>
              putOnce(store, writerOf(session, command, key, receipt), {
                target: { ...sent, clientId: heldId },
                request,
                receipt
              })
            )
          )
        }, orUnavailable)
      })
    })
  )
}

type Store = ClientContextStore["Service"]

/** Null where no write is taken now: what a request names is judged before that is said. */
const claimed = (receipts: Receipts["Service"], claiming: Claiming): Effect.Effect<Claim | null> =>
  Effect.orElseSucceed(receipts.claim(claiming), () => null)

/** Null where anything is out of the ordinary: it is judged step by step then. */
const registerAtOnce = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  made: {
    readonly action: ClientAction
    readonly claim: Claim
    readonly command: Command
  }
) {
  const { action, claim, command } = made
  const receipt = receiptOf(claim)
  const answer = registered(receipt, action, null, false)
  const writer = writerOf(session, command, claim.key, receipt)
  const { written } = yield* store.registerAtOnce(writer, answer, claim)
  return written ? answer : null
})

/** The same of a state. */
const putAtOnce = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  made: {
    readonly target: StateTarget
    readonly request: StateRequest
    readonly claim: Claim
    readonly command: Command
  }
) {
  const { claim, command, request, target } = made
  const receipt = receiptOf(claim)
  const writer = writerOf(session, command, claim.key, receipt)
  const { expectedVersion } = request
  const { conflict, state } = yield* store.writeAtOnce(writer, target, expectedVersion, request.state, claim)
  if (conflict !== null) return yield* new VersionConflict({ currentVersion: conflict })
  return state === null ? null : { receipt, state }
})

/** Writes a state upon the one that stands; to be run in a transaction. */
const putOnce = Effect.fnUntraced(function* (
  store: Store,
  writer: Writer,
  made: { readonly target: StateTarget; readonly request: StateRequest; readonly receipt: Receipt }
) {
  const { receipt, request, target } = made
  const now = yield* Clock.currentTimeMillis
  const state = yield* store
    .write(writer, target, request.expectedVersion, now, (present) =>
      bounded(
        request.mode === "merge" ? mergePatch(present, request.state) : request.state,
        "state",
        STATE_BYTES_MAX
      )
    )
    .pipe(Effect.catchTag("NamespacesFull", tooManyNamespaces("namespace")))
  return { answer: { receipt, state }, replayed: false }
})

const receiptOf = ({ committedAt, fingerprint, id, operation }: Claim): Receipt => ({
  id,
  operation,
  fingerprint,
  committedAt
})

/** What there is, in pages. */
const reads = (store: Store, pages: Pages["Service"]) =>
  ({
    get: Effect.fn("ClientContext.get")(function* (session, id, namespace) {
      const { clientId } = yield* resolve(store, session, "context.read", id, {})
      const target = { instanceId: session.instanceId, clientId, namespace }
      return (yield* store.findState(target)) ?? (yield* new NotFound())
    }, orUnavailable),

    states: (session, id, asked) =>
      resolve(store, session, "context.read", id, {}).pipe(
        orUnavailable,
        Effect.flatMap(({ clientId }) =>
          pages.page({
            session,
            collection: { ...clientStates, name: `client-state/${clientId}` },
            asked,
            access: Effect.void,
            rows: (request) => store.listStates(session.instanceId, clientId, request)
          })
        )
      ),

    history: Effect.fn("ClientContext.history")(function* (session, id, namespace, asked) {
      const { clientId } = yield* resolve(store, session, "context.read", id, {})
      const target = { instanceId: session.instanceId, clientId, namespace }
      const page = yield* pages.page({
        session,
        collection: { ...stateHistory, name: `client-state/${clientId}/${namespace}` },
        asked,
        access: Effect.void,
        rows: (request) => store.listHistory(target, request)
      })
      // A namespace never written has no history to be empty.
      if (page.total === 0 && (yield* store.findState(target)) === undefined) return yield* new NotFound()
      return page
    }, orUnavailable),

    actions: (session, id, asked) =>
      resolve(store, session, "context.read", id, {}).pipe(
        orUnavailable,
        Effect.flatMap(({ clientId }) =>
          pages.page({
            session,
            collection: { ...clientActions, name: `client-actions/${clientId}` },
            asked,
            access: Effect.void,
            rows: (request) => store.listActions(session, clientId, request)
          })
        )
      )
  }) satisfies Partial<ClientContext["Service"]>

/** The client, if the caller may use it. A missing permission and a missing client are different errors. */
const resolve = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  access: Access,
  clientId: number,
  named: Pick<ActionRequest, "appealId" | "subjectId">
) {
  yield* Permissions.require(session, access)
  const { isAllowed, named: found } = yield* store.resolve(session, access, clientId, named)
  if (!isAllowed) return yield* new AccessDenied()
  return found ?? (yield* new NotFound())
})

/** The client that was resolved, in the transaction that writes to it. */
const held = (store: Store, session: AuthorizedSession, clientId: number) =>
  Effect.flatMap(store.hold(session.instanceId, clientId), (id) =>
    id === undefined ? Effect.fail(new NotFound()) : Effect.succeed(id)
  )

type Normalized = ActionRequest & { readonly payload: ClientAction["payload"] }

/** The command of an action: what its fingerprint is made of, whichever route it came by. */
export const commandOf = (clientId: number, request: Normalized): Command => ({
  operation: "client.action.register",
  pathIds: [clientId],
  content: request
})

/** An external event: the command of its action, the client left out, who may be merged into another. */
export const eventOf = (command: Command): Command => ({ ...command, pathIds: [] })

/** One namespace more than a client may have, at its place in the request. */
export const tooManyNamespaces = (path: string) => (): Effect.Effect<never, InvalidRequest> =>
  Effect.fail(
    invalid([{ path, message: `would be more than the ${CLIENT_NAMESPACES_MAX} that a client may have` }])
  )

interface Registering {
  readonly writer: Writer
  readonly action: ClientAction
  readonly stateUpdate: ActionRequest["stateUpdate"]
  readonly receipt: Receipt
  /** Of the event: its repeats have the same. */
  readonly fingerprint: string
}

/** Registers an action with its state, or finds the one of its external event; to be run in a transaction. */
export const registerOnce: (
  store: ClientContextStore["Service"],
  registering: Registering
) => Effect.Effect<
  Effected<ActionRegistered>,
  ExternalEventConflict | IdempotencyInProgress | NamespacesFull | VersionConflict | SourceUnavailable
> = Effect.fnUntraced(function* (store, { action, fingerprint, receipt, stateUpdate, writer }) {
  const { instanceId } = writer.session
  const before = yield* store.register(writer, action, receipt, fingerprint)
  if (before !== undefined) {
    if (before === "seeded" || before.fingerprint !== fingerprint) return yield* new ExternalEventConflict()
    return { answer: registered(before.receipt, before.action, before.state, true), replayed: true }
  }
  if (stateUpdate === undefined) return { answer: registered(receipt, action, null, false), replayed: false }
  const target = { instanceId, clientId: action.clientId, namespace: stateUpdate.namespace }
  const state = yield* store.write(
    { ...writer, operation: "client.state.put" },
    target,
    stateUpdate.expectedVersion,
    action.recordedAt,
    () => Effect.succeed(stateUpdate.state)
  )
  yield* store.complete(instanceId, action.id, state)
  return { answer: registered(receipt, action, state, false), replayed: false }
})

/** Measured decoded, as canonical UTF-8 JSON: escapes and white space of the request do not count (§4). */
export const bounded = <A>(value: A, path: string, bytesMax: number): Effect.Effect<A, PayloadTooLarge> =>
  canonicalBytes(value) <= bytesMax
    ? Effect.succeed(value)
    : Effect.fail(new PayloadTooLarge({ detail: `${path} is above ${bytesMax} bytes of canonical JSON` }))

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

const registered = (
  receipt: Receipt,
  action: ClientAction,
  state: ClientState | null,
  deduped: boolean
): ActionRegistered => ({
  receipt,
  ...(deduped ? { dedupedBy: "externalEventId" as const } : {}),
  action,
  ...(state === null ? {} : { state })
})
