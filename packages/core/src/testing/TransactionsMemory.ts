// Tables and transactions of the writing stores in memory: one at a time, all or nothing, with savepoints. For tests.
import type { ClientAction, ClientState } from "@rapport/contract/clients/ClientContextApi.ts"
import type { ImportBatch } from "@rapport/contract/imports/ImportsApi.ts"
import type { ContextSession, SessionMessage } from "@rapport/contract/sessions/SessionsApi.ts"
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Caller } from "../access/Caller.ts"

export interface KeptReceipt {
  readonly fingerprint: string
  readonly answer: unknown
  readonly committedAt: number
}
export interface KeptAction {
  readonly instanceId: number
  readonly action: ClientAction
  readonly fingerprint: string
  /** Of a repeat of its external event. */
  readonly answer: unknown
}
export interface KeptBatch {
  readonly key: string
  readonly fingerprint: string
  readonly batch: ImportBatch
  readonly owner: string | null
  readonly leasedUntil: number
}

/** Rows by the key that is unique; never changed in place. */
export interface Tables {
  readonly receipts: ReadonlyMap<string, KeptReceipt>
  readonly actions: ReadonlyArray<KeptAction>
  readonly states: ReadonlyMap<string, ReadonlyArray<ClientState>>
  readonly sessions: ReadonlyMap<string, ContextSession>
  readonly messages: ReadonlyMap<string, ReadonlyArray<SessionMessage>>
  readonly batches: ReadonlyMap<string, KeptBatch>
  readonly importedStates: ReadonlyMap<string, string>
}

const empty: Tables = {
  receipts: new Map(),
  actions: [],
  states: new Map(),
  sessions: new Map(),
  messages: new Map(),
  batches: new Map(),
  importedStates: new Map()
}

/** What the fiber's transaction has written so far. */
const Open = Context.Reference<{ tables: Tables } | null>("core/receipts/TransactionsMemory/Open", {
  defaultValue: () => null
})

export class TransactionsMemory extends Context.Service<
  TransactionsMemory,
  {
    /** Commits what the effect wrote, or nothing when it fails; inside another one it is a savepoint. */
    readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** What is committed, or what the transaction of this fiber sees. */
    readonly read: Effect.Effect<Tables>
    /** Outside a transaction it is one of its own. */
    readonly write: (change: (tables: Tables) => Partial<Tables>) => Effect.Effect<void>
  }
>()("core/receipts/TransactionsMemory") {
  static readonly layer = Layer.effect(
    TransactionsMemory,
    Effect.gen(function* () {
      const one = yield* Semaphore.make(1)
      let committed = empty
      const run = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
        const outer = yield* Open
        if (outer !== null) {
          const before = outer.tables
          return yield* Effect.onError(effect, () => Effect.sync(() => (outer.tables = before)))
        }
        return yield* Effect.gen(function* () {
          const open = { tables: committed }
          const done = yield* Effect.provideService(effect, Open, open)
          committed = open.tables
          return done
        }).pipe(one.withPermit)
      })
      const write = (change: (tables: Tables) => Partial<Tables>) =>
        Effect.gen(function* () {
          const open = yield* Open
          if (open !== null) open.tables = { ...open.tables, ...change(open.tables) }
        })
      return TransactionsMemory.of({
        run,
        // Others come between, as they do while a database is asked.
        read: Effect.andThen(
          Effect.yieldNow,
          Effect.map(Open, (open) => open?.tables ?? committed)
        ),
        write: (change) => run(write(change))
      })
    })
  )
}

/** The map with one row more, or another one in its place. */
export const withRow = <K, V>(rows: ReadonlyMap<K, V>, key: K, row: V): ReadonlyMap<K, V> =>
  new Map(rows).set(key, row)

/** The key of a row of receipts. */
export const receiptKey = ({
  caller,
  key,
  operation
}: {
  readonly caller: Caller
  readonly key: string
  readonly operation: string
}): string => JSON.stringify([caller.instanceId, caller.userId, caller.tokenId, operation, key])
