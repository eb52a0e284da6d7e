// Writes of several requests of one instance in one statement: what comes while one runs goes into the next, so that many share a
// round trip and a commit. Each gets its own outcome.
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/FairPermits.ts"
import { Effect, Exit, Result } from "effect"
import type { SqlError } from "effect/sql"
import { isDeadlock, isRefused } from "./SqlFailure.ts"
import { overdue } from "./Overdue.ts"

/** Statements of one instance at once; rows with a turn have one of these each. */
const AT_ONCE = 2
const ROWS_MAX = 64
/** Characters of the rows of one statement; a longer row goes by itself. */
const CHARACTERS_MAX = 256 * 1024
/** Rows of one instance that wait, and how long each of them waits for its statement to begin. */
const WAITING_MAX = 1_024
const WAIT_MILLIS_MAX = 3_000
/** A row older than this is not written by itself after its batch was refused. */
const AGAIN_MILLIS_MAX = 2_500

/**
 * Writes rows, which are JSON texts, of one instance in one statement: all that it can, outcomes in their order, or it fails and
 * has written nothing. `isAlone`: a single row, which may wait for locks as any statement does.
 */
type Write<A> = (
  instanceId: number,
  rows: ReadonlyArray<string>,
  isAlone: boolean
) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>

interface Waiting<A> {
  readonly row: string
  readonly since: number
  readonly resume: (outcome: Effect.Effect<A, SqlError.SqlError>) => void
}

interface Tenant<A> {
  readonly key: string
  readonly instanceId: number
  readonly atOnce: number
  readonly waiting: Array<Waiting<A>>
  running: number
  timer: NodeJS.Timeout | undefined
}

const tooLate = overdue("no statement took the write in time")

/**
 * Writes a row together with those of other requests of the same instance. Rows with an equal `turn` are never in two statements
 * at once. A caller who stops waiting takes a row along that has
 * not begun; one that has is written, as a statement that was sent is.
 */
export const makeWriteBatches = <A>(
  write: Write<A>
): Effect.Effect<(instanceId: number, row: string, turn?: number) => Effect.Effect<A, SqlError.SqlError>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const tenants = new Map<string, Tenant<A>>()
    const run = Effect.runForkWith(context)

    /**
     * One row that is refused, or waits for a lock, is no concern of the others: each of them is written by itself. And once
     * more, where that ended as a deadlock.
     */
    const together = (
      tenant: Tenant<A>,
      rows: ReadonlyArray<Waiting<A>>,
      isAlone: boolean
    ): Effect.Effect<void> => {
      const texts = rows.map(({ row }) => row)
      return Effect.flatMap(Effect.exit(Effect.result(write(tenant.instanceId, texts, isAlone))), (exit) => {
        const refused = Exit.isSuccess(exit) && Result.isFailure(exit.value) ? exit.value.failure : undefined
        if (refused !== undefined && (isAlone ? isDeadlock(refused) : isRefused(refused)))
          return Effect.forEach(rows, (one) => alone(tenant, one), {
            concurrency: "unbounded",
            discard: true
          })
        const outcomes = Exit.isSuccess(exit) && Result.isSuccess(exit.value) ? exit.value.success : []
        const failed = Effect.andThen(Effect.flatMap(exit, Effect.fromResult), () =>
          Effect.die("a row without an outcome")
        )
        for (const [at, { resume }] of rows.entries()) {
          const outcome = outcomes[at]
          resume(outcome === undefined ? failed : Effect.succeed(outcome))
        }
        return Effect.void
      })
    }

    const alone = (tenant: Tenant<A>, one: Waiting<A>): Effect.Effect<void> =>
      performance.now() - one.since > AGAIN_MILLIS_MAX
        ? Effect.sync(() => one.resume(tooLate))
        : together(tenant, [one], true)

    const serve = (tenant: Tenant<A>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const rows = taken(tenant)
        if (rows.length > 0)
          return Effect.flatMap(together(tenant, rows, rows.length === 1), () => serve(tenant))
        tenant.running--
        if (tenant.running === 0) tenants.delete(tenant.key)
        return Effect.void
      })

    return (instanceId, row, turn) =>
      Effect.callback((resume) => {
        const [key, atOnce] =
          turn === undefined ? [String(instanceId), AT_ONCE] : [`${instanceId}/${turn % AT_ONCE}`, 1]
        const tenant = tenants.get(key) ?? {
          key,
          instanceId,
          atOnce,
          waiting: [],
          running: 0,
          timer: undefined
        }
        tenants.set(key, tenant)
        if (tenant.waiting.length >= WAITING_MAX) return resume(tooLate)
        const one: Waiting<A> = { row, since: performance.now(), resume }
        tenant.waiting.push(one)
        watch(tenant)
        if (tenant.running < tenant.atOnce) {
          tenant.running++
          run(Effect.provideService(serve(tenant), CurrentTenant, tenantOf(tenant)))
        }
        return Effect.sync(() => {
          const at = tenant.waiting.indexOf(one)
          if (at >= 0) tenant.waiting.splice(at, 1)
        })
      })
  })

/** The next rows of a statement, oldest first. */
const taken = <A>(tenant: Tenant<A>): ReadonlyArray<Waiting<A>> => {
  let count = 0
  let characters = 0
  for (const { row } of tenant.waiting) {
    characters += row.length
    if (count === ROWS_MAX || (count > 0 && characters > CHARACTERS_MAX)) break
    count++
  }
  return tenant.waiting.splice(0, count)
}

/** Ends what waits for too long. */
const watch = <A>(tenant: Tenant<A>): void => {
  const [oldest] = tenant.waiting
  if (tenant.timer !== undefined || oldest === undefined) return
  const millis = oldest.since + WAIT_MILLIS_MAX - performance.now()
  tenant.timer = setTimeout(() => {
    tenant.timer = undefined
    const now = performance.now()
    while ((tenant.waiting[0]?.since ?? now) + WAIT_MILLIS_MAX <= now) tenant.waiting.shift()?.resume(tooLate)
    watch(tenant)
  }, millis).unref()
}
