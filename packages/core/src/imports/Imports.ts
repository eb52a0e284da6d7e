// The use cases of import batches, which resume at their checkpoint under the same key (contract §5).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { IdempotencyInProgress, IdempotencyKeyReused, PayloadTooLarge } from "@rapport/contract/Errors.ts"
import type { ImportRequest } from "@rapport/contract/imports/ImportsApi.ts"
import { IMPORT_BYTES_MAX, RECEIPT_WAIT_MILLIS_MAX } from "@rapport/contract/Limits.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { WriteCapacity } from "../capacity/WriteCapacity.ts"
import { Permissions } from "../access/Permissions.ts"
import { ClientContextStore } from "../clients/ClientContextStore.ts"
import { canonicalBytes } from "../json/CanonicalJson.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { orNotFound } from "../lists/RecordUseCases.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { SessionStore } from "../sessions/SessionStore.ts"
import {
  contentOf,
  groupLength,
  type ImportContext,
  importGroup,
  checkItem,
  type CheckedItem
} from "./ImportItems.ts"
import { type BatchRef, ImportStore } from "./ImportStore.ts"

/** How often an equal request checks whether the first one has ended. */
const IMPORT_WATCH_MILLIS = 50

export class Imports extends Context.Service<Imports>()("core/imports/Imports", {
  make: Effect.gen(function* () {
    const store = yield* ImportStore
    const services = {
      context: yield* ClientContextStore,
      sessions: yield* SessionStore,
      receipts: yield* Receipts,
      random: yield* SecureRandom.SecureRandom
    }
    const { random, receipts } = services
    const capacity = yield* WriteCapacity
    return {
      /** `count` charges the caller for the items, after authorization and before any write. */
      run: Effect.fn("Imports.run")(function* <E = never, R = never>(
        session: AuthorizedSession,
        request: ImportRequest,
        key: string,
        count: Effect.Effect<void, E, R> = Effect.void
      ) {
        if (canonicalBytes(request.items) > IMPORT_BYTES_MAX)
          return yield* new PayloadTooLarge({ detail: `items are above ${IMPORT_BYTES_MAX} bytes` })
        yield* Permissions.require(session, "imports.write")
        yield* count
        // Sequential with yields: an item may have tens of thousands of members.
        const items = yield* Effect.forEach(request.items, (item) =>
          Effect.andThen(Effect.yieldNow, checkItem(item))
        )
        yield* Effect.yieldNow
        const { instanceId } = session
        const fingerprint = yield* receipts.fingerprint({
          operation: "context.import",
          pathIds: [],
          content: { source: request.source, items: items.map(contentOf) }
        })
        const [id, owner] = [yield* random.uuidV7(), yield* random.uuidV7()]
        const now = yield* Clock.currentTimeMillis
        const batch = { id, total: items.length, now, owner }
        // Only a new batch is refused for the quota; an existing one continues.
        yield* Effect.catch(capacity.pass(instanceId, "context.import"), (refused) =>
          Effect.flatMap(store.isKnown(session, key), (isKnown) =>
            isKnown ? Effect.void : Effect.fail(refused)
          )
        )
        const opened = yield* store.open(session, key, fingerprint, batch)
        if (opened.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused()
        if (opened.batch.status !== "running") return { answer: opened.batch, replayed: true }
        const ref = { instanceId, id: opened.batch.id, owner }
        // Only the request that created the batch answers as the first.
        const from = opened.isCreated ? 0 : yield* store.lease(ref)
        if (from !== undefined) {
          const importing = { ...services, session, batchId: ref.id, source: request.source }
          const isDone = yield* importFrom(store, importing, ref, from, items, capacity).pipe(
            Effect.ensuring(Effect.ignore(store.release(ref)))
          )
          if (isDone)
            return {
              answer: yield* Effect.catchTag(
                orNotFound(store.find(instanceId, ref.id)),
                "NotFound",
                Effect.die
              ),
              replayed: !opened.isCreated
            }
        }
        const finished = yield* awaitOther(store, instanceId, ref.id)
        return finished === undefined
          ? yield* new IdempotencyInProgress({ batchId: ref.id })
          : { answer: finished, replayed: true }
      }, orUnavailable),

      get: Effect.fn("Imports.get")(function* (session: AuthorizedSession, id: string) {
        yield* Permissions.require(session, "imports.write")
        return yield* orNotFound(store.find(session.instanceId, id))
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Imports, Imports.make)
}

type Store = ImportStore["Service"]

/** Waits for the process that has the lease. Undefined if the batch still runs after RECEIPT_WAIT_MILLIS_MAX. */
const awaitOther = Effect.fnUntraced(function* (store: Store, instanceId: number, id: string) {
  const until = (yield* Clock.currentTimeMillis) + RECEIPT_WAIT_MILLIS_MAX
  while ((yield* Clock.currentTimeMillis) < until) {
    const batch = yield* store.find(instanceId, id)
    if (batch !== undefined && batch.status !== "running") return batch
    yield* Effect.sleep(IMPORT_WATCH_MILLIS)
  }
  return undefined
})

const importFrom = Effect.fnUntraced(function* (
  store: Store,
  importing: ImportContext,
  ref: BatchRef,
  from: number,
  items: ReadonlyArray<CheckedItem>,
  capacity: (typeof WriteCapacity)["Service"]
) {
  for (let at = from; at < items.length;) {
    // After a refusal the batch resumes under the same key.
    yield* capacity.pass(importing.session.instanceId, "context.import")
    const group = items.slice(at, at + groupLength(items, at))
    const clientIds = group.map(({ item }) => item.clientId)
    if (!(yield* store.advance(ref, at, importGroup(importing, group), clientIds))) return false
    at += group.length
  }
  return true
})
