// Writes the audit entries of reads in batches. A change writes its entry in its own statement (`auditedFrom`).
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AuditEntry, AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { type Cause, Clock, Effect, Fiber, Layer, Queue, Schedule, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../sql/Query.ts"
import { rowsAs } from "../sql/RowsAs.ts"

/** The longest batch, written in one statement. */
const AUDIT_BATCH_ENTRIES_MAX = 500
/** How long the first entry of a batch waits for others. */
export const AUDIT_GATHER_MILLIS = 100
/** Queued entries. */
const AUDIT_QUEUE_ENTRIES_MAX = 10_000
/** A stop waits this long for queued entries. */
const AUDIT_DRAIN_MILLIS_MAX = 5_000

interface QueuedEntry extends AuditEntry {
  readonly createdAt: string
}

/** Closing the scope writes the queued entries. */
export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* Queue.bounded<QueuedEntry, Cause.Done>(AUDIT_QUEUE_ENTRIES_MAX)

    const insert = (batch: ReadonlyArray<QueuedEntry>) =>
      sql`insert into audit_log (${sql.literal(auditColumns)})
        select ${sql.literal(auditColumns)} from ${rowsAs("entry", batch.map(columnsOf))} order by place`.pipe(
        orUnavailable,
        // While the database is unavailable entries stay queued, and `append` waits if the queue is full.
        Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])),
        Effect.orDie
      )

    // An entry that cannot be written does not prevent the others.
    const write = (batch: ReadonlyArray<QueuedEntry>) =>
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

    const writer = yield* Stream.fromQueue(queue).pipe(
      Stream.groupedWithin(AUDIT_BATCH_ENTRIES_MAX, AUDIT_GATHER_MILLIS),
      Stream.runForEach(write),
      Effect.forkScoped({ startImmediately: true })
    )
    yield* Effect.addFinalizer(() =>
      Queue.end(queue).pipe(
        Effect.andThen(Effect.interruptible(Fiber.await(writer))),
        Effect.timeoutOrElse({
          duration: AUDIT_DRAIN_MILLIS_MAX,
          orElse: () =>
            Effect.logError("the stop timed out: queued entries of the audit log were not written")
        })
      )
    )

    return AuditLog.of({
      append: Effect.fnUntraced(function* (entry) {
        const waiting = { ...entry, createdAt: isoOf(yield* Clock.currentTimeMillis) }
        // After the queue has ended a request writes its entry directly.
        if (!(yield* Queue.offer(queue, waiting))) yield* write([waiting])
      })
    })
  })
)

const auditColumns = `instance_id, action, actor_type, actor_id, entity, entity_id, decision, request_id, address, details,
  created_at`

const columnsOf = (entry: QueuedEntry) => ({
  "instance_id int8": entry.instanceId,
  "action text": entry.action,
  "actor_type text": entry.actorType,
  "actor_id int8": entry.actorId,
  "entity text": entry.entity,
  "entity_id text": entry.entityId,
  "decision text": entry.decision,
  "request_id text": entry.requestId,
  "address text": entry.address,
  "details json": entry.details,
  "created_at timestamptz": entry.createdAt
})
