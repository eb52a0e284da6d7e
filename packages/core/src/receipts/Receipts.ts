// Port of idempotent writes: a command under a key has its effect once, and every repeat gets the first answer
// (contract §1.3). Races are settled by the store, never in memory.
import type { IdempotencyInProgress, IdempotencyKeyReused, QuotaExceeded } from "@rapport/contract/Errors.ts"
import { Clock, Context, Effect, type Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Caller } from "../access/Caller.ts"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"

/** A decoded command: what its fingerprint is made of. `content` is plain data: times as numbers, defaults filled. */
export interface Command {
  /** For example `client.action.register`. */
  readonly operation: string
  readonly pathIds: ReadonlyArray<string | number>
  readonly content: unknown
  /** A password of the command: a part of its fingerprint too, in a form that does not reveal it. */
  readonly secret?: string
}

/** Operations of context writes, whose receipts are kept longer; imports have their batches. */
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

/** Who asks for what under which key; without one every request is a command of its own. */
export type Claiming = Pick<OnceOptions<never, never>, "caller" | "command" | "key">

/** A receipt that a store writes together with the effect, in one statement; none is written where the key is taken. */
export interface Claim extends Receipt {
  readonly caller: Caller
  readonly key: string
}

/** A command whose receipt is written by the statement of its effect; without a key it leaves no receipt. */
export interface PreparedWrite {
  readonly receipt: Receipt
  readonly key: string | null
  /** Why the instance takes no new data now. A repeat is answered nevertheless. */
  readonly refusal: QuotaExceeded | SourceUnavailable | null
}

/** Makes `Receipts.prepare`; `pass` is that of the WriteGate. */
export const preparing =
  (
    random: SecureRandom.SecureRandom["Service"],
    fingerprintOf: (command: Command) => Effect.Effect<string>,
    pass: (instanceId: number, operation: string) => Effect.Effect<void, QuotaExceeded | SourceUnavailable>
  ) =>
  ({ caller, command, key }: Claiming): Effect.Effect<PreparedWrite> =>
    Effect.gen(function* () {
      const { operation } = command
      const refusal = yield* Effect.match(pass(caller.instanceId, operation), {
        onFailure: (failure) => failure,
        onSuccess: () => null
      })
      const fingerprint = yield* fingerprintOf(command)
      const committedAt = yield* Clock.currentTimeMillis
      return { receipt: { id: yield* random.uuidV7(), operation, fingerprint, committedAt }, key, refusal }
    })

/** How a claim is made, whatever keeps receipts; null without a key. */
export const claiming =
  (
    random: SecureRandom.SecureRandom["Service"],
    fingerprintOf: (command: Command) => Effect.Effect<string>
  ) =>
  ({ caller, command, key }: Claiming): Effect.Effect<Claim | null> =>
    Effect.gen(function* () {
      if (key === null) return null
      const fingerprint = yield* fingerprintOf(command)
      const committedAt = yield* Clock.currentTimeMillis
      return {
        id: yield* random.uuidV7(),
        operation: command.operation,
        fingerprint,
        committedAt,
        caller,
        key
      }
    })

/** What the first request did: its answer, and whether it found the effect already there (by an external id). */
export interface Effected<A> {
  readonly answer: A
  readonly replayed: boolean
}

export interface OnceOptions<A, I> {
  readonly caller: Caller
  readonly command: Command
  /** Without a key every request is a command of its own and leaves no receipt behind. */
  readonly key: string | null
  /** How the answer is kept; a repeat decodes what the first one encoded. */
  readonly answer: Schema.Codec<A, I>
  /** Takes out what is shown once (a token, a secret) before the answer is kept. */
  readonly forget?: (answer: A) => A
}

/** What a repeat finds under its key, decided purely. */
export type Seen = { readonly _tag: "New" } | { readonly _tag: "Replay" } | { readonly _tag: "Reused" }
export const decide = (kept: { readonly fingerprint: string } | null, fingerprint: string): Seen =>
  kept === null ? { _tag: "New" } : kept.fingerprint === fingerprint ? { _tag: "Replay" } : { _tag: "Reused" }

export class Receipts extends Context.Service<
  Receipts,
  {
    /**
     * Runs `effect` in one transaction with its receipt; every store used inside joins it, and a failure undoes all.
     * Equal commands at once queue on the key for at most RECEIPT_WAIT_MILLIS_MAX.
     */
    readonly once: <A, I, E, R>(
      options: OnceOptions<A, I>,
      effect: (receipt: Receipt) => Effect.Effect<Effected<A>, E, R>
    ) => Effect.Effect<
      Effected<A>,
      E | IdempotencyInProgress | IdempotencyKeyReused | QuotaExceeded | SourceUnavailable,
      R
    >
    /** For an effect that is one statement; null without a key. Whatever finds the key taken goes through `once`. */
    readonly claim: (claiming: Claiming) => Effect.Effect<Claim | null, QuotaExceeded | SourceUnavailable>
    /** The receipt of a command that one statement writes together with its effect. */
    readonly prepare: (claiming: Claiming) => Effect.Effect<PreparedWrite>
    /** `sha256:` and hex of the canonical command: what repeats are recognized by. */
    readonly fingerprint: (command: Command) => Effect.Effect<string>
    /**
     * Removes receipts older than RECEIPT_DAYS_MIN, those of context writes when they are older than so many days (0:
     * never), at most `limit` at once; how many went.
     */
    readonly sweep: (limit: number, contextWriteDays: number) => Effect.Effect<number, SourceUnavailable>
  }
>()("core/receipts/Receipts") {}
