// Where laws of the writing stores take place: an instance of its own with two clients, and who writes there.
import { type AuthorizedSession, permissionsOf } from "@rapport/contract/Authorization.ts"
import { Context, Effect, Schema } from "effect"
import type { Writer } from "../audit/Writer.ts"
import { Receipts } from "../receipts/Receipts.ts"
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
    /** Every lease of an import is over, as if its time had passed. */
    readonly endLeases: Effect.Effect<void>
  }
>()("core/testing/WriteWorld") {}

/** A session of an administrator, as authentication would make it. */
export const sessionOf = (instanceId: number, userId: number, sessionId: string): AuthorizedSession =>
  anySession({
    instanceId,
    userId,
    sessionId,
    roles: ["administrator"],
    permissions: new Set(permissionsOf(["administrator"]))
  })

/** Who writes, for the audit log. */
export const writerIn = ({ session }: World): Writer => ({ session, operation: "law", receiptId: null })

/** Runs a write of a store as a use case does: in a transaction of Receipts. */
export const inTransaction = Effect.fnUntraced(function* <A, E, R>(
  { session }: World,
  effect: Effect.Effect<A, E, R>
) {
  const receipts = yield* Receipts
  const command = { operation: "law", pathIds: [], content: {} }
  const kept: Array<A> = []
  yield* receipts.once({ caller: session, command, key: null, answer: Schema.Null }, () =>
    Effect.map(effect, (answer) => {
      kept.push(answer)
      return { answer: null, replayed: false }
    })
  )
  const [answer] = kept
  return answer as A
})
