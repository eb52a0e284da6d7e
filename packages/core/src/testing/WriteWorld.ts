// Test data of the laws of writing stores: an instance with two users and two clients.
import { type AuthorizedSession, permissionsOf } from "@rapport/contract/Authorization.ts"
import { Context, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Writer } from "../audit/Writer.ts"
import type { ClientContextStore } from "../clients/ClientContextStore.ts"
import type { ImportStore } from "../imports/ImportStore.ts"
import { Receipts } from "../receipts/Receipts.ts"
import type { SessionStore } from "../sessions/SessionStore.ts"
import { anySession } from "./SessionFixtures.ts"

/** An instance that no other test uses. */
export interface World {
  readonly session: AuthorizedSession
  /** A user of the same instance. */
  readonly other: AuthorizedSession
  readonly clientIds: readonly [number, number]
}

export class WriteWorld extends Context.Service<
  WriteWorld,
  {
    readonly fresh: Effect.Effect<World>
    /** Expires every lease of an import. */
    readonly endLeases: Effect.Effect<void>
  }
>()("core/testing/WriteWorld") {}

/** The services that laws of writing stores need. */
export type WriteStores =
  | Receipts
  | ClientContextStore
  | SessionStore
  | ImportStore
  | WriteWorld
  | SecureRandom.SecureRandom

/** A session of an administrator. */
export const sessionOf = (instanceId: number, userId: number, sessionId: string): AuthorizedSession =>
  anySession({
    instanceId,
    userId,
    sessionId,
    roles: ["administrator"],
    permissions: new Set(permissionsOf(["administrator"]))
  })

export const writerIn = ({ session }: World): Writer => ({ session, operation: "law", receiptId: null })

/** Runs a write of a store in a transaction of Receipts, as a use case does. */
export const inTransaction = Effect.fnUntraced(function* <A, E, R>(
  { session }: World,
  effect: Effect.Effect<A, E, R>
) {
  const receipts = yield* Receipts
  const command = { operation: "law", pathIds: [], content: {} }
  const answers: Array<A> = []
  yield* receipts.once({ caller: session, command, key: null, answer: Schema.Null }, () =>
    Effect.map(effect, (answer) => {
      answers.push(answer)
      return { answer: null, replayed: false }
    })
  )
  const [answer] = answers
  return answer as A
})
