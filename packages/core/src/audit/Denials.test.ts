import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { type AuditEntry, AuditLog, CurrentAddress } from "./AuditLog.ts"
import { Denials } from "./Denials.ts"
import { anySession } from "../testing/SessionFixtures.ts"

const session = (userId: number) => anySession({ userId })

/** The audit entries and log lines of a run. */
const recordRun = <A, E>(run: Effect.Effect<A, E, Denials>) => {
  const entries: Array<AuditEntry> = []
  const lines: Array<string> = []
  const audit = Layer.succeed(AuditLog, { append: (entry) => Effect.sync(() => void entries.push(entry)) })
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))])
  return Effect.as(run, { entries, lines }).pipe(
    Effect.provide(Layer.merge(Layer.provide(Denials.layer, audit), logger))
  )
}
const noteDenials = (userId: number | null, times = 1, operation = "listUsers") =>
  Effect.flatMap(Denials, (denials) =>
    Effect.replicateEffect(
      denials.note({
        reason: userId === null ? "unauthenticated" : "access_denied",
        operation,
        session: userId === null ? null : session(userId)
      }),
      times
    )
  )
const from = (address: string) => Effect.provideService(CurrentAddress, address)

// contract §9, "Audit log": refusals are counted, and a bounded sample of them is logged and audited.

it.effect("every denial is counted, and five a minute of each caller are logged and audited", () =>
  Effect.gen(function* () {
    const { entries, lines } = yield* recordRun(
      Effect.gen(function* () {
        yield* noteDenials(31, 1_000, "counted").pipe(from("192.0.2.7"))
        yield* noteDenials(32, 2, "counted").pipe(from("192.0.2.7"))
        yield* TestClock.adjust("1 minute")
        yield* noteDenials(31, 1, "counted").pipe(from("192.0.2.7"))
      })
    )
    assert.deepStrictEqual(
      entries.map(({ actorId }) => actorId),
      [31, 31, 31, 31, 31, 32, 32, 31]
    )
    assert.deepInclude(entries[0], {
      instanceId: 1,
      action: "request.access_denied",
      decision: "denied",
      address: "192.0.2.7",
      details: { operation: "counted" }
    })
    assert.strictEqual(lines.length, 9)
    assert.isTrue(lines.some((line) => line.includes("995 further refusals")))
    const counter = Metric.withAttributes(
      Metric.counter("rapport.denials", {
        description: "requests refused with 401, 403 or 429, failed logins among them",
        incremental: true
      }),
      { reason: "access_denied", operation: "counted" }
    )
    assert.strictEqual((yield* Metric.value(counter)).count, 1_003)
  })
)

it.effect("denials without a session are not audited, and five a minute of each network are logged", () =>
  Effect.gen(function* () {
    const { entries, lines } = yield* recordRun(
      Effect.forEach(
        Array.from({ length: 50 }, (_, i) => `2001:db8:1:2::${i.toString(16)}`),
        (address) => from(address)(noteDenials(null))
      )
    )
    assert.deepStrictEqual([entries.length, lines.length], [0, 5])
  })
)

it.effect("denials of very many callers fill neither the logs nor the memory", () =>
  Effect.gen(function* () {
    const { entries, lines } = yield* recordRun(
      Effect.forEach(
        Array.from({ length: 20_000 }, (_, i) => i),
        (i) => noteDenials(i + 1)
      )
    )
    assert.strictEqual(lines.length, 100)
    assert.strictEqual(entries.length, 10_000)
  })
)
