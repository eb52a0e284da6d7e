// Writes of several requests of one instance in one statement: what comes in one turn of the event loop, and while one runs, goes
// into the next, so that many share a round trip and a commit. Each gets its own outcome.
import { CurrentTenant, tenantOf } from "@rapport/core/traffic/TenantQueue.ts"
import { type Context, Effect, Exit, Result } from "effect"
import type { SqlError } from "effect/sql"
import { isDeadlock, isLockTimeout, isRefused } from "./SqlFailure.ts"
import { overdue } from "./Overdue.ts"

/** Statements of one instance at once; rows with a turn have one of these each. */
const AT_ONCE = 2
const ROWS_MAX = 64
/** A statement that runs for longer may wait for a lock: fewer rows than it has begin beside it then. */
const SLOW_MILLIS = 50
/** Characters of the rows of one statement; a longer row goes by itself. */
const CHARACTERS_MAX = 256 * 1024
/** Rows of one instance that wait, and how long each of them waits for its statement to begin. */
const WAITING_MAX = 1_024
const WAIT_MILLIS_MAX = 3_000
/** A row older than this is not written by itself after its batch was refused. */
const AGAIN_MILLIS_MAX = 2_500

/** In place of an outcome: another transaction holds what the row needs, and nothing was written of it. */
export const LOCKED = Symbol("locked")

/**
 * Writes rows, which are JSON texts, of one instance in one statement: all that it can, outcomes in their order, or it fails and
 * has written nothing. `mayWait`: for locks, as any statement does; then no row is LOCKED.
 */
type Write<A> = (
  instanceId: number,
  rows: ReadonlyArray<string>,
  mayWait: boolean
) => Effect.Effect<ReadonlyArray<A | typeof LOCKED>, SqlError.SqlError>

/** Of rows that would wait for each other in PostgreSQL: those with an equal key are never in two statements at once. */
export interface Turn<A> {
  readonly key: number
  /** What it writes. */
  readonly of: string
  /** Whether another's write has probably made it one that writes nothing: then it keeps no turn from who may write. */
  readonly isLost: () => boolean
  /** Hears of an outcome before any row of its statement does, and says whether the row has lost by it. */
  readonly heard: (outcome: A) => boolean
}

interface Waiting<A> {
  readonly row: string
  readonly turn: Turn<A> | undefined
  readonly since: number
  readonly resume: (outcome: Effect.Effect<A, SqlError.SqlError>) => void
}

interface Tenant<A> {
  readonly key: string
  readonly instanceId: number
  readonly hasTurns: boolean
  readonly waiting: Array<Waiting<A>>
  running: number
  /** Of the statements that run and are not slow. */
  rows: number
  /** Whether the end of this turn of the event loop begins what may begin. */
  isGathering: boolean
  /** Whether rows that have lost are in a statement of their own, beside which one with a turn may begin. */
  isAside: boolean
  /** Rows that need what another transaction holds, and whether a statement beside the others waits for it. */
  readonly locked: Array<Waiting<A>>
  isPatient: boolean
  timer: NodeJS.Timeout | undefined
}

const tooLate = overdue("no statement took the write in time")

/**
 * Writes a row together with those of other requests of the same instance. A caller who stops waiting takes a row along that has
 * not begun; one that has is written, as a statement that was sent is.
 */
export const makeWriteBatches = <A>(
  write: Write<A>
): Effect.Effect<(instanceId: number, row: string, turn?: Turn<A>) => Effect.Effect<A, SqlError.SqlError>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const tenants = new Map<string, Tenant<A>>()
    const next = makeNext(write, context, ({ key }) => tenants.delete(key))

    return (instanceId, row, turn) =>
      Effect.callback((resume) => {
        const tenant = tenantFor(tenants, instanceId, turn)
        if (tenant.waiting.length >= WAITING_MAX) return resume(tooLate)
        const one: Waiting<A> = { row, turn, since: performance.now(), resume }
        tenant.waiting.push(one)
        watch(tenant)
        next(tenant)
        return Effect.sync(() => {
          for (const rows of [tenant.waiting, tenant.locked]) {
            const at = rows.indexOf(one)
            if (at >= 0) rows.splice(at, 1)
          }
        })
      })
  })

const tenantFor = <A>(
  tenants: Map<string, Tenant<A>>,
  instanceId: number,
  turn: Turn<A> | undefined
): Tenant<A> => {
  const key = turn === undefined ? String(instanceId) : `${instanceId}/${turn.key % AT_ONCE}`
  const tenant = tenants.get(key) ?? {
    key,
    instanceId,
    hasTurns: turn !== undefined,
    waiting: [],
    running: 0,
    rows: 0,
    isGathering: false,
    isAside: false,
    locked: [],
    isPatient: false,
    timer: undefined
  }
  tenants.set(key, tenant)
  return tenant
}

/** Begins statements of what waits; `leave` hears of a tenant of which nothing waits or runs. */
const makeNext = <A>(
  write: Write<A>,
  context: Context.Context<never>,
  leave: (tenant: Tenant<A>) => void
): ((tenant: Tenant<A>) => void) => {
  const run = Effect.runForkWith(context)
  const together = makeTogether(write)

  const serve = (
    tenant: Tenant<A>,
    rows: ReadonlyArray<Waiting<A>>,
    onEnd: () => void,
    mayWait = false
  ): void => {
    const served = Effect.map(together(tenant, rows, mayWait), (locked) => {
      tenant.locked.push(...locked)
      onEnd()
      wait(tenant)
      next(tenant)
    })
    run(Effect.provideService(served, CurrentTenant, tenantOf(tenant)))
  }
  /** All that need what others hold wait in one statement, so that no other row waits, and no more than one connection. */
  const wait = (tenant: Tenant<A>): void => {
    const rows = tenant.isPatient ? [] : takenInTime(tenant.locked)
    if (rows.length === 0) return
    tenant.isPatient = true
    serve(tenant, rows, () => (tenant.isPatient = false), true)
  }
  const serveNext = (tenant: Tenant<A>): void => {
    const rows = taken(tenant.waiting)
    let counted = rows.length
    const uncount = () => {
      tenant.rows -= counted
      counted = 0
    }
    tenant.running++
    tenant.rows += counted
    const slow = setTimeout(() => {
      uncount()
      proceed(tenant)
    }, SLOW_MILLIS).unref()
    serve(tenant, rows, () => {
      clearTimeout(slow)
      uncount()
      tenant.running--
    })
  }

  /** Begins what may begin. */
  const proceed = (tenant: Tenant<A>): void => {
    const { hasTurns, isAside, isGathering, isPatient, rows, running, waiting } = tenant
    // A statement costs as much as several rows do: one beside another has as many as that, so that they grow with the load.
    if (running < (hasTurns ? 1 : AT_ONCE) && waiting.length >= rows && !waiting.every(isLost)) {
      // Who has lost goes along, and learns what the others make.
      serveNext(tenant)
      // More than one statement takes.
      if (waiting.length > 0) proceed(tenant)
    } else if (running === 0 && !isAside && waiting.length > 0) {
      tenant.isAside = true
      serve(tenant, taken(waiting), () => (tenant.isAside = false))
    } else if (running === 0 && !isAside && !isGathering && !isPatient) leave(tenant)
  }

  /** At the end of this turn of the event loop: those that ask in one turn are one statement. */
  const gather = (tenant: Tenant<A>): void => {
    if (tenant.isGathering) return
    tenant.isGathering = true
    setImmediate(() => {
      tenant.isGathering = false
      proceed(tenant)
    })
  }

  // Of writers of one state who may win begins at once.
  const next = (tenant: Tenant<A>): void => (tenant.hasTurns ? proceed(tenant) : gather(tenant))
  return next
}

/**
 * One row that is refused, or waits for a lock, is no concern of the others: each of them is written by itself. And once
 * more, where that ended as a deadlock. Gives the rows that need what another transaction holds.
 */
const makeTogether = <A>(write: Write<A>) => {
  const together = (
    tenant: Tenant<A>,
    rows: ReadonlyArray<Waiting<A>>,
    mayWait: boolean
  ): Effect.Effect<ReadonlyArray<Waiting<A>>> => {
    const texts = rows.map(({ row }) => row)
    return Effect.flatMap(Effect.exit(Effect.result(write(tenant.instanceId, texts, mayWait))), (exit) => {
      const refused = Exit.isSuccess(exit) && Result.isFailure(exit.value) ? exit.value.failure : undefined
      if (refused !== undefined && maySucceedAlone(refused, rows.length, mayWait))
        return Effect.as(
          Effect.forEach(rows, (one) => alone(tenant, one), { concurrency: "unbounded", discard: true }),
          []
        )
      const outcomes = Exit.isSuccess(exit) && Result.isSuccess(exit.value) ? exit.value.success : []
      const failed = Effect.andThen(Effect.flatMap(exit, Effect.fromResult), () =>
        Effect.die("a row without an outcome")
      )
      const locked: Array<Waiting<A>> = []
      const told: Array<Told> = []
      for (const [at, one] of rows.entries()) {
        const outcome = outcomes[at]
        if (outcome === LOCKED) locked.push(one)
        else
          told.push({
            of: one.turn?.of,
            hasLost: outcome !== undefined && one.turn?.heard(outcome) === true,
            resume: () => one.resume(outcome === undefined ? failed : Effect.succeed(outcome))
          })
      }
      tell(told)
      return Effect.succeed(locked)
    })
  }

  const alone = (tenant: Tenant<A>, one: Waiting<A>): Effect.Effect<unknown> =>
    isTooOld(one) ? Effect.sync(() => one.resume(tooLate)) : together(tenant, [one], true)
  return together
}

/** Rows that may wait have waited long enough for a lock. */
const maySucceedAlone = (refused: SqlError.SqlError, rows: number, mayWait: boolean): boolean =>
  mayWait && (rows === 1 || isLockTimeout(refused)) ? isDeadlock(refused) : isRefused(refused)

const isTooOld = <A>({ since }: Waiting<A>): boolean => performance.now() - since > AGAIN_MILLIS_MAX

interface Told {
  readonly of: string | undefined
  readonly hasLost: boolean
  readonly resume: () => void
}

/**
 * Where one has lost, all that write the same hear of it one in a turn of the event loop, in their order. Answering them at once, and
 * taking what they ask next, would keep the statement of who may win now waiting for all of them; a winner that hears first
 * would be the first to know its version, and win again and again.
 */
const tell = (rows: ReadonlyArray<Told>): void => {
  const contended = new Set(rows.filter(({ hasLost }) => hasLost).map(({ of }) => of))
  const inLine = rows.filter(({ of }) => contended.has(of))
  for (const { of, resume } of rows) if (!contended.has(of)) resume()
  const next = (at: number): void => {
    inLine[at]?.resume()
    if (at + 1 < inLine.length) setImmediate(() => next(at + 1))
  }
  next(0)
}

const isLost = <A>({ turn }: Waiting<A>): boolean => turn?.isLost() ?? false

/** The next rows of a statement, oldest first. */
const taken = <A>(waiting: Array<Waiting<A>>): ReadonlyArray<Waiting<A>> => {
  let count = 0
  let characters = 0
  for (const { row } of waiting) {
    characters += row.length
    if (count === ROWS_MAX || (count > 0 && characters > CHARACTERS_MAX)) break
    count++
  }
  return waiting.splice(0, count)
}

/** The same of rows that were in a statement before; those that are too old hear of it. */
const takenInTime = <A>(locked: Array<Waiting<A>>): ReadonlyArray<Waiting<A>> => {
  const inTime = locked.findIndex((one) => !isTooOld(one))
  const late = locked.splice(0, inTime < 0 ? locked.length : inTime)
  for (const { resume } of late) resume(tooLate)
  return taken(locked)
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
