// Receipts in memory: what a test of use cases runs on, held to ReceiptsLaws.
import { IdempotencyKeyReused } from "@rapport/contract/Errors.ts"
import { RECEIPT_DAYS_MIN } from "@rapport/contract/Limits.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { commandText } from "../receipts/CommandText.ts"
import {
  contextWrites,
  type Command,
  matchKey,
  type OnceResult,
  type OnceOptions,
  makePrepare,
  type Receipt,
  Receipts
} from "../receipts/Receipts.ts"
import { receiptKey, TransactionsMemory, withRow } from "./TransactionsMemory.ts"

const DAY_MILLIS = 86_400_000
const fingerprintOf = (command: Command): string => `text:${commandText(command)}`

export const layer: Layer.Layer<Receipts, never, TransactionsMemory | SecureRandom.SecureRandom> =
  Layer.effect(
    Receipts,
    Effect.gen(function* () {
      const transactions = yield* TransactionsMemory
      const random = yield* SecureRandom.SecureRandom
      return Receipts.of({
        fingerprint: (command) => Effect.sync(() => fingerprintOf(command)),
        once: <A, I, E, R>(
          { answer, caller, command, redact, key }: OnceOptions<A, I>,
          effect: (receipt: Receipt) => Effect.Effect<OnceResult<A>, E, R>
        ) =>
          transactions.run(
            Effect.gen(function* () {
              const codec = Schema.toCodecJson(answer)
              const fingerprint = fingerprintOf(command)
              const committedAt = yield* Clock.currentTimeMillis
              const id = yield* random.uuidV7()
              const fresh = effect({ id, operation: command.operation, fingerprint, committedAt })
              if (key === null) return yield* fresh
              const row = receiptKey({ caller, operation: command.operation, key })
              const kept = (yield* transactions.read).receipts.get(row) ?? null
              switch (matchKey(kept, fingerprint)._tag) {
                case "Reused":
                  return yield* new IdempotencyKeyReused({})
                case "Replay":
                  return {
                    answer: yield* Effect.orDie(Schema.decodeUnknownEffect(codec)(kept?.answer)),
                    replayed: true
                  }
                case "New": {
                  const effected = yield* fresh
                  const shown = redact === undefined ? effected.answer : redact(effected.answer)
                  const encoded: unknown = yield* Effect.orDie(Schema.encodeEffect(codec)(shown))
                  yield* transactions.write(({ receipts }) => ({
                    receipts: withRow(receipts, row, { fingerprint, answer: encoded, committedAt })
                  }))
                  return effected
                }
              }
            })
          ),
        prepare: makePrepare(
          random,
          (command) => Effect.sync(() => fingerprintOf(command)),
          () => Effect.void
        ),
        sweep: (limit, contextWriteDays) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const kept = new Set<unknown>(contextWrites)
            const isOld = (row: string, committedAt: number): boolean => {
              const parts: unknown = JSON.parse(row)
              const isContextWrite = Array.isArray(parts) && parts.some((part) => kept.has(part))
              const days = isContextWrite ? contextWriteDays : RECEIPT_DAYS_MIN
              return days > 0 && committedAt < now - days * DAY_MILLIS
            }
            const { receipts } = yield* transactions.read
            const old = [...receipts]
              .filter(([row, { committedAt }]) => isOld(row, committedAt))
              .slice(0, limit)
            const gone = new Set(old.map(([key]) => key))
            yield* transactions.write((tables) => ({
              receipts: new Map([...tables.receipts].filter(([key]) => !gone.has(key)))
            }))
            return gone.size
          })
      })
    })
  )
