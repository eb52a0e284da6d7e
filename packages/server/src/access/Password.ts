// Hashes passwords with argon2id through a queue, which leaves threads for other work.
import { composedText } from "@rapport/contract/values/NormalForm.ts"
import { addressKey } from "@rapport/core/access/AddressKey.ts"
import { type HashPriority, Passwords } from "@rapport/core/access/Passwords.ts"
import { CurrentAddress } from "@rapport/core/audit/AuditLog.ts"
import { Admission } from "@rapport/core/traffic/Admission.ts"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { argon2, timingSafeEqual } from "node:crypto"
import { makeHashQueue } from "./HashQueue.ts"

/** Each running hash needs a thread and 19 MiB. */
const PASSWORD_HASHES_RUNNING_MAX = 2
const PASSWORD_HASHES_WAITING_MAX = 500
const PASSWORD_HASHES_WAITING_ADDRESS_MAX = 125
const PASSWORD_HASH_WAIT_MILLIS_MAX = 10_000

/** Parameters of contract §2; `memory` in KiB. A stored hash is verified with its own parameters. */
const present = { memory: 19_456, passes: 2, parallelism: 1 } as const
/** The PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
const PRESENT_BEGINNING = `$argon2id$v=19$m=${present.memory},t=${present.passes},p=${present.parallelism}$`
const TAG_BYTES = 32
const SALT_BYTES = 16

interface PasswordHash {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly tag: Buffer
}

export const layer: Layer.Layer<Passwords, never, Admission | SecureRandom.SecureRandom> = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const queue = makeHashQueue(yield* Admission, {
      running: PASSWORD_HASHES_RUNNING_MAX,
      waitingMax: PASSWORD_HASHES_WAITING_MAX,
      waitingOfAddressMax: PASSWORD_HASHES_WAITING_ADDRESS_MAX,
      waitMillisMax: PASSWORD_HASH_WAIT_MILLIS_MAX
    })
    // A running hash cannot be cancelled, so it keeps its slot after the caller disconnects.
    const tagOf = Effect.fnUntraced(function* (
      password: Redacted.Redacted,
      { memory, parallelism, passes, salt, tag }: PasswordHash,
      kind: HashPriority
    ) {
      const derived = Effect.callback<Buffer>((resume) =>
        argon2(
          "argon2id",
          {
            message: Redacted.value(password),
            nonce: salt,
            memory,
            passes,
            parallelism,
            tagLength: tag.length
          },
          (error, derived) => resume(error === null ? Effect.succeed(derived) : Effect.die(error))
        )
      )
      const address = addressKey((yield* CurrentAddress) ?? "")
      return yield* queue(kind, address)(Effect.uninterruptible(derived))
    })

    // An unknown login costs the same work, and no password matches.
    const nobody: PasswordHash = {
      ...present,
      salt: Buffer.from(yield* random.randomBytes(SALT_BYTES)),
      tag: Buffer.alloc(TAG_BYTES)
    }

    const hash = Effect.fn("Passwords.hash")(function* (password: Redacted.Redacted) {
      const salt = Buffer.from(yield* random.randomBytes(SALT_BYTES))
      const tag = yield* tagOf(
        composedOf(password),
        { ...present, salt, tag: Buffer.alloc(TAG_BYTES) },
        "known"
      )
      return `${PRESENT_BEGINNING}${encodeUnpadded(salt)}$${encodeUnpadded(tag)}`
    })

    const verify = Effect.fn("Passwords.verify")(function* (
      password: Redacted.Redacted,
      stored: string | null,
      kind: HashPriority = "known"
    ) {
      const hashed = (stored === null ? undefined : parseHash(stored)) ?? nobody
      const tag = yield* tagOf(composedOf(password), hashed, kind)
      return timingSafeEqual(tag, hashed.tag) && hashed !== nobody
    })

    return Passwords.of({ hash, verify, isOutdated: (stored) => !stored.startsWith(PRESENT_BEGINNING) })
  })
)

/** Has its own queue. */
export const commandLayer = layer.pipe(Layer.provide([Admission.memoryLayer(), SecureRandom.layerWebCrypto]))

/** Keyboards compose the same letters in different ways. */
const composedOf = (password: Redacted.Redacted): Redacted.Redacted =>
  Redacted.make(composedText(Redacted.value(password)))

const encodeUnpadded = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/u, "")

const form =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/u

const parseHash = (text: string): PasswordHash | undefined => {
  const [, memory, passes, parallelism, salt, tag] = form.exec(text) ?? []
  if (salt === undefined || tag === undefined) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64")
  }
}
