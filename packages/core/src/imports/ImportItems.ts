// Validates and writes items of an import like the matching routes (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { ExternalEventConflict, type IdempotencyInProgress } from "@rapport/contract/Errors.ts"
import { ACTION_PAYLOAD_BYTES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import {
  ImportedAction,
  ImportedMessage,
  ImportedSession,
  ImportedState,
  type ImportItem
} from "@rapport/contract/imports/ImportsApi.ts"
import { collectFaults } from "@rapport/contract/values/CollectFaults.ts"
import { detailOf, strictFirst } from "@rapport/contract/values/Faults.ts"
import { Array as Arr, Clock, Effect, Option, Schema, Struct } from "effect"
import type { SecureRandom } from "effect/crypto"
import {
  actionOf,
  requireBytesMax,
  commandOf,
  eventOf,
  failedClientWrite,
  registration,
  tooLarge
} from "../clients/ClientContext.ts"
import type { ClientContextStore, ClientWrite, ClientWriteOutcome } from "../clients/ClientContextStore.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import type { Receipt, Receipts } from "../receipts/Receipts.ts"
import { invalidRequest, unknownRecord } from "../receipts/Writes.ts"
import { addedMessage, requireContentSize, openSession } from "../sessions/Sessions.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import type { ItemOutcome } from "./ImportStore.ts"

const schemas = {
  action: ImportedAction,
  state: ImportedState,
  session: ImportedSession,
  message: ImportedMessage
}
const DecodedItem = Schema.Union([
  Schema.TaggedStruct("action", { data: schemas.action }),
  Schema.TaggedStruct("state", { data: schemas.state }),
  Schema.TaggedStruct("session", { data: schemas.session }),
  Schema.TaggedStruct("message", { data: schemas.message })
])
type DecodedItem = typeof DecodedItem.Type
const decode = Schema.decodeUnknownEffect(DecodedItem, strictFirst)

/** An item with its decoded data, or with the error of its faults. */
export type CheckedItem =
  | (DecodedItem & { readonly item: ImportItem })
  | { readonly _tag: "faulty"; readonly item: ImportItem; readonly code: string; readonly message: string }

const ITEM_FAULTS_MAX = 10

/** Checks everything that needs no database. */
export const checkItem = Effect.fnUntraced(function* (item: ImportItem): Effect.fn.Return<CheckedItem> {
  const faulty = (code: string, message: string): CheckedItem => ({ _tag: "faulty", item, code, message })
  const fault = clientIdFault(item)
  if (fault !== undefined) return faulty("INVALID_REQUEST", fault)
  const decoded = yield* Effect.option(decode({ _tag: item.kind, data: item.data }))
  if (Option.isNone(decoded)) {
    const faults = collectFaults(schemas[item.kind], item.data, ITEM_FAULTS_MAX)
    const violations = faults.map(({ message, path }) => ({
      path: path === "" ? "data" : `data.${path}`,
      message
    }))
    return faulty("INVALID_REQUEST", detailOf(violations, ITEM_FAULTS_MAX))
  }
  return yield* Effect.match(requireSizes(decoded.value), {
    onFailure: ({ code, detail }) => faulty(code, detail),
    onSuccess: () => ({ ...decoded.value, item })
  })
})

const requireSizes = Effect.fnUntraced(function* (item: DecodedItem) {
  if (item._tag === "message") yield* requireContentSize(item.data.content ?? "")
  if (item._tag !== "action") return
  const { payload, stateUpdate } = item.data
  yield* requireBytesMax(payload ?? {}, "payload", ACTION_PAYLOAD_BYTES_MAX)
  if (stateUpdate !== undefined)
    yield* requireBytesMax(stateUpdate.state, "stateUpdate.state", STATE_BYTES_MAX)
})

const clientIdFault = ({ clientId, kind }: ImportItem): string | undefined => {
  if (kind !== "message") return clientId === undefined ? "clientId is required" : undefined
  return clientId === undefined
    ? undefined
    : "clientId is not taken with a message: its session knows the client"
}

/** The content for the fingerprint of a batch: decoded and without defaults, so that spellings do not matter. */
export const contentOf = (item: CheckedItem): unknown => {
  switch (item._tag) {
    case "faulty":
      return item.item
    case "action":
      return { ...item.item, data: withoutEmpty(item.data, ["payload"]) }
    case "state":
      return {
        ...item.item,
        data: item.data.mode === "replace" ? Struct.omit(item.data, ["mode"]) : item.data
      }
    default:
      return { ...item.item, data: item.data }
  }
}

export interface ImportContext {
  readonly session: AuthorizedSession
  readonly batchId: string
  readonly source: string
  readonly context: ClientContextStore["Service"]
  readonly sessions: SessionStore["Service"]
  readonly receipts: Receipts["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
}

/** How many items from `at` on are written together: actions and states, or messages. */
export const groupLength = (items: ReadonlyArray<CheckedItem>, at: number): number => {
  const first = items[at]
  const isTogether = (item: CheckedItem) =>
    first?._tag === "message" ? item._tag === "message" : isClientItem(item)
  if (first === undefined || (first._tag !== "message" && !isClientItem(first))) return 1
  const end = items.findIndex((item, index) => index > at && !isTogether(item))
  return (end < 0 ? items.length : end) - at
}

type ClientItem = Extract<CheckedItem, { readonly _tag: "action" | "state" }>
type MessageItem = Extract<CheckedItem, { readonly _tag: "message" }>
const isClientItem = (item: CheckedItem): item is ClientItem =>
  item._tag === "action" || item._tag === "state"

/** Runs in the transaction of the checkpoint. Outcomes have the order of the items. */
export const importGroup = (
  importing: ImportContext,
  group: ReadonlyArray<CheckedItem>
): Effect.Effect<ReadonlyArray<ItemOutcome>, SourceUnavailable> => {
  const [first] = group
  switch (first?._tag) {
    case undefined:
      return Effect.succeed([])
    case "faulty":
      return Effect.succeed([{ status: "failed", code: first.code, message: first.message }])
    case "session":
      return Effect.all([asOutcome(importSession(importing, first.item, first.data))])
    case "message":
      return importMessages(
        importing,
        group.filter((item) => item._tag === "message")
      )
    default:
      return importWrites(importing, group.filter(isClientItem))
  }
}

/** A failure of the matching route is that of the item; a lock timeout fails the batch. */
const asOutcome = <E extends { readonly code: string; readonly detail: string }>(
  isReplayed: Effect.Effect<boolean, E | SourceUnavailable>
): Effect.Effect<ItemOutcome, SourceUnavailable> =>
  Effect.matchEffect(isReplayed, {
    onFailure: (error): Effect.Effect<ItemOutcome, SourceUnavailable> => {
      if (!("code" in error)) return Effect.fail(error)
      const { code, detail } = error
      return code === "IDEMPOTENCY_IN_PROGRESS"
        ? Effect.fail(lockTimeout)
        : Effect.succeed({ status: "failed", code, message: detail })
    },
    onSuccess: (replayed) => Effect.succeed({ status: replayed ? "replayed" : "succeeded" })
  })

const lockTimeout = new SourceUnavailable({ source: "context_store", reason: "timeout" })
const orLockTimeout = <A>(
  written: Effect.Effect<A, IdempotencyInProgress | SourceUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTag(written, "IdempotencyInProgress", () => Effect.fail(lockTimeout))

const unknownAt = (path: string) => invalidRequest([unknownRecord(path)])

const preparedOf = Effect.fnUntraced(function* (
  importing: ImportContext,
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

const actionRow = Effect.fnUntraced(function* (
  importing: ImportContext,
  { clientId = 0, externalId }: ImportItem,
  data: typeof ImportedAction.Type
) {
  const { batchId, random, receipts, source } = importing
  const request = { ...data, payload: data.payload ?? {}, externalEventId: externalId, source }
  const command = commandOf(clientId, request)
  const prepared = yield* preparedOf(importing, command.operation, yield* receipts.fingerprint(command))
  const members = actionOf(yield* random.uuidV7(), clientId, request, prepared.receipt.committedAt)
  const fingerprint = yield* receipts.fingerprint(eventOf(command))
  return registration({ prepared, batchId }, { members, fingerprint }, request.stateUpdate)
})

const stateRow = Effect.fnUntraced(function* (
  importing: ImportContext,
  { clientId = 0, externalId }: ImportItem,
  data: typeof ImportedState.Type
): Effect.fn.Return<ClientWrite> {
  const { batchId, receipts, source } = importing
  const content = { mode: "replace" as const, ...data }
  const fingerprint = yield* receipts.fingerprint({
    operation: "import.state",
    pathIds: [source, externalId],
    content
  })
  const prepared = yield* preparedOf(importing, "client.state.put", fingerprint)
  return {
    prepared,
    batchId,
    clientId,
    action: null,
    state: {
      ...content,
      expectedVersion: data.expectedVersion ?? null,
      updatedAt: prepared.receipt.committedAt
    },
    imported: { source, externalId, fingerprint }
  }
})

const importWrites = Effect.fnUntraced(function* (
  importing: ImportContext,
  items: ReadonlyArray<ClientItem>
) {
  const rows = yield* Effect.forEach(items, (item) =>
    item._tag === "action"
      ? actionRow(importing, item.item, item.data)
      : stateRow(importing, item.item, item.data)
  )
  const outcomes = yield* orLockTimeout(importing.context.write(importing.session, "imports.write", rows))
  return yield* Effect.forEach(Arr.zip(outcomes, rows), ([outcome, row]) =>
    asOutcome(isReplayedWrite(outcome, row))
  )
})

const isReplayedWrite = Effect.fnUntraced(function* (outcome: ClientWriteOutcome, write: ClientWrite) {
  switch (outcome._tag) {
    case "Done":
      return false
    case "Replayed":
      return true
    case "Forbidden":
    case "NotFound":
      return yield* unknownAt("clientId")
    case "UnknownReferences":
      return yield* unknownAt(outcome.appeal ? "data.subjectId" : "data.appealId")
    case "EventConflict":
      return yield* new ExternalEventConflict(
        write.imported === null ? {} : { detail: "the same external id was imported with another state" }
      )
    case "StateTooLarge":
      return yield* tooLarge("state", STATE_BYTES_MAX)
    default:
      return yield* failedClientWrite(
        outcome,
        write.prepared,
        write.imported === null ? "data.stateUpdate." : "data."
      )
  }
})

const importSession = Effect.fnUntraced(function* (
  importing: ImportContext,
  { clientId, externalId }: ImportItem,
  data: typeof ImportedSession.Type
) {
  const { batchId, session, sessions } = importing
  const named = yield* sessions.resolve(session, "imports.write", { ...data, clientId: clientId ?? 0 })
  if (named.clientId === null) return yield* unknownAt("clientId")
  if (!named.appeal) return yield* unknownAt("data.appealId")
  const lockedId = yield* sessions.lockClient(session.instanceId, named.clientId)
  if (lockedId === undefined) return yield* unknownAt("clientId")
  const request = { ...data, clientId: lockedId, externalSessionId: externalId }
  const writer = { session, operation: "context.session.create", receiptId: null, batchId }
  return (yield* openSession(sessions, writer, "imports.write", request)).replayed
})

const importMessages = Effect.fnUntraced(function* (
  importing: ImportContext,
  items: ReadonlyArray<MessageItem>
) {
  const { batchId, session, sessions } = importing
  const rows = yield* Effect.forEach(items, ({ data, item }) =>
    // Without a key no receipt is stored.
    Effect.map(preparedOf(importing, "context.session.message", ""), (prepared) => ({
      session: { externalId: item.sessionExternalId ?? "" },
      request: { ...data, externalMessageId: item.externalId },
      prepared
    }))
  )
  const outcomes = yield* orLockTimeout(sessions.add(session, "imports.write", rows, batchId))
  return yield* Effect.forEach(Arr.zip(outcomes, rows), ([outcome, { prepared, request }]) =>
    asOutcome(
      outcome._tag === "NotFound" || outcome._tag === "Forbidden"
        ? Effect.fail(unknownAt("sessionExternalId"))
        : Effect.map(addedMessage(request, outcome, prepared, "data.attachments"), ({ replayed }) => replayed)
    )
  )
})
