// The audit log in PostgreSQL: reads hand their entries to a batched writer; a change writes its own in its statement (AuditEntry.ts).
import { AUDIT_BATCH_ENTRIES_MAX, AUDIT_GATHER_MILLIS } from "./AuditLimits.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AuditEntry, AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { type Cause, Clock, Effect, Fiber, Latch, Layer, Queue, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../sql/Query.ts"

/** Entries of reads that wait to be written. */
const AUDIT_QUEUE_ENTRIES_MAX = 10_000
/** How long a stop waits for the entries that are left. */
const AUDIT_DRAIN_MILLIS_MAX = 5_000

/** An entry with the time it was made at; what waits to be written. */
interface Waiting extends AuditEntry {
  readonly createdAt: string
}

/** Writes what it is given soon after, many entries at once; what is left when the scope ends is written then. */
export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* Queue.bounded<Waiting, Cause.Done>(AUDIT_QUEUE_ENTRIES_MAX)

    const insert = (batch: ReadonlyArray<Waiting>) =>
      sql`insert into audit_log (instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id,
          address, details, created_at)
        select * from json_to_recordset(${JSON.stringify(batch.map(columnsOf))}::text::json) as entry(
          instance_id int8, action text, actor_type text, actor_id int8, entity text, entity_id text, decision text,
          request_id text, address text, details json, created_at timestamptz)`.pipe(
        orUnavailable,
        // The database is away: what waits is kept, and `append` waits once the queue is full.
        Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])),
        Effect.orDie
      )

    // One entry that cannot be written takes none of the others with it.
    const write = (batch: ReadonlyArray<Waiting>) =>
      Effect.catchDefect(insert(batch), () =>
        Effect.forEach(
          batch,
          (entry) =>
            Effect.catchDefect(insert([entry]), (defect) =>
              Effect.logError(`an entry of the audit log is lost: ${entry.action}`, defect)
            ),
          { discard: true }
        )
      )

    const stopping = yield* Latch.make()
    // The entries of reads that come one after the other are written together.
    const gathered = Effect.raceFirst(Effect.sleep(AUDIT_GATHER_MILLIS), stopping.await)
    const writer = yield* Effect.forkScoped(
      Queue.takeBetween(queue, 1, AUDIT_BATCH_ENTRIES_MAX).pipe(
        Effect.tap(write),
        Effect.flatMap((batch) => (batch.length < AUDIT_BATCH_ENTRIES_MAX ? gathered : Effect.void)),
        Effect.forever,
        Effect.ignore
      ),
      { startImmediately: true }
    )
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        yield* Queue.end(queue)
        yield* stopping.open
        yield* Effect.interruptible(Fiber.await(writer))
      }).pipe(
        Effect.timeoutOrElse({
          duration: AUDIT_DRAIN_MILLIS_MAX,
          orElse: () => Effect.logError("the audit log could not be written to its end before the stop")
        })
      )
    )

    return AuditLog.of({
      append: Effect.fnUntraced(function* (entry) {
        const waiting = { ...entry, createdAt: isoOf(yield* Clock.currentTimeMillis) }
        // A request that outlives the queue writes its entry itself.
        if (!(yield* Queue.offer(queue, waiting))) yield* write([waiting])
      })
    })
  })
)

const columnsOf = (entry: Waiting) => ({
  instance_id: entry.instanceId,
  action: entry.action,
  actor_type: entry.actorType,
  actor_id: entry.actorId,
  entity: entry.entity,
  entity_id: entry.entityId,
  decision: entry.decision,
  request_id: entry.requestId,
  address: entry.address,
  details: entry.details,
  created_at: entry.createdAt
})
