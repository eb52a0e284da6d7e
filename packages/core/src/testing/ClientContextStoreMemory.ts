// Actions and state of clients in memory: what a model is compared with, held to ClientContextStoreLaws. Lists are
// PostgreSQL's alone, and everything is visible to every caller.
import { ClientAction, ClientState } from "@rapport/contract/clients/ClientContextApi.ts"
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { Effect, Layer, Schema } from "effect"
import { CLIENT_NAMESPACES_MAX, STATE_BYTES_MAX } from "@rapport/contract/Limits.ts"
import type { Caller } from "../access/Caller.ts"
import {
  ClientContextStore,
  type ClientWrite,
  type ClientWriteOutcome,
  nextState,
  type StateTarget
} from "../clients/ClientContextStore.ts"
import { canonicalBytes } from "../json/CanonicalJson.ts"
import {
  type KeptAction,
  receiptKey,
  type Tables,
  TransactionsMemory,
  withRow
} from "./TransactionsMemory.ts"

const keyOf = ({ clientId, instanceId, namespace }: StateTarget): string =>
  `${instanceId}/${clientId}/${namespace}`
const unlisted = Effect.die("lists are not kept in memory")

const encodeReceipt = Schema.encodeSync(Schema.toCodecJson(Receipt))
const encodeAction = Schema.encodeSync(Schema.toCodecJson(ClientAction))
const encodeState = Schema.encodeSync(Schema.toCodecJson(ClientState))

const answerOf = (outcome: ClientWriteOutcome, { action, prepared: { receipt } }: ClientWrite): unknown =>
  outcome._tag === "Replayed"
    ? outcome.answer
    : outcome._tag === "Done"
      ? {
          receipt: encodeReceipt(receipt),
          ...(action !== null && { action: encodeAction(action.members) }),
          ...(outcome.state !== null && { state: encodeState(outcome.state) })
        }
      : null

const decided = (tables: Tables, caller: Caller, write: ClientWrite): ClientWriteOutcome => {
  const { clientId, imported, prepared, state } = write
  const { key, receipt } = prepared
  const kept =
    key === null ? undefined : tables.receipts.get(receiptKey({ caller, operation: receipt.operation, key }))
  if (kept !== undefined)
    return kept.fingerprint === receipt.fingerprint
      ? { _tag: "Replayed", answer: kept.answer }
      : { _tag: "KeyReused" }
  const before = eventBefore(tables, caller, write)
  if (before !== undefined)
    return before.fingerprint === write.action?.fingerprint
      ? { _tag: "Replayed", answer: before.answer }
      : { _tag: "EventConflict" }
  const known = imported && tables.importedStates.get(importedKey(caller, write))
  if (known !== null && known !== undefined)
    return known === imported?.fingerprint ? { _tag: "Replayed", answer: null } : { _tag: "EventConflict" }
  if (state === null) return { _tag: "Done", clientId, state: null }
  const { expectedVersion, namespace, updatedAt } = state
  const target = { instanceId: caller.instanceId, clientId, namespace }
  const present = tables.states.get(keyOf(target))?.at(-1)
  const version = present?.version ?? 0
  if (version !== (expectedVersion ?? version)) return { _tag: "VersionConflict", currentVersion: version }
  const prefix = keyOf({ ...target, namespace: "" })
  const count = [...tables.states.keys()].filter((name) => name.startsWith(prefix)).length
  if (present === undefined && count >= CLIENT_NAMESPACES_MAX) return { _tag: "NamespacesFull" }
  const next = nextState(state, present?.state ?? null)
  if (canonicalBytes(next) > STATE_BYTES_MAX) return { _tag: "StateTooLarge" }
  return {
    _tag: "Done",
    clientId,
    state: { clientId, namespace, version: version + 1, state: next, updatedAt }
  }
}

const eventBefore = ({ actions }: Tables, { instanceId }: Caller, { action }: ClientWrite) =>
  actions.find(
    (kept) =>
      action !== null &&
      action.members.externalEventId !== null &&
      kept.instanceId === instanceId &&
      kept.action.clientId === action.members.clientId &&
      kept.action.source === action.members.source &&
      kept.action.externalEventId === action.members.externalEventId
  )

const importedKey = ({ instanceId }: Caller, { clientId, imported }: ClientWrite): string =>
  JSON.stringify([instanceId, clientId, imported?.source, imported?.externalId])

const changed = (
  tables: Tables,
  caller: Caller,
  write: ClientWrite,
  outcome: ClientWriteOutcome
): Partial<Tables> => {
  const { action, clientId, imported, prepared } = write
  const { instanceId } = caller
  const { key, receipt } = prepared
  const { committedAt, fingerprint, operation } = receipt
  const answer = answerOf(outcome, write)
  const kept: Partial<Tables> =
    key === null || tables.receipts.has(receiptKey({ caller, operation, key }))
      ? {}
      : {
          receipts: withRow(tables.receipts, receiptKey({ caller, operation, key }), {
            fingerprint,
            answer,
            committedAt
          })
        }
  if (outcome._tag !== "Done") return kept
  const { state } = outcome
  const deduped = { dedupedBy: "externalEventId", ...Object(answer) }
  return {
    ...kept,
    ...(action !== null && {
      actions: [
        ...tables.actions,
        {
          instanceId,
          action: action.members,
          fingerprint: action.fingerprint,
          answer: deduped
        } satisfies KeptAction
      ]
    }),
    ...(state !== null && {
      states: withRow(tables.states, keyOf({ instanceId, clientId, namespace: state.namespace }), [
        ...(tables.states.get(keyOf({ instanceId, clientId, namespace: state.namespace })) ?? []),
        state
      ])
    }),
    ...(imported !== null && {
      importedStates: withRow(tables.importedStates, importedKey(caller, write), imported.fingerprint)
    })
  }
}

export const layer: Layer.Layer<ClientContextStore, never, TransactionsMemory> = Layer.effect(
  ClientContextStore,
  Effect.gen(function* () {
    const transactions = yield* TransactionsMemory
    return ClientContextStore.of({
      resolve: (_session, _access, clientId) =>
        Effect.succeed({ isAllowed: true, references: { clientId, appeal: true, subject: true } }),

      write: (session, _access, rows) =>
        Effect.forEach(rows, (row) =>
          transactions.run(
            Effect.gen(function* () {
              const outcome = decided(yield* transactions.read, session, row)
              if (outcome._tag === "Done" || outcome._tag === "Replayed")
                yield* transactions.write((tables) => changed(tables, session, row, outcome))
              return outcome
            })
          )
        ),

      findState: (target) => Effect.map(transactions.read, ({ states }) => states.get(keyOf(target))?.at(-1)),

      listStates: () => unlisted,
      listHistory: () => unlisted,
      listActions: () => unlisted
    })
  })
)
