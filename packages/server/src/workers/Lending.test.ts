// What workers borrow of limits, against one counter: never above a limit, whatever crosses whatever on the way, and nobody refused
// while a worker holds what it does not use.
import { assert, describe, it } from "@effect/vitest"
import { TrafficDefaults, type TrafficLimit } from "@rapport/contract/Limits.ts"
import {
  type Places,
  type Taken,
  type Buckets,
  makeBuckets,
  type Quota,
  RATE_WINDOW_MILLIS
} from "@rapport/core/traffic/RateLimits.ts"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Borrowed } from "./Borrowed.ts"
import { type Borrower, Lender } from "./Lender.ts"
import type { BorrowerNote, LenderNote } from "./Messages.ts"
import { BORROWED_LOOK_MILLIS, EXTRA_MAX, RECALL_MILLIS_MAX } from "./WorkerLimits.ts"

const RATE = "REST_PER_MINUTE" satisfies TrafficLimit
const PRINCIPAL = "REST_AT_ONCE" satisfies TrafficLimit
const INSTANCE = "REST_AT_ONCE_INSTANCE" satisfies TrafficLimit

/** One request for a rate or for places, until it is answered. */
interface Waiting {
  readonly leave: () => void
  /** Whoever asked is gone in the moment in which the answer comes. */
  isLate: boolean
}

interface Sizes {
  readonly workers: number
  readonly perMinute: number
  readonly places: number
  readonly instancePlaces: number
}

/** A worker with the messages that are on their way to and from it. */
class Worker {
  readonly toParent: Array<BorrowerNote> = []
  readonly toWorker: Array<LenderNote> = []
  readonly waiting = new Set<Waiting>()
  readonly inUse: Array<{ readonly places: Places; readonly give: Effect.Effect<void> }> = []
  readonly borrowed: Borrowed
  readonly borrower: Borrower
  isHung = false

  constructor(world: World, lender: Lender) {
    const { after, limits, now } = world
    this.borrowed = new Borrowed({ limits, after, now, post: (note) => this.toParent.push(note) })
    this.borrower = lender.borrower((note) => {
      this.toWorker.push(note)
      if (note._tag === "Rate" && note.retryAfterMillis === null) world.passed(this.#asked.get(note.id))
    })
  }

  /** What each question was about, by its number: the parent counts it when it answers, wherever the answer ends. */
  readonly #asked = new Map<number, { readonly key: string; readonly amount: number }>()
  noteAsked(): void {
    const note = this.toParent.at(-1)
    if (note?._tag === "BorrowRate") this.#asked.set(note.id, { key: note.returned.key, amount: note.amount })
  }
}

class World {
  readonly limits
  readonly #sizes: Sizes
  readonly #lender: Lender
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()
  /** The one counter. */
  readonly #counter: Buckets
  #now = 1_000_000
  readonly workers: Array<Worker>
  readonly now = () => this.#now
  readonly after = (millis: number, run: () => void) => {
    const timer = { at: this.#now + millis, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  constructor(sizes: Sizes) {
    this.#sizes = sizes
    this.limits = {
      ...TrafficDefaults,
      [RATE]: sizes.perMinute,
      [PRINCIPAL]: sizes.places,
      [INSTANCE]: sizes.instancePlaces
    }
    this.#counter = makeBuckets(sizes.perMinute)
    this.#lender = new Lender({
      limits: this.limits,
      workers: sizes.workers,
      now: this.now,
      after: this.after
    })
    this.workers = Array.from({ length: sizes.workers }, () => new Worker(this, this.#lender))
  }

  worker(at: number): Worker {
    const found = this.workers[at % this.workers.length]
    assert.isDefined(found)
    return found
  }

  /** What passes must pass the one counter. */
  passed(taken: { readonly key: string; readonly amount: number } | undefined): void {
    if (taken === undefined) return
    const { key, amount } = taken
    assert.isNull(this.#counter.take(key, amount, this.#now).retryAfterMillis, "above the rate")
  }

  /** What the one counter has left. */
  left(key: string): number {
    return this.#counter.take(key, 0, this.#now).remaining
  }

  takeRate(worker: Worker, key: string, amount: number, settle: (quota: Quota) => void): void {
    const here = worker.borrowed.takeRate(RATE, key, amount)
    if (here !== undefined) {
      if (amount > 0) this.passed({ key, amount })
      settle(here)
      return
    }
    const waiting: Waiting = {
      isLate: false,
      leave: worker.borrowed.borrowRate(RATE, key, amount, (quota) => {
        worker.waiting.delete(waiting)
        settle(quota)
      })
    }
    worker.noteAsked()
    worker.waiting.add(waiting)
  }

  takePlaces(worker: Worker, key: string, settle: (taken: Taken) => void): void {
    const places: Places = [
      [PRINCIPAL, key],
      [INSTANCE, "1"]
    ]
    const got = (taken: Taken) => {
      if ("give" in taken) worker.inUse.push({ places, give: taken.give })
      assert.isAtMost(this.inUse(PRINCIPAL, key), this.#sizes.places, "places of a principal")
      assert.isAtMost(this.inUse(INSTANCE, "1"), this.#sizes.instancePlaces, "places of an instance")
      settle(taken)
    }
    const here = worker.borrowed.takePlaces(places)
    if (here !== undefined) return got(here)
    const waiting: Waiting = {
      isLate: false,
      leave: worker.borrowed.borrowPlaces(places, (taken) => {
        worker.waiting.delete(waiting)
        if (waiting.isLate) waiting.leave()
        else got(taken)
      })
    }
    worker.waiting.add(waiting)
  }

  inUse(limit: TrafficLimit, key: string): number {
    return this.workers
      .flatMap(({ inUse }) => inUse)
      .filter(({ places }) => places.some(([one, of]) => one === limit && of === key)).length
  }

  give(worker: Worker, at: number): void {
    const [one] = worker.inUse.splice(at % Math.max(1, worker.inUse.length), 1)
    if (one !== undefined) Effect.runSync(one.give)
  }

  leave(worker: Worker, isLate: boolean): void {
    const [waiting] = worker.waiting
    if (waiting === undefined) return
    waiting.isLate = isLate
    if (isLate) return
    worker.waiting.delete(waiting)
    waiting.leave()
  }

  crash(at: number): void {
    const index = at % this.workers.length
    const gone = this.worker(index)
    gone.isHung = true
    this.workers[index] = new Worker(this, this.#lender)
    gone.borrower.ended()
  }

  /** One message; false where none may arrive. */
  deliver(at: number): boolean {
    const worker = this.worker(at >> 1)
    if (at % 2 === 0) {
      const note = worker.toParent.shift()
      if (note !== undefined) worker.borrower.hear(note)
      return note !== undefined
    }
    const note = worker.isHung ? undefined : worker.toWorker.shift()
    if (note !== undefined) worker.borrowed.hear(note)
    return note !== undefined
  }

  drain(): void {
    const ends = Array.from({ length: 2 * this.workers.length }, (_, at) => at)
    while (ends.some((at) => this.deliver(at)));
  }

  advance(millis: number): void {
    const end = this.#now + millis
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
    }
    this.#now = end
  }

  /** Nobody asks or hangs; what was lent stays where it is. */
  quiet(): void {
    for (const worker of this.workers) worker.isHung = false
    this.drain()
    for (const { waiting } of this.workers) assert.strictEqual(waiting.size, 0, "every question is answered")
  }

  /** One worker after the other takes as long as it gets something: how much that was. */
  exhaust(key: string, workers: ReadonlyArray<Worker> = this.workers): number {
    let taken = 0
    for (const worker of workers)
      while (this.alone<Quota>((settle) => this.takeRate(worker, key, 1, settle)).retryAfterMillis === null)
        taken++
    return taken
  }

  /** Asks alone and waits for the answer. */
  alone<A>(take: (settle: (answer: A) => void) => void): A {
    this.quiet()
    const answers: Array<A> = []
    take((answer) => answers.push(answer))
    this.drain()
    const [answer] = answers
    if (answer === undefined) throw new Error("no answer")
    return answer
  }
}

const step = fc.tuple(
  fc.constantFrom(
    "rate",
    "burst",
    "burst",
    "places",
    "places",
    "give",
    "deliver",
    "deliver",
    "deliver",
    "deliver",
    "leave",
    "drain",
    "advance",
    "hang",
    "crash"
  ),
  fc.nat(1_000),
  fc.nat(1_000)
)
type Step = readonly [string, number, number]

const keyOf = (n: number): string => (n % 3 === 0 ? "user/2" : "user/1")

/** One after the other, so that what is borrowed beforehand is used; */
const burst = (world: World, worker: Worker, key: string, count: number): void => {
  for (let n = 0; n < count; n++) {
    world.takeRate(worker, key, 1, () => undefined)
    world.drain()
  }
}

const run = (world: World, [what, a, b]: Step): void => {
  const worker = world.worker(a)
  if (what === "rate") world.takeRate(worker, keyOf(b), b % 7 === 0 ? b % 4 : 1, () => undefined)
  else if (what === "burst") burst(world, worker, keyOf(b), 1 + (b % 20))
  else if (what === "places") world.takePlaces(worker, keyOf(b), () => undefined)
  else if (what === "give") world.give(worker, b)
  else if (what === "deliver") world.deliver(a)
  else if (what === "leave") world.leave(worker, b % 2 === 0)
  else if (what === "drain") world.drain()
  else if (what === "advance") world.advance(b % 2 === 0 ? b : 30 * b)
  else if (what === "hang") worker.isHung = !worker.isHung
  else world.crash(a)
}

const sizes = (perMinuteMax: number) =>
  fc.record({
    workers: fc.integer({ min: 1, max: 3 }),
    perMinute: fc.oneof(
      fc.integer({ min: 1, max: Math.min(8, perMinuteMax) }),
      fc.integer({ min: 1, max: perMinuteMax })
    ),
    places: fc.integer({ min: 1, max: 4 }),
    instancePlaces: fc.integer({ min: 1, max: 6 })
  })
const runs = { numRuns: 300 }

describe("what workers borrow", () => {
  it("passes no limit, whatever crosses, hangs and dies, and every question is answered", () => {
    fc.assert(
      fc.property(sizes(200), fc.array(step, { maxLength: 150 }), (given, steps) => {
        const world = new World(given)
        for (const one of steps) run(world, one)
        world.quiet()
        world.exhaust("user/1")
      }),
      runs
    )
  })

  it("refuses nobody while a place is unused", () => {
    fc.assert(
      fc.property(sizes(1), fc.array(step, { maxLength: 80 }), fc.nat(), (given, steps, at) => {
        const world = new World(given)
        for (const one of steps) run(world, one)
        for (const key of ["user/1", "user/2"]) {
          world.quiet()
          const isFree =
            world.inUse(PRINCIPAL, key) < given.places && world.inUse(INSTANCE, "1") < given.instancePlaces
          const taken = world.alone<Taken>((settle) => world.takePlaces(world.worker(at), key, settle))
          assert.strictEqual("give" in taken, isFree)
        }
      }),
      runs
    )
  })

  it("refuses nobody while something of a bucket is unused", () => {
    fc.assert(
      fc.property(sizes(200), fc.array(step, { maxLength: 120 }), fc.nat(), (given, steps, at) => {
        const world = new World(given)
        for (const one of steps.filter(([what]) => what !== "advance" && what !== "crash")) run(world, one)
        world.quiet()
        const left = world.left("user/1")
        const amount = Math.min(3, given.perMinute)
        const quota = world.alone<Quota>((settle) =>
          world.takeRate(world.worker(at), "user/1", amount, settle)
        )
        const isTaken = quota.retryAfterMillis === null
        assert.strictEqual(isTaken, left >= amount)
        assert.strictEqual(world.exhaust("user/1", [world.worker(at + 1)]), left - (isTaken ? amount : 0))
      }),
      runs
    )
  })

  it("holds a bucket back that fills by no more than was lent and may be used", () => {
    fc.assert(
      fc.property(sizes(200), fc.array(step, { maxLength: 120 }), (given, steps) => {
        const world = new World(given)
        for (const one of steps.filter(([what]) => what !== "crash")) run(world, one)
        world.quiet()
        const left = world.left("user/1")
        assert.isAtLeast(world.exhaust("user/1"), left - given.workers * EXTRA_MAX)
      }),
      runs
    )
  })

  it("is not filled again while a worker may still use it", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 1, instancePlaces: 8 })
    const take = () => world.alone<Quota>((settle) => world.takeRate(world.worker(0), "user/1", 1, settle))
    for (let n = 0; n < 16; n++) take()
    // All of the sixteen have come again, and what is lent is with the worker for a little longer.
    world.advance(2 * BORROWED_LOOK_MILLIS - 1)
    assert.strictEqual(world.exhaust("user/1"), 600)
  })

  it("is called back once more for those who asked after a worker had answered", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 1, instancePlaces: 8 })
    const [holder, asker] = [world.worker(0), world.worker(1)]
    world.alone<Taken>((settle) => world.takePlaces(holder, "user/1", settle))
    const answers: Array<boolean> = []
    const ask = () => world.takePlaces(asker, "user/1", (taken) => answers.push("give" in taken))
    ask()
    world.deliver(2)
    assert.isTrue(world.deliver(1), "the worker hears that it is called back, and has nothing")
    world.give(holder, 0)
    ask()
    assert.isTrue(world.deliver(2), "the parent hears of the second before it hears the worker")
    world.drain()
    assert.deepStrictEqual(answers, [false, true])
  })

  it("asks seldom where much is left, and for every request near the limit", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 8, instancePlaces: 8 })
    const worker = world.worker(0)
    let asked = 0
    const take = () => {
      asked += worker.waiting.size
      const quota = world.alone<Quota>((settle) => {
        world.takeRate(worker, "user/1", 1, settle)
        asked += worker.waiting.size
      })
      return quota
    }
    const seen = Array.from({ length: 400 }, take)
    assert.deepStrictEqual(
      seen.map(({ remaining }) => remaining),
      Array.from({ length: 400 }, (_, n) => 599 - n),
      "what is left shows as in one process"
    )
    assert.isBelow(asked, 400 / 10)
    for (let n = 0; n < 193; n++) take()
    asked = 0
    for (let n = 0; n < 7; n++) assert.isNull(take().retryAfterMillis)
    assert.isAtLeast(asked, 6)
    assert.strictEqual(take().retryAfterMillis, RATE_WINDOW_MILLIS / 600)
  })

  it("is given back when nobody needs it", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 4, instancePlaces: 8 })
    for (const worker of world.workers)
      for (let n = 0; n < 10; n++) world.alone<Quota>((settle) => world.takeRate(worker, "user/1", 1, settle))
    world.takePlaces(world.worker(0), "user/1", () => undefined)
    world.drain()
    world.give(world.worker(0), 0)
    for (let look = 0; look < 8; look++) {
      world.advance(BORROWED_LOOK_MILLIS)
      world.drain()
    }
    // What hangs now has nothing that could be called back: no answer waits for it.
    world.worker(0).isHung = true
    const answers: Array<boolean> = []
    for (let n = 0; n < 4; n++)
      world.takePlaces(world.worker(1), "user/1", (taken) => answers.push("give" in taken))
    world.drain()
    assert.deepStrictEqual(answers, [true, true, true, true])
  })

  it("does not wait for a worker that hangs longer than its bound", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 1, instancePlaces: 8 })
    world.takePlaces(world.worker(0), "user/1", () => undefined)
    world.drain()
    world.worker(0).isHung = true
    const answers: Array<Taken> = []
    world.takePlaces(world.worker(1), "user/1", (taken) => answers.push(taken))
    world.drain()
    assert.lengthOf(answers, 0)
    world.advance(RECALL_MILLIS_MAX)
    world.drain()
    assert.deepStrictEqual(answers, [{ full: PRINCIPAL }])
  })

  it("is free again when its worker has ended: places at once, a part of a bucket as it fills", () => {
    const world = new World({ workers: 2, perMinute: 600, places: 2, instancePlaces: 2 })
    const take = (at: number) => world.takeRate(world.worker(at), "user/1", 1, () => undefined)
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 40; n++) take(0)
      world.drain()
    }
    for (let n = 0; n < 2; n++)
      world.alone<Taken>((settle) => world.takePlaces(world.worker(0), "user/1", settle))
    const left = world.left("user/1")
    world.crash(0)
    for (let n = 0; n < 2; n++) {
      const taken = world.alone<Taken>((settle) => world.takePlaces(world.worker(1), "user/1", settle))
      assert.notProperty(taken, "full")
    }
    assert.isAtLeast(world.exhaust("user/1"), left - EXTRA_MAX)
    world.advance(RATE_WINDOW_MILLIS)
    assert.strictEqual(world.exhaust("user/1"), 600)
  })
})
