// Receipts in PostgreSQL. The receipt is inserted first, so that requests with an equal key wait for its transaction and then write
// nothing (contract §1.3).
import { IdempotencyInProgress, IdempotencyKeyReused } from "@rapport/contract/Errors.ts"
import { RECEIPT_DAYS_MIN } from "@rapport/contract/Limits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { WriteCapacity } from "@rapport/core/capacity/WriteCapacity.ts"
import { commandPieces } from "@rapport/core/receipts/CommandText.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import {
  type ReceiptRequest,
  type Command,
  contextWrites,
  type OnceResult,
  type OnceOptions,
  type Receipt,
  makePrepare,
  Receipts
} from "@rapport/core/receipts/Receipts.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash, scrypt } from "node:crypto"
import type { Sql } from "../sql/Fragment.ts"
import { retryDeadlocks } from "../sql/Deadlock.ts"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { orUnavailable, query, rowsOf, selectedCount } from "../sql/Query.ts"

const storedRows = rowsOf(Schema.Struct({ fingerprint: Schema.String, answer: Schema.Unknown }))

export const layer = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const capacity = yield* WriteCapacity
    const pass = ({ caller, command }: Pick<ReceiptRequest, "caller" | "command">) =>
      capacity.pass(caller.instanceId, command.operation)
    const contextWriteNames = sql.literal(contextWrites.map((name) => `'${name}'`).join(", "))
    return Receipts.of({
      once: Effect.fnUntraced(function* <A, I, E, R>(
        options: OnceOptions<A, I>,
        effect: (receipt: Receipt) => Effect.Effect<OnceResult<A>, E, R>
      ) {
        const fingerprint = yield* fingerprintOf(options.command, yield* stretchSecret(options))
        const committedAt = yield* Clock.currentTimeMillis
        const id = yield* random.uuidV7()
        const receipt = { id, operation: options.command.operation, fingerprint, committedAt }
        const fresh = Effect.andThen(pass(options), effect(receipt))
        const once = underKey(sql, options, receipt, fresh)
        return yield* orUnavailable(retryDeadlocks(sql.withTransaction(once)))
      }),
      fingerprint: plainFingerprintOf,
      prepare: makePrepare(random, plainFingerprintOf, capacity.pass),
      // Two selects, each with its own index, so that receipts that are kept for ever are not scanned.
      sweep: query("Receipts.sweep", (limit, contextWriteDays) =>
        selectedCount(sql`with old as (
            (select instance_id, principal, operation, key from receipts where operation not in (${contextWriteNames})
              and committed_at < now() - make_interval(days => ${RECEIPT_DAYS_MIN}::int4) limit ${limit})
            union all
            (select instance_id, principal, operation, key from receipts where operation in (${contextWriteNames})
              and ${contextWriteDays}::int4 > 0
              and committed_at < now() - make_interval(days => ${contextWriteDays}::int4) limit ${limit})
            limit ${limit}),
          deleted as (delete from receipts receipt using old where receipt.instance_id = old.instance_id
            and receipt.principal = old.principal and receipt.operation = old.operation
              and receipt.key = old.key returning 1)
          select count(*)::float8 as count from deleted`)
      )
    })
  })
)

/** Inserts the receipt before the effect. The insert waits for an equal command and then finds its answer. */
const underKey = Effect.fnUntraced(function* <A, I, E, R>(
  sql: Sql,
  { answer, caller, command, key, redact }: OnceOptions<A, I>,
  receipt: Receipt,
  fresh: Effect.Effect<OnceResult<A>, E, R>
) {
  if (key === null) return yield* fresh
  const principal = principalOf(caller)
  const codec = Schema.toCodecJson(answer)
  const row = sql`instance_id = ${caller.instanceId} and principal = ${principal}
      and operation = ${command.operation} and key = ${key}`
  for (;;) {
    const claimed = yield* sql`insert into receipts
        (instance_id, principal, operation, key, id, fingerprint, committed_at)
      values (${caller.instanceId}, ${principal}, ${command.operation}, ${key}, ${receipt.id}, ${receipt.fingerprint},
        ${isoOf(receipt.committedAt)}::timestamptz) on conflict do nothing returning id`.pipe(
      Effect.catchTag("SqlError", inProgressOrUnavailable)
    )
    if (claimed.length > 0) break
    const stored = yield* orUnavailable(
      storedRows.find(sql`select fingerprint, answer from receipts where ${row}`)
    )
    // A sweep or an erasure deleted the receipt between the two statements.
    if (stored === undefined) continue
    if (stored.fingerprint !== receipt.fingerprint) return yield* new IdempotencyKeyReused({})
    return { answer: yield* Effect.orDie(Schema.decodeUnknownEffect(codec)(stored.answer)), replayed: true }
  }
  const effected = yield* fresh
  const shown = redact === undefined ? effected.answer : redact(effected.answer)
  const text = JSON.stringify(yield* Effect.orDie(Schema.encodeEffect(codec)(shown)))
  yield* orUnavailable(sql`update receipts set answer = ${text}::text::json where ${row}`)
  return effected
})

/** The owner of keys: all sessions of a user, or one external token. */
export const principalOf = ({ tokenId, userId }: Caller): string =>
  tokenId === null ? `user/${userId}` : `token/${tokenId}`

/** A timeout of the wait for an equal command is IdempotencyInProgress. */
export const inProgressOrUnavailable = (
  error: SqlError.SqlError
): Effect.Effect<never, IdempotencyInProgress | SourceUnavailable> =>
  error.reason._tag === "LockTimeoutError"
    ? Effect.fail(new IdempotencyInProgress({}))
    : unavailableOrDie(error)

/** Hashing yields to other requests after so many characters. */
const SLICE_CHARACTERS = 256 * 1024

/**
 * SHA-256 of the canonical command: independent of member order, white space and the notation of numbers and dates. Hashes in slices,
 * so that a long command does not block other requests.
 */
export const fingerprintOf = Effect.fnUntraced(function* (command: Command, secret: Uint8Array) {
  const hash = createHash("sha256")
  let characters = 0
  for (const piece of commandPieces(command)) {
    hash.update(piece)
    characters += piece.length
    if (characters < SLICE_CHARACTERS) continue
    characters = 0
    yield* Effect.yieldNow
  }
  return `sha256:${hash.update(secret).digest("hex")}`
})

const plainFingerprintOf = (command: Command) => fingerprintOf(command, new Uint8Array())

/** Replaces the secret of a command in its fingerprint by a hash that is as slow to guess as a stored password. */
const stretchSecret = ({ caller, command, key }: ReceiptRequest): Effect.Effect<Uint8Array> => {
  const { operation, secret } = command
  if (secret === undefined || key === null) return Effect.succeed(new Uint8Array())
  const salt = JSON.stringify([caller.instanceId, caller.userId, caller.tokenId, operation, key])
  return Effect.callback((resume) =>
    scrypt(secret.normalize("NFC"), salt, 32, (error, derived) =>
      resume(error === null ? Effect.succeed(derived) : Effect.die(error))
    )
  )
}
