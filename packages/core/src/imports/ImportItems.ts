// One item of an import: its data judged by the schema of the matching route, its effect that of the route (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ExternalEventConflict } from "@rapport/contract/Errors.ts"
import { ACTION_PAYLOAD_BYTES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import {
  ImportedAction,
  ImportedMessage,
  ImportedSession,
  ImportedState,
  type ImportItem
} from "@rapport/contract/imports/ImportsApi.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import { Clock, Effect, Schema, Struct } from "effect"
import type { SecureRandom } from "effect/crypto"
import {
  actionOf,
  bounded,
  commandOf,
  eventOf,
  failedClientWrite,
  registration,
  tooLarge
} from "../clients/ClientContext.ts"
import type { ClientContextStore, ClientWrite } from "../clients/ClientContextStore.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import type { Receipt, Receipts } from "../receipts/Receipts.ts"
import { addedMessage, contentWithin, openOnce } from "../sessions/Sessions.ts"
import type { Writer } from "../audit/Writer.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import { ItemFailed, type ImportStore, type ItemOutcome } from "./ImportStore.ts"

/** An item whose data was judged: what is imported, or why it cannot be. */
export type JudgedItem =
  | { readonly _tag: "Action"; readonly item: ImportItem; readonly data: typeof ImportedAction.Type }
  | { readonly _tag: "State"; readonly item: ImportItem; readonly data: typeof ImportedState.Type }
  | { readonly _tag: "Session"; readonly item: ImportItem; readonly data: typeof ImportedSession.Type }
  | { readonly _tag: "Message"; readonly item: ImportItem; readonly data: typeof ImportedMessage.Type }
  | { readonly _tag: "Faulty"; readonly item: ImportItem; readonly message: string }

const decoders = {
  action: Schema.decodeUnknownEffect(ImportedAction, strictFirst),
  state: Schema.decodeUnknownEffect(ImportedState, strictFirst),
  session: Schema.decodeUnknownEffect(ImportedSession, strictFirst),
  message: Schema.decodeUnknownEffect(ImportedMessage, strictFirst)
}

/** Pure: never fails, a fault is a value. */
export const judge = (item: ImportItem): Effect.Effect<JudgedItem> => {
  switch (item.kind) {
    case "action":
      return judged(
        item,
        ImportedAction,
        Effect.map(decoders.action(item.data), (data) => ({ _tag: "Action", item, data }) as const)
      )
    case "state":
      return judged(
        item,
        ImportedState,
        Effect.map(decoders.state(item.data), (data) => ({ _tag: "State", item, data }) as const)
      )
    case "session":
      return judged(
        item,
        ImportedSession,
        Effect.map(decoders.session(item.data), (data) => ({ _tag: "Session", item, data }) as const)
      )
    case "message":
      return judged(
        item,
        ImportedMessage,
        Effect.map(decoders.message(item.data), (data) => ({ _tag: "Message", item, data }) as const)
      )
  }
}

/** Faults of `data` that the message of an item names. */
const ITEM_FAULTS_MAX = 10

const judged = (
  item: ImportItem,
  schema: Schema.Top,
  decoded: Effect.Effect<JudgedItem, Schema.SchemaError>
): Effect.Effect<JudgedItem> =>
  Effect.catch(decoded, () =>
    Effect.succeed({
      _tag: "Faulty" as const,
      item,
      message: collectFaults(schema, item.data, ITEM_FAULTS_MAX)
        .map(({ message, path }) => `${path === "" ? "data" : `data.${path}`} ${message}`)
        .join("; ")
    })
  ).pipe(Effect.map((found) => misplaced(item) ?? found))

const misplaced = (item: ImportItem): JudgedItem | undefined => {
  const faulty = (message: string): JudgedItem => ({ _tag: "Faulty", item, message })
  if (item.kind === "message")
    return item.clientId === undefined
      ? undefined
      : faulty("clientId is not taken with a message: its session knows the client")
  return item.clientId === undefined ? faulty("clientId is required") : undefined
}

/** The judged content, for the fingerprint of a batch: how a date or a number was written, or whether a default was, does not matter. */
export const contentOf = (item: JudgedItem): unknown => {
  switch (item._tag) {
    case "Faulty":
      return item.item
    case "Action":
      return { ...item.item, data: withoutEmpty(item.data, ["payload"]) }
    case "State":
      return {
        ...item.item,
        data: item.data.mode === "replace" ? Struct.omit(item.data, ["mode"]) : item.data
      }
    default:
      return { ...item.item, data: item.data }
  }
}

export interface Importing {
  readonly session: AuthorizedSession
  readonly batchId: string
  readonly source: string
  readonly store: ImportStore["Service"]
  readonly context: ClientContextStore["Service"]
  readonly sessions: SessionStore["Service"]
  readonly receipts: Receipts["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
}

/** To be run in the transaction of its checkpoint. Fails with what its batch reports of it. */
export const importItem = (
  importing: Importing,
  item: JudgedItem
): Effect.Effect<ItemOutcome, ItemFailed | SourceUnavailable> => {
  switch (item._tag) {
    case "Faulty":
      return Effect.fail(new ItemFailed("INVALID_REQUEST", item.message))
    case "Action":
      return importAction(importing, item.item, item.data)
    case "State":
      return importState(importing, item.item, item.data)
    case "Session":
      return importSession(importing, item.item, item.data)
    case "Message":
      return importMessage(importing, item.item, item.data)
  }
}

const unknown = (name: string) =>
  Effect.fail(new ItemFailed("INVALID_REQUEST", `${name} names no record that you may use`))
const outcomeOf = (replayed: boolean): ItemOutcome => ({ status: replayed ? "replayed" : "succeeded" })

/** A public failure of the matching route becomes the item's; waiting in vain for another writer is none. */
const told = <A, E extends { readonly code: string; readonly detail: string }>(
  effect: Effect.Effect<A, E | SourceUnavailable>
): Effect.Effect<A, ItemFailed | SourceUnavailable> =>
  Effect.mapError(effect, (error) => {
    if (!("code" in error)) return error
    return error.code === "IDEMPOTENCY_IN_PROGRESS"
      ? new SourceUnavailable({ source: "context_store", reason: "timeout" })
      : new ItemFailed(error.code, error.detail)
  })

/** The matching route's operation, as an item of this batch. */
const writerOf = (
  { batchId, session }: Importing,
  operation: string,
  receiptId: string | null = null
): Writer => ({ session, operation, receiptId, batchId })

const preparedOf = Effect.fnUntraced(function* (
  importing: Importing,
  operation: string,
  fingerprint: string
) {
  const receipt: Receipt = {
    id: yield* importing.random.uuidV7(),
    operation,
    fingerprint,
    committedAt: yield* Clock.currentTimeMillis
  }
  return { receipt, key: null, refusal: null }
})

const importAction = Effect.fnUntraced(function* (
  importing: Importing,
  { clientId = 0, externalId }: ImportItem,
  data: typeof ImportedAction.Type
) {
  const { random, receipts, source } = importing
  const request = { ...data, payload: data.payload ?? {}, externalEventId: externalId, source }
  yield* told(bounded(request.payload, "payload", ACTION_PAYLOAD_BYTES_MAX))
  if (request.stateUpdate !== undefined)
    yield* told(bounded(request.stateUpdate.state, "stateUpdate.state", STATE_BYTES_MAX))
  const command = commandOf(clientId, request)
  const prepared = yield* preparedOf(importing, command.operation, yield* receipts.fingerprint(command))
  const members = actionOf(yield* random.uuidV7(), clientId, request, prepared.receipt.committedAt)
  const fingerprint = yield* receipts.fingerprint(eventOf(command))
  const writer = writerOf(importing, command.operation, prepared.receipt.id)
  return yield* importWrite(
    importing,
    registration({ writer, prepared }, { members, fingerprint }, request.stateUpdate),
    "data.stateUpdate."
  )
})

const importState = Effect.fnUntraced(function* (
  importing: Importing,
  { clientId = 0, externalId }: ImportItem,
  data: typeof ImportedState.Type
) {
  const { receipts, source } = importing
  const content = { mode: "replace" as const, ...data }
  const fingerprint = yield* receipts.fingerprint({
    operation: "import.state",
    pathIds: [source, externalId],
    content
  })
  const prepared = yield* preparedOf(importing, "client.state.put", fingerprint)
  const state = {
    ...content,
    expectedVersion: data.expectedVersion ?? null,
    updatedAt: prepared.receipt.committedAt
  }
  const write = {
    writer: writerOf(importing, "client.state.put"),
    prepared,
    clientId,
    action: null,
    state,
    imported: { source, externalId, fingerprint }
  }
  return yield* importWrite(importing, write, "data.")
})

/** `path` is where the item names its state. */
const importWrite = Effect.fnUntraced(function* (importing: Importing, write: ClientWrite, path: string) {
  const { context, session } = importing
  const [outcome] = yield* told(context.write(session, "imports.write", [write]))
  if (outcome === undefined) return yield* Effect.die("a row without an outcome")
  switch (outcome._tag) {
    case "Done":
      return outcomeOf(false)
    case "Replayed":
      return outcomeOf(true)
    case "Forbidden":
    case "NotFound":
      return yield* unknown("clientId")
    case "UnknownReferences":
      return yield* unknown(outcome.appeal ? "data.subjectId" : "data.appealId")
    case "EventConflict":
      if (write.imported === null) return yield* told(Effect.fail(new ExternalEventConflict()))
      return yield* Effect.fail(
        new ItemFailed("EXTERNAL_EVENT_CONFLICT", "the same external id was imported with another state")
      )
    case "StateTooLarge":
      return yield* told(Effect.fail(tooLarge("state", STATE_BYTES_MAX)))
    default:
      return yield* told(failedClientWrite(outcome, write.prepared, path))
  }
})

const importSession = Effect.fnUntraced(function* (
  importing: Importing,
  { clientId, externalId }: ImportItem,
  data: typeof ImportedSession.Type
) {
  const { session, sessions } = importing
  const named = yield* sessions.resolve(session, "imports.write", { ...data, clientId: clientId ?? 0 })
  if (named === undefined) return yield* unknown("clientId")
  if (!named.appeal) return yield* unknown("data.appealId")
  const heldId = yield* sessions.hold(session.instanceId, named.clientId)
  if (heldId === undefined) return yield* unknown("clientId")
  const request = { ...data, clientId: heldId, externalSessionId: externalId }
  const writer = writerOf(importing, "context.session.create")
  const opened = yield* told(openOnce(sessions, writer, "imports.write", request))
  return outcomeOf(opened.replayed)
})

const importMessage = Effect.fnUntraced(function* (
  importing: Importing,
  { externalId, sessionExternalId }: ImportItem,
  data: typeof ImportedMessage.Type
) {
  const { sessions } = importing
  yield* told(contentWithin(data.content))
  const request = { ...data, externalMessageId: externalId }
  const operation = "context.session.message"
  const named = { externalId: sessionExternalId ?? "" }
  // Without a key no receipt is kept.
  const prepared = yield* preparedOf(importing, operation, "")
  const [outcome] = yield* told(
    sessions.add(writerOf(importing, operation), "imports.write", [{ session: named, request, prepared }])
  )
  if (outcome?._tag === "NotFound" || outcome?._tag === "Forbidden")
    return yield* unknown("sessionExternalId")
  return outcomeOf((yield* told(addedMessage(request, outcome, prepared))).replayed)
})
