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
import { strictFirst } from "@rapport/contract/values/Faults.ts"
import { Clock, Data, Effect, Schema, Struct } from "effect"
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
import { addedMessage, requireContentSize, openSession } from "../sessions/Sessions.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import type { ImportStore, ItemOutcome } from "./ImportStore.ts"

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
const decode = Schema.decodeUnknownEffect(DecodedItem, strictFirst)

/** An item with its decoded data, or with the message of its faults. */
export type CheckedItem =
  | (typeof DecodedItem.Type & { readonly item: ImportItem })
  | { readonly _tag: "faulty"; readonly item: ImportItem; readonly message: string }

const ITEM_FAULTS_MAX = 10

export const checkItem = (item: ImportItem): Effect.Effect<CheckedItem> => {
  const faulty = (message: string) => Effect.succeed({ _tag: "faulty" as const, item, message })
  const fault = clientIdFault(item)
  if (fault !== undefined) return faulty(fault)
  return decode({ _tag: item.kind, data: item.data }).pipe(
    Effect.map((decoded) => ({ ...decoded, item })),
    Effect.catch(() =>
      faulty(
        collectFaults(schemas[item.kind], item.data, ITEM_FAULTS_MAX)
          .map(({ message, path }) => `${path === "" ? "data" : `data.${path}`} ${message}`)
          .join("; ")
      )
    )
  )
}

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
  readonly store: ImportStore["Service"]
  readonly context: ClientContextStore["Service"]
  readonly sessions: SessionStore["Service"]
  readonly receipts: Receipts["Service"]
  readonly random: SecureRandom.SecureRandom["Service"]
}

/** The failure of an item as its batch shows it. */
class ItemFailed extends Data.TaggedError("ItemFailed")<{
  readonly code: string
  readonly message: string
}> {}

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
      return Effect.succeed([failedOutcome({ code: "INVALID_REQUEST", message: first.message })])
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

const asOutcome = (
  item: Effect.Effect<ItemOutcome, ItemFailed | SourceUnavailable>
): Effect.Effect<ItemOutcome, SourceUnavailable> =>
  Effect.catchTag(item, "ItemFailed", (failed) => Effect.succeed(failedOutcome(failed)))

const failedOutcome = ({ code, message }: Pick<ItemFailed, "code" | "message">): ItemOutcome => ({
  status: "failed",
  code,
  message
})

/** Writes the rows of all items in one statement, and converts each outcome. */
const importRows = Effect.fnUntraced(function* <Item, Row, Outcome>(
  items: ReadonlyArray<Item>,
  rowOf: (item: Item) => Effect.Effect<Row, ItemFailed | SourceUnavailable>,
  write: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Outcome>, SourceUnavailable>,
  outcomeOfRow: (
    outcome: Outcome,
    row: Row,
    item: Item
  ) => Effect.Effect<ItemOutcome, ItemFailed | SourceUnavailable>
): Effect.fn.Return<ReadonlyArray<ItemOutcome>, SourceUnavailable> {
  const built = yield* Effect.forEach(items, (item) =>
    Effect.map(rowOf(item), (row) => ({ row })).pipe(
      Effect.catchTag("ItemFailed", (failed) => Effect.succeed({ failed }))
    )
  )
  const rows = built.flatMap((one) => ("row" in one ? [one.row] : []))
  const outcomes = rows.length === 0 ? [] : yield* write(rows)
  let next = 0
  return yield* Effect.forEach(items, (item, at) => {
    const one = built[at]
    if (one === undefined) return Effect.die("an item without its row")
    if (!("row" in one)) return Effect.succeed(failedOutcome(one.failed))
    const outcome = outcomes[next++]
    return outcome === undefined
      ? Effect.die("a row without an outcome")
      : asOutcome(outcomeOfRow(outcome, one.row, item))
  })
})

/** A lock timeout is a failure of the batch, not of the item. */
const orBatchFailure = <A>(
  effect: Effect.Effect<A, IdempotencyInProgress | SourceUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTag(effect, "IdempotencyInProgress", () =>
    Effect.fail(new SourceUnavailable({ source: "context_store", reason: "timeout" }))
  )

const failUnknown = (name: string) =>
  Effect.fail(
    new ItemFailed({ code: "INVALID_REQUEST", message: `${name} names no record that you may use` })
  )
const outcomeOf = (replayed: boolean): ItemOutcome => ({ status: replayed ? "replayed" : "succeeded" })

/** Converts a failure of the matching route to that of the item; a lock timeout fails the batch. */
const orItemFailure = <A, E extends { readonly code: string; readonly detail: string }>(
  effect: Effect.Effect<A, E | SourceUnavailable>
): Effect.Effect<A, ItemFailed | SourceUnavailable> =>
  Effect.mapError(effect, (error) => {
    if (!("code" in error)) return error
    return error.code === "IDEMPOTENCY_IN_PROGRESS"
      ? new SourceUnavailable({ source: "context_store", reason: "timeout" })
      : new ItemFailed({ code: error.code, message: error.detail })
  })

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
  const { random, receipts, source } = importing
  const request = { ...data, payload: data.payload ?? {}, externalEventId: externalId, source }
  yield* orItemFailure(requireBytesMax(request.payload, "payload", ACTION_PAYLOAD_BYTES_MAX))
  if (request.stateUpdate !== undefined)
    yield* orItemFailure(requireBytesMax(request.stateUpdate.state, "stateUpdate.state", STATE_BYTES_MAX))
  const command = commandOf(clientId, request)
  const prepared = yield* preparedOf(importing, command.operation, yield* receipts.fingerprint(command))
  const members = actionOf(yield* random.uuidV7(), clientId, request, prepared.receipt.committedAt)
  const fingerprint = yield* receipts.fingerprint(eventOf(command))
  const { batchId } = importing
  return registration({ prepared, batchId }, { members, fingerprint }, request.stateUpdate)
})

const stateRow = Effect.fnUntraced(function* (
  importing: ImportContext,
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
  const write: ClientWrite = {
    prepared,
    batchId: importing.batchId,
    clientId,
    action: null,
    state,
    imported: { source, externalId, fingerprint }
  }
  return write
})

const importWrites = (importing: ImportContext, items: ReadonlyArray<ClientItem>) =>
  importRows(
    items,
    (item) =>
      item._tag === "action"
        ? actionRow(importing, item.item, item.data)
        : stateRow(importing, item.item, item.data),
    (rows) => orBatchFailure(importing.context.write(importing.session, "imports.write", rows)),
    outcomeOfWrite
  )

const outcomeOfWrite = Effect.fnUntraced(function* (
  outcome: ClientWriteOutcome,
  write: ClientWrite
): Effect.fn.Return<ItemOutcome, ItemFailed | SourceUnavailable> {
  switch (outcome._tag) {
    case "Done":
      return outcomeOf(false)
    case "Replayed":
      return outcomeOf(true)
    case "Forbidden":
    case "NotFound":
      return yield* failUnknown("clientId")
    case "UnknownReferences":
      return yield* failUnknown(outcome.appeal ? "data.subjectId" : "data.appealId")
    case "EventConflict":
      if (write.imported === null) return yield* orItemFailure(Effect.fail(new ExternalEventConflict()))
      return yield* new ItemFailed({
        code: "EXTERNAL_EVENT_CONFLICT",
        message: "the same external id was imported with another state"
      })
    case "StateTooLarge":
      return yield* orItemFailure(Effect.fail(tooLarge("state", STATE_BYTES_MAX)))
    default:
      return yield* orItemFailure(
        failedClientWrite(outcome, write.prepared, write.imported === null ? "data.stateUpdate." : "data.")
      )
  }
})

const importSession = Effect.fnUntraced(function* (
  importing: ImportContext,
  { clientId, externalId }: ImportItem,
  data: typeof ImportedSession.Type
) {
  const { batchId, session, sessions } = importing
  const references = yield* sessions.resolve(session, "imports.write", { ...data, clientId: clientId ?? 0 })
  if (references === undefined) return yield* failUnknown("clientId")
  if (!references.appeal) return yield* failUnknown("data.appealId")
  const lockedId = yield* sessions.lockClient(session.instanceId, references.clientId)
  if (lockedId === undefined) return yield* failUnknown("clientId")
  const request = { ...data, clientId: lockedId, externalSessionId: externalId }
  const writer = { session, operation: "context.session.create", receiptId: null, batchId }
  const opened = yield* orItemFailure(openSession(sessions, writer, "imports.write", request))
  return outcomeOf(opened.replayed)
})

const importMessages = (importing: ImportContext, items: ReadonlyArray<MessageItem>) => {
  const operation = "context.session.message"
  return importRows(
    items,
    Effect.fnUntraced(function* ({ data, item }: MessageItem) {
      yield* orItemFailure(requireContentSize(data.content ?? ""))
      return {
        session: { externalId: item.sessionExternalId ?? "" },
        request: { ...data, externalMessageId: item.externalId },
        // Without a key no receipt is stored.
        prepared: yield* preparedOf(importing, operation, "")
      }
    }),
    (rows) =>
      orBatchFailure(importing.sessions.add(importing.session, "imports.write", rows, importing.batchId)),
    (outcome, { prepared, request }) =>
      outcome._tag === "NotFound" || outcome._tag === "Forbidden"
        ? failUnknown("sessionExternalId")
        : Effect.map(
            orItemFailure(addedMessage(request, outcome, prepared, "data.attachments")),
            ({ replayed }) => outcomeOf(replayed)
          )
  )
}
