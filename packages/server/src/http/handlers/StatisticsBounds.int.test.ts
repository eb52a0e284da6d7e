// The timeout of reports, their concurrency and their fair queue (contract §9.3). The table that they read is slowed or locked,
// so that a report stays in the database as long as a test needs.
import {
  SLA_SECONDS_MAX,
  REPORTS_CONCURRENT,
  STATISTICS_MILLIS_MAX,
  WORKING_STRETCHES_MAX
} from "@rapport/contract/Limits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { selectedCount } from "../../postgres/sql/Query.ts"
import { openTransaction } from "../../testing/LockWaits.ts"
import { newInstance, Rest, RestFixtures } from "../../testing/RestFixtures.ts"

const report = "/statistics/dialogues?from=2026-03-01&to=2026-04-01"

/** Statements that wait for the table of dialogues. */
const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  selectedCount(sql`select count(*)::float8 as count from pg_locks
    where relation = 'dialogues'::regclass and not granted`)
)
/** Cancels the oldest of them. */
const cancelEldest = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select pg_cancel_backend(pid) from pg_stat_activity
    where pid in (select pid from pg_locks where relation = 'dialogues'::regclass and not granted)
    order by query_start limit 1`
)
/** Statements that read the slowed table. */
const sleeping = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  selectedCount(sql`select count(*)::float8 as count from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`)
)
/** Waits until the count is reached. */
const until = <E, R>(count: Effect.Effect<number, E, R>, wanted: number) =>
  Effect.repeat(count, { until: (n) => n >= wanted, schedule: Schedule.spaced("10 millis") })
/** Makes every row of the table take longer than the timeout of a report, until the test ends. */
const slowed = Effect.acquireRelease(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`alter table dialogues rename to dialogues_kept`
    yield* sql`create view dialogues as select d.* from dialogues_kept d where pg_sleep(60)::text = ''`
  }),
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop view dialogues`
      yield* sql`alter table dialogues_kept rename to dialogues`
    }).pipe(Effect.orDie)
)
/** Locks the table. Returns the effect that unlocks it. */
const locked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  openTransaction(sql`lock table dialogues in access exclusive mode`)
)

layer(RestFixtures, { excludeTestServices: true, timeout: "120 seconds" })("the bounds of reports", (it) => {
  it.effect(
    "a report that exceeds its timeout is cancelled and answered with 503",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* newInstance
        const client = yield* admin.post("/clients", { name: "Олена" })
        const chat = { clientId: client.body.id, channel: "web", createdAt: "2026-03-05T10:00:00Z" }
        const made = yield* admin.post("/OpChatRooms", chat)
        assert.strictEqual(made.status, 201, made.text)
        yield* slowed
        const running = yield* Effect.forkScoped(admin.get(report))
        yield* until(sleeping, 1)
        const answer = yield* Fiber.join(running)
        assert.strictEqual(answer.status, 503, answer.text)
        assert.strictEqual(answer.body.reason, "timeout", answer.text)
        yield* Effect.repeat(sleeping, { until: (n) => n === 0, schedule: Schedule.spaced("10 millis") })
      }).pipe(Effect.scoped),
    STATISTICS_MILLIS_MAX * 6
  )

  it.effect(
    "reports have bounded concurrency, and no instance waits for another's queue",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        const [busy, other] = [
          yield* rest.user(yield* rest.instance, ["administrator"]),
          yield* rest.user(yield* rest.instance, ["administrator"])
        ]
        // The first request of a user also reads the session.
        assert.strictEqual((yield* other.get(report)).status, 200)
        const ended: Array<string> = []
        const ask = (name: string, who: typeof busy) =>
          Effect.forkScoped(Effect.tap(who.get(report), () => Effect.sync(() => ended.push(name))))
        const endedCount = Effect.sync(() => ended.length)
        const release = yield* locked
        const fibers = []
        for (let i = 0; i < REPORTS_CONCURRENT * 5; i++) fibers.push(yield* ask("busy", busy))
        // On a slow machine reports also end by the timeout of their lock: then the next ones wait.
        yield* until(waiting, REPORTS_CONCURRENT)
        // Admission lets all of them execute when no other tenant was active for a second, so they wait in the queue of reports.
        yield* Effect.sleep("1500 millis")
        fibers.push(yield* ask("other", other))
        for (let freed = 1; !ended.includes("other") && freed <= REPORTS_CONCURRENT * 3; freed++) {
          assert.isAtMost(yield* waiting, REPORTS_CONCURRENT)
          yield* cancelEldest
          yield* until(endedCount, freed)
        }
        assert.include(ended, "other")
        assert.isBelow(ended.indexOf("other"), REPORTS_CONCURRENT * 2, ended.join())
        const failed = ended.length
        yield* release
        const answers = yield* Effect.forEach(fibers, Fiber.join)
        const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted).length
        assert.strictEqual(withStatus(503) + withStatus(200), fibers.length)
        assert.isAtLeast(withStatus(503), failed)
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "dialogues of a report are read in bounded time and only of the requested subjects",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* newInstance
        const weekly = [1, 2, 3, 4, 5, 6, 7].flatMap((day) =>
          Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0")).map((hour) => ({
            day,
            from: `${hour}:00`,
            to: `${hour}:59`
          }))
        )
        const subjects: Array<number> = []
        for (let n = 0; n < WORKING_STRETCHES_MAX / 15_000; n++) {
          const calendarId = yield* admin.makeId("/statistics/calendars", { name: "finest", weekly })
          const subject = yield* admin.makeId("/subjects", { name: "finest", alias: `finest${n}` })
          subjects.push(subject)
          const target = { ttcSec: SLA_SECONDS_MAX, calendarId }
          const set = yield* admin.put(`/statistics/sla/targets/${subject}`, target)
          assert.strictEqual(set.status, 200, set.text)
        }
        const year = "/statistics/sla?from=2024-06-01&to=2025-06-01"
        const refused = yield* admin.get(year)
        assert.strictEqual(refused.status, 400, refused.text)
        assert.strictEqual(refused.body.code, "QUERY_BUDGET_EXCEEDED", refused.text)
        assert.strictEqual(refused.body.errors[0].path, "to", refused.text)
        const some = yield* admin.get(`${year}&filter[subjectId]=${subjects[0]}`)
        assert.strictEqual(some.status, 200, some.text)
        assert.lengthOf(some.body.rows, 1)
      }),
    60_000
  )
})
