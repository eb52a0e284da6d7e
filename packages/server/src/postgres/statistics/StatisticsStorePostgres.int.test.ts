// Every number of the statistics against a plain computation over random dialogues: days on which the clock changes, calendars
// with gaps and holidays, dialogues still open or closed without an answer, late changes (contract §9.3).
import { assert, layer } from "@effect/vitest"
import { Random } from "@rapport/demo/Random.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { insertedId, selectedIds } from "../sql/Query.ts"
import { Rest, RestFixtures, type RestCaller } from "../../testing/RestFixtures.ts"
import {
  bucketsOf,
  dialogueMetrics,
  firstAnswer,
  verdictOf,
  targetMetrics,
  type ReferenceCalendar,
  type ReferenceDialogue,
  type ReferenceMessage,
  waitsForAnswer,
  waitsForEnd,
  makeWorkedMillis
} from "../../testing/StatisticsReference.ts"

const DAY = 86_400_000
const HOUR = 3_600_000

interface World {
  readonly admin: RestCaller
  readonly subjects: ReadonlyArray<number>
  readonly operators: ReadonlyArray<number>
  readonly dialogues: ReadonlyArray<ReferenceDialogue>
}

/** An instant in the range, often on a whole hour or a millisecond before one. */
const instant = (random: Random, from: number, to: number): number => {
  const at = from + random.int(0, to - from - 1)
  const hour = Math.floor(at / HOUR) * HOUR
  return Math.max(from, random.pick([at, at, at, hour, hour - 1, hour + 30 * 60_000]))
}

const randomDialogue = (
  random: Random,
  world: Pick<World, "subjects" | "operators">,
  range: readonly [number, number],
  latest: number
): Omit<ReferenceDialogue, "id"> => {
  const createdAt = instant(random, ...range)
  const upTo = (span: number) =>
    Math.min(latest, createdAt + random.int(0, random.pick([60_000, HOUR, 12 * HOUR, span])))
  const closedAt = random.chance(0.7) ? upTo(4 * DAY) : null
  const operatorId = random.chance(0.85) ? random.pick(world.operators) : null
  const messages: Array<ReferenceMessage> = []
  const isOutgoing = random.chance(0.2)
  const silent = random.chance(0.2)
  for (let n = random.int(0, 5); n > 0; n--) {
    const authorType = random.pick<"client" | "operator" | "bot">(
      silent ? (["client", "bot"] as const) : (["client", "operator", "bot"] as const)
    )
    const authorId =
      authorType === "operator"
        ? random.pick([operatorId ?? random.pick(world.operators), random.pick(world.operators)])
        : null
    messages.push({ authorType, authorId, at: Math.min(closedAt ?? latest, upTo(2 * DAY)) })
  }
  return {
    subjectId: random.chance(0.9) ? random.pick(world.subjects) : null,
    operatorId,
    channel: random.pick(["web", "telegram", "=cmd", null]),
    createdAt,
    closedAt,
    kind: random.chance(0.75) ? "chat" : "ticket",
    isOutgoing,
    reopenings: 0,
    messages: messages.toSorted((a, b) => a.at - b.at)
  }
}

const time = (millis: number | null) => (millis === null ? null : new Date(millis).toISOString())

const status = (closedAt: number | null): string => (closedAt === null ? "active" : "closed")

/** Writes the rows that the service would write and changes some of them. The counted rows follow by triggers. */
const worldOf = Effect.fnUntraced(function* (
  seed: number,
  number: number,
  range: readonly [number, number],
  latest: number
) {
  const rest = yield* Rest
  const sql = yield* SqlClient.SqlClient
  const random = new Random(seed)
  const instanceId = yield* rest.instance
  const admin = yield* rest.user(instanceId, ["administrator"])
  const operators = [
    (yield* rest.user(instanceId, ["operator"])).id,
    (yield* rest.user(instanceId, ["operator"])).id,
    (yield* rest.user(instanceId, ["operator"])).id
  ]
  const subjects = yield* selectedIds(
    sql`insert into subjects (instance_id, name, alias)
      select ${instanceId}, 's', 's' || n from generate_series(1, 4) n returning id::float8 as id`
  )
  const clientId = yield* insertedId(
    sql`insert into clients (instance_id, name) values (${instanceId}, 'c') returning id::float8 as id`
  )
  const dialogues: Array<ReferenceDialogue> = []
  for (let n = 0; n < number; n++) {
    const made = randomDialogue(random, { subjects, operators }, range, latest)
    const late = random.chance(0.3)
    // Closed later, closed at another time, or reopened.
    const closedBefore = random.pick([null, made.createdAt + random.int(0, 6 * HOUR)])
    const before = late
      ? {
          operatorId: random.pick([null, ...operators]),
          subjectId: random.pick(subjects),
          closedAt: closedBefore
        }
      : made
    const id = yield* insertedId(
      sql`insert into appeals (instance_id, kind, number, client_id, subject_id, operator_id, status, status_group,
          channel, created_at, closed_at, priority, is_outgoing, author_type)
        values (${instanceId}, ${made.kind}, ${made.kind === "chat" ? null : n + 1}::int8, ${clientId}, ${before.subjectId}, ${before.operatorId},
          ${status(before.closedAt)}, ${before.closedAt === null ? "open" : "done"}, ${made.channel},
          ${time(made.createdAt)}::timestamptz, ${time(before.closedAt)}::timestamptz,
          ${random.pick(["low", "normal", "urgent"])}, ${made.isOutgoing && made.kind === "chat"},
          ${made.isOutgoing && made.kind === "ticket" ? "operator" : "client"}) returning id::float8 as id`
    )
    const post = (messages: ReadonlyArray<ReferenceMessage>, sequence: number) =>
      messages.length === 0
        ? Effect.void
        : sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, author_id, text, occurred_at)
            select ${instanceId}, ${id}, ${sequence} + t.place, t.author_type, nullif(t.author_id, '')::int8, 'x', t.at
            from unnest(${messages.map((m) => m.authorType)}::text[],
              ${messages.map((m) => (m.authorId === null ? "" : String(m.authorId)))}::text[],
              ${messages.map((m) => time(m.at) ?? "")}::text[]::timestamptz[])
              with ordinality as t(author_type, author_id, at, place)`
    const half = random.int(0, made.messages.length)
    yield* post(made.messages.slice(0, half), 0)
    if (late)
      yield* sql`update appeals set operator_id = ${made.operatorId}, subject_id = ${made.subjectId},
          status = ${status(made.closedAt)}, status_group = ${made.closedAt === null ? "open" : "done"},
          closed_at = ${time(made.closedAt)}::timestamptz where instance_id = ${instanceId} and id = ${id}`
    yield* post(made.messages.slice(half), half)
    const isReopened = late && closedBefore !== null && made.closedAt === null
    dialogues.push({ ...made, id, reopenings: isReopened ? 1 : 0 })
  }
  const world: World = { admin, subjects, operators, dialogues }
  return world
})

interface ReportQuery {
  readonly from: number
  readonly to: number
  readonly timezone: string
  readonly kind?: "chat" | "ticket"
  readonly groupBy?: "subject" | "operator" | "channel"
  readonly interval: string
}
const queryOf = ({ from, groupBy, interval, kind = "chat", timezone, to }: ReportQuery): string =>
  String(
    new URLSearchParams({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      timezone,
      interval,
      ...(kind === "chat" ? {} : { kind }),
      ...(groupBy === undefined ? {} : { groupBy })
    })
  )
type Member = "subjectId" | "operatorId" | "channel"
const memberOf = { subject: "subjectId", operator: "operatorId", channel: "channel" } as const
const membersOf = (query: ReportQuery, always: ReadonlyArray<Member>): ReadonlyArray<Member> =>
  (["subjectId", "operatorId", "channel"] as const).filter(
    (member) => always.includes(member) || (query.groupBy !== undefined && memberOf[query.groupBy] === member)
  )

/** Dialogues of the range by the text of their key. */
const groupByKey = (
  dialogues: ReadonlyArray<ReferenceDialogue>,
  query: ReportQuery,
  always: ReadonlyArray<Member> = []
) => {
  const bucketOf = query.interval === "none" ? undefined : bucketsOf(query.interval, query.timezone)
  const groups = new Map<string, Array<ReferenceDialogue>>()
  const keyOf = (dialogue: Pick<ReferenceDialogue, Member>, at: number): string =>
    JSON.stringify({
      ...Object.fromEntries(membersOf(query, always).map((member) => [member, dialogue[member]])),
      ...(bucketOf === undefined ? {} : { bucket: new Date(bucketOf(at)).toISOString() })
    })
  const counted = dialogues.filter(
    (d) => d.kind === (query.kind ?? "chat") && d.createdAt >= query.from && d.createdAt < query.to
  )
  for (const dialogue of counted) {
    const key = keyOf(dialogue, dialogue.createdAt)
    groups.set(key, [...(groups.get(key) ?? []), dialogue])
  }
  /** Keys of every bucket of the range, empty ones too. */
  const all = (dialogue: Pick<ReferenceDialogue, Member>) => {
    const keys = new Set<string>()
    for (let at = query.from; at < query.to; at += 15 * 60_000) keys.add(keyOf(dialogue, at))
    return [...keys]
  }
  return { groups, counted, all }
}
const nobody = { subjectId: null, operatorId: null, channel: null }

interface Report {
  readonly rows: ReadonlyArray<{ readonly key: unknown; readonly metrics: unknown }>
}
/** Metrics by their key. */
const rowsOf = ({ rows }: Report) =>
  Object.fromEntries(rows.map(({ key, metrics }) => [JSON.stringify(key), metrics]))

/** Clocks that change at night, at midnight, by half an hour, on a half hour, never. */
const clocks = [
  ["Europe/Kyiv", "2025-10-20T00:00:00Z"],
  ["Europe/Kyiv", "2026-03-22T00:00:00Z"],
  ["America/New_York", "2025-10-28T00:00:00Z"],
  ["Africa/Cairo", "2025-04-20T00:00:00Z"],
  ["Africa/Cairo", "2025-10-26T00:00:00Z"],
  ["Australia/Lord_Howe", "2025-09-30T00:00:00Z"],
  ["Australia/Lord_Howe", "2026-03-31T00:00:00Z"],
  ["Asia/Kolkata", "2025-12-28T00:00:00Z"]
] as const

layer(RestFixtures)("the statistics", (it) => {
  it.effect(
    "the statistics equal a plain computation, grouped and by hours and days of any time zone",
    () =>
      Effect.gen(function* () {
        const rest = yield* Rest
        for (const [i, [timezone, start]] of clocks.entries()) {
          const from = Date.parse(start)
          const to = from + 12 * DAY
          const world = yield* worldOf(i + 1, 60, [from - DAY, to + DAY], to + 5 * DAY)
          for (const interval of ["none", "hour", "day", "week", "month"]) {
            for (const groupBy of [undefined, "subject", "operator", "channel"] as const) {
              const query: ReportQuery = {
                from: from + 7_201_234,
                to,
                timezone,
                interval,
                kind: i % 4 === 1 ? "ticket" : "chat",
                ...(groupBy === undefined ? {} : { groupBy })
              }
              const parameters = queryOf(query)
              const { all, counted, groups } = groupByKey(world.dialogues, query)
              const dialogues = yield* rest.call(world.admin, "GET", `/statistics/dialogues?${parameters}`)
              assert.strictEqual(dialogues.status, 200, dialogues.text)
              const keys = groupBy === undefined ? all(nobody) : [...groups.keys()]
              assert.deepStrictEqual(
                rowsOf(dialogues.body),
                Object.fromEntries(keys.map((key) => [key, dialogueMetrics(groups.get(key) ?? [], false)])),
                `${timezone} ${parameters}`
              )
              assert.deepStrictEqual(dialogues.body.totals, dialogueMetrics(counted, false), parameters)

              const withOperator = world.dialogues.filter(({ operatorId }) => operatorId !== null)
              const work = groupByKey(withOperator, query, ["operatorId"])
              const operators = yield* rest.call(world.admin, "GET", `/statistics/operators?${parameters}`)
              assert.deepStrictEqual(
                rowsOf(operators.body),
                Object.fromEntries([...work.groups].map(([key, of]) => [key, dialogueMetrics(of, true)])),
                `operators ${timezone} ${parameters}`
              )
              assert.deepStrictEqual(operators.body.totals, dialogueMetrics(work.counted, true), parameters)
            }
          }
        }
      }),
    240_000
  )

  const calendars: ReadonlyArray<readonly [string, ReferenceCalendar | null]> = [
    ["always", null],
    [
      "with gaps, over the change of the clock",
      {
        timezone: "Europe/Kyiv",
        weekly: [
          ...[1, 2, 3, 4, 5].flatMap((day) => [
            { day, from: "09:00", to: "13:00" },
            { day, from: "14:00", to: "18:00" }
          ]),
          { day: 7, from: "00:30", to: "24:00" }
        ],
        holidays: ["2025-10-24", "2026-03-25"]
      }
    ],
    [
      "at night in another zone",
      {
        timezone: "America/New_York",
        weekly: [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: "01:15", to: "03:45" })),
        holidays: []
      }
    ],
    ["never", { timezone: "UTC", weekly: [], holidays: [] }]
  ]

  /** Puts a target on each subject of the world, one calendar each, and compares every row. */
  const compareVerdicts = Effect.fnUntraced(function* (
    world: World,
    query: ReportQuery,
    now: number,
    margin: number
  ) {
    const rest = yield* Rest
    const targets = [
      { tfrSec: 1_800, ttcSec: 14_400 },
      { tfrSec: 600, ttcSec: null },
      { tfrSec: null, ttcSec: 7_200 },
      { tfrSec: 60, ttcSec: 60 }
    ]
    const worked = calendars.map(([, calendar]) => makeWorkedMillis(calendar))
    for (const [i, subject] of world.subjects.entries()) {
      const [name, calendar] = calendars[i] ?? ["", null]
      const made =
        calendar === null
          ? null
          : (yield* rest.call(world.admin, "POST", "/statistics/calendars", { name, ...calendar })).body.id
      const put = yield* rest.call(world.admin, "PUT", `/statistics/sla/targets/${subject}`, {
        ...targets[i],
        calendarId: made
      })
      assert.strictEqual(put.status, 200, put.text)
    }
    const verdictsOf = (dialogue: ReferenceDialogue, at: number) => {
      const i = world.subjects.indexOf(dialogue.subjectId ?? -1)
      const [target, count] = [targets[i], worked[i]]
      if (target === undefined || count === undefined) return { tfr: null, ttc: null }
      const { tfrSec, ttcSec } = target
      return {
        tfr:
          tfrSec === null
            ? null
            : verdictOf(count, tfrSec, dialogue, waitsForAnswer(dialogue), firstAnswer(dialogue), at),
        ttc:
          ttcSec === null
            ? null
            : verdictOf(count, ttcSec, dialogue, waitsForEnd(dialogue), dialogue.closedAt, at)
      }
    }
    const same = (d: ReferenceDialogue) =>
      JSON.stringify(verdictsOf(d, now - margin)) === JSON.stringify(verdictsOf(d, now + margin))
    // If a dialogue is about to pass its target, its verdict is uncertain.
    if (!world.dialogues.filter(({ kind }) => kind === "chat").every(same)) return undefined
    const parameters = queryOf(query)
    const { all, counted, groups } = groupByKey(world.dialogues, query, ["subjectId"])
    const answer = yield* rest.call(world.admin, "GET", `/statistics/sla?${parameters}`)
    assert.strictEqual(answer.status, 200, answer.text)
    const metricsOf = (key: string) => {
      const { subjectId } = JSON.parse(key) as { subjectId: number | null }
      const target = targets[world.subjects.indexOf(subjectId ?? -1)]
      const compared = (groups.get(key) ?? []).map((d) => verdictsOf(d, now))
      return {
        tfr:
          target?.tfrSec === null || target === undefined
            ? null
            : { targetSec: target.tfrSec, ...targetMetrics(compared.map(({ tfr }) => tfr)) },
        ttc:
          target?.ttcSec === null || target === undefined
            ? null
            : { targetSec: target.ttcSec, ...targetMetrics(compared.map(({ ttc }) => ttc)) }
      }
    }
    const keys =
      query.groupBy === undefined
        ? world.subjects.flatMap((subjectId) => all({ ...nobody, subjectId }))
        : [...groups.keys()].filter(
            (key) => (JSON.parse(key) as { subjectId: number | null }).subjectId !== null
          )
    assert.deepStrictEqual(
      rowsOf(answer.body),
      Object.fromEntries(keys.map((key) => [key, metricsOf(key)])),
      parameters
    )
    const compared = counted.map((d) => verdictsOf(d, now))
    assert.deepStrictEqual(answer.body.totals, {
      tfr: targetMetrics(compared.map(({ tfr }) => tfr)),
      ttc: targetMetrics(compared.map(({ ttc }) => ttc))
    })
    if (query.groupBy !== undefined || query.interval !== "none") return compared
    // Every number leads to its dialogues.
    for (const measure of ["tfr", "ttc"] as const)
      for (const verdict of ["met", "breached", "running"]) {
        const filter = `filter[${measure}Target]=${verdict}`
        const ids = counted.filter((_, i) => compared[i]?.[measure] === verdict).map(({ id }) => id)
        const rows = yield* rest.call(
          world.admin,
          "GET",
          `/statistics/dialogues/rows?${parameters}&${filter}&limit=100&fields=appealId`
        )
        assert.strictEqual(rows.status, 200, rows.text)
        assert.strictEqual(rows.body.total, ids.length, filter)
        assert.isTrue(rows.body.data.every(({ appealId }: { appealId: number }) => ids.includes(appealId)))
        const report = yield* rest.call(world.admin, "GET", `/statistics/dialogues?${parameters}&${filter}`)
        assert.strictEqual(report.body.totals.count, ids.length, filter)
        const sla = yield* rest.call(world.admin, "GET", `/statistics/sla?${parameters}&${filter}`)
        assert.strictEqual(sla.body.totals[measure][verdict], ids.length, filter)
      }
    return compared
  })

  it.effect(
    "the statistics count only seconds inside the calendar for a target, in any time zone",
    () =>
      Effect.gen(function* () {
        for (const [seed, start] of [
          [21, "2025-10-20T00:00:00Z"],
          [22, "2026-03-22T00:00:00Z"]
        ] as const) {
          const from = Date.parse(start)
          const to = from + 9 * DAY
          const world = yield* worldOf(seed, 150, [from, to], to + 2 * DAY)
          for (const interval of ["none", "day"])
            for (const groupBy of [undefined, "operator"] as const) {
              const more = groupBy === undefined ? {} : { groupBy }
              // A dialogue open since last year exceeds any target, unless the calendar has no hours.
              const query = { from, to, timezone: "Europe/Kyiv", interval, ...more }
              assert.isDefined(yield* compareVerdicts(world, query, Date.now(), 60_000))
            }
        }
      }),
    240_000
  )

  it.effect(
    "the statistics distinguish running from ended dialogues and omit those closed unanswered in time",
    () =>
      Effect.gen(function* () {
        const now = Date.now()
        const margin = 20_000
        const range = [now - 2 * HOUR, now - 5 * 60_000] as const
        const query = { from: now - DAY, to: now, timezone: "UTC", interval: "none" }
        let compared: Effect.Success<ReturnType<typeof compareVerdicts>>
        for (let seed = 31; compared === undefined && seed < 36; seed++)
          compared = yield* compareVerdicts(yield* worldOf(seed, 80, range, now - 60_000), query, now, margin)
        assert.isDefined(compared, "each world has a dialogue that is about to pass its target")
        const kinds = new Set(compared.flatMap(({ tfr, ttc }) => [tfr, ttc]))
        assert.deepStrictEqual([...kinds].toSorted(), ["breached", "met", "running", null].toSorted())
      }),
    60_000
  )
})
