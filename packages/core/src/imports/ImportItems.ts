// One item of an import: its data judged by the schema of the matching route, its effect that of the route (contract §5).
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
import type { ClientContextStore, ClientWrite, ClientWriteOutcome } from "../clients/ClientContextStore.ts"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { withoutEmpty } from "../receipts/CommandText.ts"
import type { Receipt, Receipts } from "../receipts/Receipts.ts"
import { addedMessage, contentWithin, openOnce } from "../sessions/Sessions.ts"
import type { Writer } from "../audit/Writer.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import type { ImportStore, ItemOutcome } from "./ImportStore.ts"

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

/** Why an item failed, as its batch shows it. */
class ItemFailed {
  readonly _tag = "ItemFailed"
  readonly code: string
  readonly message: string
  constructor(code: string, message: string) {
    this.code = code
    this.message = message
  }
}

/** How many items from `at` on are written together: actions and states, or messages. */
export const groupLength = (items: ReadonlyArray<JudgedItem>, at: number): number => {
  const first = items[at]
  const isTogether = (item: JudgedItem) =>
    first?._tag === "Message" ? item._tag === "Message" : isClientItem(item)
  if (first === undefined || (first._tag !== "Message" && !isClientItem(first))) return 1
  const end = items.findIndex((item, index) => index > at && !isTogether(item))
  return (end < 0 ? items.length : end) - at
}

type ClientItem = Extract<JudgedItem, { readonly _tag: "Action" | "State" }>
type MessageItem = Extract<JudgedItem, { readonly _tag: "Message" }>
const isClientItem = (item: JudgedItem): item is ClientItem => item._tag === "Action" || item._tag === "State"

/** To be run in the transaction of its checkpoint. Outcomes of a group, in the order of its items. */
export const importGroup = (
  importing: Importing,
  group: ReadonlyArray<JudgedItem>
): Effect.Effect<ReadonlyArray<ItemOutcome>, SourceUnavailable> => {
  const [first] = group
  switch (first?._tag) {
    case undefined:
      return Effect.succeed([])
    case "Faulty":
      return Effect.map(failing(Effect.fail(new ItemFailed("INVALID_REQUEST", first.message))), (one) => [
        one
      ])
    case "Session":
      return Effect.map(failing(importSession(importing, first.item, first.data)), (one) => [one])
    case "Message":
      return importMessages(
        importing,
        group.filter((item) => item._tag === "Message")
      )
    default:
      return importWrites(importing, group.filter(isClientItem))
  }
}

/** A failure of the item is its outcome. */
const failing = (
  item: Effect.Effect<ItemOutcome, ItemFailed | SourceUnavailable>
): Effect.Effect<ItemOutcome, SourceUnavailable> =>
  Effect.catchTag(item, "ItemFailed", ({ code, message }: ItemFailed) =>
    Effect.succeed<ItemOutcome>({ status: "failed", code, message })
  )

/** Makes the row of each item, writes all rows at once, and gives each item the outcome of its row. */
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
  const made = yield* Effect.forEach(items, (item) =>
    Effect.map(rowOf(item), (row) => ({ row })).pipe(
      Effect.catchTag("ItemFailed", (failed: ItemFailed) => Effect.succeed({ failed }))
    )
  )
  const rows = made.flatMap((one) => ("row" in one ? [one.row] : []))
  const outcomes = rows.length === 0 ? [] : yield* write(rows)
  let place = 0
  return yield* Effect.forEach(items, (item, at) => {
    const one = made[at]
    if (one === undefined) return Effect.die("an item without its row")
    if (!("row" in one)) return failing(Effect.fail(one.failed))
    const outcome = outcomes[place++]
    return outcome === undefined
      ? Effect.die("a row without an outcome")
      : failing(outcomeOfRow(outcome, one.row, item))
  })
})

/** Waiting in vain for another writer is a failure of the batch, not of the item. */
const orAgain = <A>(
  effect: Effect.Effect<A, IdempotencyInProgress | SourceUnavailable>
): Effect.Effect<A, SourceUnavailable> =>
  Effect.catchTag(effect, "IdempotencyInProgress", () =>
    Effect.fail(new SourceUnavailable({ source: "context_store", reason: "timeout" }))
  )

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

const actionRow = Effect.fnUntraced(function* (
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
  return registration({ writer, prepared }, { members, fingerprint }, request.stateUpdate)
})

const stateRow = Effect.fnUntraced(function* (
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
  const write: ClientWrite = {
    writer: writerOf(importing, "client.state.put"),
    prepared,
    clientId,
    action: null,
    state,
    imported: { source, externalId, fingerprint }
  }
  return write
})

const importWrites = (importing: Importing, items: ReadonlyArray<ClientItem>) =>
  importRows(
    items,
    (item) =>
      item._tag === "Action"
        ? actionRow(importing, item.item, item.data)
        : stateRow(importing, item.item, item.data),
    (rows) => orAgain(importing.context.write(importing.session, "imports.write", rows)),
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
      return yield* told(
        failedClientWrite(outcome, write.prepared, write.imported === null ? "data.stateUpdate." : "data.")
      )
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

const importMessages = (importing: Importing, items: ReadonlyArray<MessageItem>) => {
  const operation = "context.session.message"
  return importRows(
    items,
    Effect.fnUntraced(function* ({ data, item }: MessageItem) {
      yield* told(contentWithin(data.content))
      return {
        session: { externalId: item.sessionExternalId ?? "" },
        request: { ...data, externalMessageId: item.externalId },
        // Without a key no receipt is kept.
        prepared: yield* preparedOf(importing, operation, "")
      }
    }),
    (rows) => orAgain(importing.sessions.add(writerOf(importing, operation), "imports.write", rows)),
    (outcome, { prepared, request }) =>
      outcome._tag === "NotFound" || outcome._tag === "Forbidden"
        ? unknown("sessionExternalId")
        : Effect.map(told(addedMessage(request, outcome, prepared)), ({ replayed }) => outcomeOf(replayed))
  )
}
