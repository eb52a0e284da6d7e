// Port of idempotent writes (contract §1.3).
import type { IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded } from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, type Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Caller } from "../access/Caller.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

/** The base of a fingerprint. `content` is plain data with times as numbers and defaults filled. */
export interface Command {
  /** For example `client.action.register`. */
  readonly operation: string
  readonly pathIds: ReadonlyArray<string | number>
  readonly content: unknown
  /** A password of the command, which the fingerprint contains only as a hash. */
  readonly secret?: string
}

/** Operations whose receipts are kept longer. Imports have their batches instead. */
export const contextWrites = [
  "client.action.register",
  "client.state.put",
  "context.session.create",
  "context.session.message",
  "context.session.close",
  "context.session.working-context"
] as const

/** `committedAt` in epoch milliseconds; `fingerprint` is `sha256:` and hex. */
export interface Receipt {
  readonly id: string
  readonly operation: string
  readonly fingerprint: string
  readonly committedAt: number
}

export type ReceiptRequest = Pick<OnceOptions<never, never>, "caller" | "command" | "key">

/** A command whose receipt is written by the statement of its effect. Without a key there is no receipt. */
export interface PreparedWrite {
  readonly receipt: Receipt
  readonly key: string | null
  /** The error for new data, if the instance accepts none now. A repeat is still answered. */
  readonly refusal: QuotaExceeded | SourceUnavailable | null
}

/** Makes `Receipts.prepare`; `pass` is that of WriteCapacity. */
export const makePrepare = (
  random: SecureRandom.SecureRandom["Service"],
  fingerprintOf: (command: Command) => Effect.Effect<string>,
  pass: (instanceId: number, operation: string) => Effect.Effect<void, QuotaExceeded | SourceUnavailable>
) =>
  Effect.fnUntraced(function* ({ caller, command, key }: ReceiptRequest): Effect.fn.Return<PreparedWrite> {
    const { operation } = command
    const refusal = yield* Effect.match(pass(caller.instanceId, operation), {
      onFailure: (failure) => failure,
      onSuccess: () => null
    })
    const fingerprint = yield* fingerprintOf(command)
    const committedAt = yield* Clock.currentTimeMillis
    return { receipt: { id: yield* random.uuidV7(), operation, fingerprint, committedAt }, key, refusal }
  })

/** The answer of a write. `replayed` is true if the effect existed before, under the key or an external id. */
export interface OnceResult<A> {
  readonly answer: A
  readonly replayed: boolean
}

export interface OnceOptions<A, I> {
  readonly caller: Caller
  readonly command: Command
  /** Without a key every request is a command of its own and leaves no receipt behind. */
  readonly key: string | null
  /** The stored form of the answer, which a repeat decodes. */
  readonly answer: Schema.Codec<A, I>
  /** Removes secrets, which are shown once, from the stored answer. */
  readonly redact?: (answer: A) => A
}

export class Receipts extends Context.Service<
  Receipts,
  {
    /**
     * Runs `effect` in one transaction with its receipt. Stores inside join the transaction, and a failure rolls it back.
     * Concurrent equal commands queue on the key for at most RECEIPT_WAIT_MILLIS_MAX.
     */
    readonly once: <A, I, E, R>(
      options: OnceOptions<A, I>,
      effect: (receipt: Receipt) => Effect.Effect<OnceResult<A>, E, R>
    ) => Effect.Effect<
      OnceResult<A>,
      E | IdempotencyInProgress | IdempotencyKeyReused | QuotaExceeded | SourceUnavailable,
      R
    >
    /** Prepares the receipt that one statement writes with the effect. */
    readonly prepare: (request: ReceiptRequest) => Effect.Effect<PreparedWrite>
    /** `sha256:` and hex of the canonical command. */
    readonly fingerprint: (command: Command) => Effect.Effect<string>
    /**
     * Removes at most `limit` receipts older than RECEIPT_DAYS_MIN, or than `contextWriteDays` (0: never) for context writes.
     * Returns their count.
     */
    readonly sweep: (limit: number, contextWriteDays: number) => Effect.Effect<number, SourceUnavailable>
  }
>()("core/receipts/Receipts") {}
