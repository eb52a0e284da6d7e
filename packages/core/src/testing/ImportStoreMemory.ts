// Import batches in memory: what a model is compared with, held to ImportStoreLaws.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { IMPORT_LEASE_MILLIS } from "../imports/ImportLimits.ts"
import { Clock, Effect, Layer } from "effect"
import { type KeptBatch, TransactionsMemory, withRow } from "./TransactionsMemory.ts"
import { type BatchRef, ImportStore, type ItemOutcome } from "../imports/ImportStore.ts"

const DAY_MILLIS = 86_400_000

const keyOf = ({ instanceId, tokenId, userId }: AuthorizedSession, key: string): string =>
  JSON.stringify([instanceId, userId, tokenId, key])

export const layer: Layer.Layer<ImportStore, never, TransactionsMemory> = Layer.effect(
  ImportStore,
  Effect.gen(function* () {
    const transactions = yield* TransactionsMemory
    const find = ({ id, instanceId }: Pick<BatchRef, "id" | "instanceId">) =>
      Effect.map(transactions.read, ({ batches }) => batches.get(`${instanceId}/${id}`))
    const keep = (instanceId: number, kept: KeptBatch) =>
      transactions.write(({ batches }) => ({
        batches: withRow(batches, `${instanceId}/${kept.batch.id}`, kept)
      }))

    return ImportStore.of({
      open: (caller, key, fingerprint, { id, now, owner, total }) =>
        transactions.run(
          Effect.gen(function* () {
            const mine = keyOf(caller, key)
            const { batches } = yield* transactions.read
            const found = batches.values().find((kept) => kept.key === mine)
            if (found !== undefined) return { ...found, isCreated: false }
            const batch = {
              id,
              status: "running" as const,
              checkpoint: { nextIndex: 0 },
              total,
              succeeded: 0,
              failed: 0,
              items: []
            }
            yield* keep(caller.instanceId, {
              key: mine,
              fingerprint,
              batch,
              owner: owner ?? null,
              leasedUntil: owner === undefined ? now : now + IMPORT_LEASE_MILLIS
            })
            return { isCreated: true, fingerprint, batch }
          })
        ),

      isKnown: (caller, key) =>
        Effect.map(transactions.read, ({ batches }) => {
          const mine = keyOf(caller, key)
          return batches.values().some((kept) => kept.key === mine)
        }),

      find: (instanceId, id) => Effect.map(find({ instanceId, id }), (kept) => kept?.batch),

      lease: (ref) =>
        transactions.run(
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const kept = yield* find(ref)
            if (kept?.batch.status !== "running" || (kept.owner !== null && kept.leasedUntil >= now))
              return undefined
            yield* keep(ref.instanceId, { ...kept, owner: ref.owner, leasedUntil: now + IMPORT_LEASE_MILLIS })
            return kept.batch.checkpoint.nextIndex
          })
        ),

      release: (ref) =>
        transactions.run(
          Effect.gen(function* () {
            const kept = yield* find(ref)
            const now = yield* Clock.currentTimeMillis
            if (kept?.owner === ref.owner)
              yield* keep(ref.instanceId, { ...kept, owner: null, leasedUntil: now })
          })
        ),

      advance: (ref, index, items) =>
        transactions.run(
          Effect.gen(function* () {
            const kept = yield* find(ref)
            if (
              kept?.owner !== ref.owner ||
              kept.batch.status !== "running" ||
              kept.batch.checkpoint.nextIndex !== index
            )
              return false
            const outcomes = yield* transactions.run(items)
            const leasedUntil = (yield* Clock.currentTimeMillis) + IMPORT_LEASE_MILLIS
            yield* keep(ref.instanceId, { ...kept, leasedUntil, batch: outcomes.reduce(moved, kept.batch) })
            return true
          })
        ),

      sweep: (limit, days) =>
        transactions.run(
          Effect.gen(function* () {
            const until = (yield* Clock.currentTimeMillis) - days * DAY_MILLIS
            const { batches } = yield* transactions.read
            const gone = [...batches].filter(([, { leasedUntil }]) => leasedUntil < until).slice(0, limit)
            const ids = new Set(gone.map(([id]) => id))
            yield* transactions.write((tables) => ({
              batches: new Map([...tables.batches].filter(([id]) => !ids.has(id)))
            }))
            return ids.size
          })
        )
    })
  })
)

/** The batch with one item more; the last one ends it. */
const moved = (batch: KeptBatch["batch"], outcome: ItemOutcome): KeptBatch["batch"] => {
  const index = batch.checkpoint.nextIndex
  const failed = batch.failed + (outcome.status === "failed" ? 1 : 0)
  return {
    ...batch,
    status: index + 1 < batch.total ? "running" : failed > 0 ? "completed_with_errors" : "completed",
    checkpoint: { nextIndex: index + 1 },
    succeeded: batch.succeeded + (outcome.status === "failed" ? 0 : 1),
    failed,
    items: [...batch.items, { ...outcome, index }]
  }
}
