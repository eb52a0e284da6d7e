// Actions and state of clients in memory: what a model is compared with, held to ClientContextStoreLaws. Lists are
// PostgreSQL's alone, and everything is visible to every caller.
import { VersionConflict } from "@rapport/contract/Errors.ts"
import { Effect, Layer } from "effect"
import { TransactionsMemory, withRow } from "./TransactionsMemory.ts"
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import { ClientContextStore, NamespacesFull, type StateTarget } from "../clients/ClientContextStore.ts"

const keyOf = ({ clientId, instanceId, namespace }: StateTarget): string =>
  `${instanceId}/${clientId}/${namespace}`
const unlisted = Effect.die("lists are not kept in memory")

export const layer: Layer.Layer<ClientContextStore, never, TransactionsMemory> = Layer.effect(
  ClientContextStore,
  Effect.gen(function* () {
    const transactions = yield* TransactionsMemory
    return ClientContextStore.of({
      resolve: (_session, _access, clientId) =>
        Effect.succeed({ isAllowed: true, named: { clientId, appeal: true, subject: true } }),

      hold: (_instanceId, clientId) => Effect.succeed(clientId),

      register: ({ session: { instanceId } }, action, receipt, fingerprint) =>
        Effect.gen(function* () {
          const { actions } = yield* transactions.read
          const before = actions.find(
            (kept) =>
              action.externalEventId !== null &&
              kept.instanceId === instanceId &&
              kept.action.clientId === action.clientId &&
              kept.action.source === action.source &&
              kept.action.externalEventId === action.externalEventId
          )
          if (before !== undefined) return before
          yield* transactions.write((tables) => ({
            actions: [...tables.actions, { instanceId, action, receipt, fingerprint, state: null }]
          }))
          return undefined
        }),

      // Whatever is not written at once goes through a transaction.
      registerAtOnce: () => Effect.succeed({ isAllowed: true, written: false }),

      writeAtOnce: () => Effect.succeed({ isAllowed: true, state: null, conflict: null }),

      complete: (instanceId, actionId, state) =>
        transactions.write(({ actions }) => ({
          actions: actions.map((kept) =>
            kept.instanceId === instanceId && kept.action.id === actionId ? { ...kept, state } : kept
          )
        })),

      write: (_writer, target, expectedVersion, now, decide) =>
        Effect.gen(function* () {
          const { states: kept } = yield* transactions.read
          const versions = kept.get(keyOf(target)) ?? []
          const present = versions.at(-1)
          const version = present?.version ?? 0
          if (version !== (expectedVersion ?? version))
            return yield* new VersionConflict({ currentVersion: version })
          const { clientId, namespace } = target
          const prefix = keyOf({ ...target, namespace: "" })
          if (
            present === undefined &&
            [...kept.keys()].filter((key) => key.startsWith(prefix)).length >= CLIENT_NAMESPACES_MAX
          )
            return yield* Effect.fail(new NamespacesFull())
          const state = yield* decide(present?.state ?? null)
          const next = { clientId, namespace, version: version + 1, state, updatedAt: now }
          yield* transactions.write(({ states }) => ({
            states: withRow(states, keyOf(target), [...versions, next])
          }))
          return next
        }),

      findState: (target) => Effect.map(transactions.read, ({ states }) => states.get(keyOf(target))?.at(-1)),

      listStates: () => unlisted,
      listHistory: () => unlisted,
      listActions: () => unlisted
    })
  })
)
