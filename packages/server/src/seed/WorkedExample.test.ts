// The numbers of docs/statistics.md, computed from the demo as it was seeded on the day that the page names.
import { assert, it } from "@effect/vitest"
import { demoData, type SeedTables } from "@rapport/demo/DemoData.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  bucketsOf,
  dialogueMetrics,
  firstAnswer,
  verdictOf,
  targetMetrics,
  type ReferenceDialogue,
  type ReferenceMessage,
  waitsForAnswer,
  waitsForEnd,
  makeWorkedMillis
} from "../testing/StatisticsReference.ts"

const page = fs.readFileSync(path.resolve(import.meta.dirname, "../../../../docs/statistics.md"), "utf8")
const prose = page.replaceAll("\n", " ")
const midnight = Date.UTC(2026, 10, 22)
const at = (text: string): number => Date.parse(`${text}T00:00:00Z`)
const HOUR = 3_600_000
/** October by the clock of Kyiv. */
const range = [at("2026-10-01") - 3 * HOUR, at("2026-11-01") - 2 * HOUR] as const

const read = () => {
  const appeals = new Map<number, SeedTables["appeals"]>()
  const messages = new Map<number, Array<ReferenceMessage>>()
  let calendars: ReadonlyArray<SeedTables["calendars"]> = []
  let targets: ReadonlyArray<SeedTables["slaTargets"]> = []
  const assessments: Array<SeedTables["assessments"]> = []
  for (const batch of demoData({ size: "demo", midnight })) {
    if (batch.table === "calendars" && batch.rows.length > 0) calendars = batch.rows
    if (batch.table === "slaTargets" && batch.rows.length > 0) targets = batch.rows
    if (batch.table === "assessments") assessments.push(...batch.rows)
    if (batch.table === "appeals")
      for (const appeal of batch.rows)
        if (appeal.instanceId === 1 && appeal.kind === "chat" && appeal.createdAt >= range[0])
          appeals.set(appeal.id, appeal)
    if (batch.table === "appealMessages")
      for (const { appealId, authorId, authorType, instanceId, occurredAt } of batch.rows)
        if (instanceId === 1 && authorType !== "system" && appeals.has(appealId)) {
          const own = messages.get(appealId) ?? []
          own.push({ authorType, authorId, at: occurredAt })
          messages.set(appealId, own)
        }
  }
  const dialogues = [...appeals.values()].map((appeal): ReferenceDialogue => ({
    ...appeal,
    reopenings: 0,
    messages: messages.get(appeal.id) ?? []
  }))
  return { assessments, calendars, dialogues, targets }
}

const between = (from: number, to: number) => (d: ReferenceDialogue) =>
  d.createdAt >= from && d.createdAt < to
const seconds = (from: number | null, to: number | null): string =>
  from === null || to === null ? "" : String((to - from) / 1_000)

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)
/** By the formula of the page; halves are rounded up. */
const scoreOf = (
  criteria: ReadonlyArray<
    Pick<
      SeedTables["assessments"]["criteria"][number],
      "weight" | "critical" | "penalty" | "automatic" | "human"
    >
  >
): number => {
  const of = (result: string) =>
    criteria.filter(({ automatic, human }) => (human === null ? automatic : human) === result)
  const [met, violated] = [of("met"), of("violated")]
  if (violated.some(({ critical, penalty }) => critical && penalty > 0)) return 0
  const weights = (some: typeof met) => sum(some.map(({ weight }) => weight))
  const penalties = sum(violated.filter(({ critical }) => !critical).map(({ penalty }) => penalty))
  return Math.max(
    0,
    Math.round((10_000 * weights(met)) / (weights(met) + weights(violated))) / 100 - penalties
  )
}

const { assessments, calendars, dialogues, targets } = read()

it("docs/statistics.md lists the dialogues of the demo with their mean and percentiles", () => {
  const five = dialogues
    .filter(between(at("2026-10-19"), at("2026-10-25")))
    .filter((d) => d.subjectId === 12 && d.operatorId === 31)
  assert.strictEqual(five.length, 5)
  for (const d of five)
    assert.include(
      page,
      `| ${d.id} | ${new Date(d.createdAt).toISOString()} | ${seconds(waitsForAnswer(d), firstAnswer(d))} | ${seconds(waitsForEnd(d), d.closedAt)} |`
    )
  assert.include(page, `"tfr":${JSON.stringify(dialogueMetrics(five, true).tfr)}`)
})

it("docs/statistics.md adds the dialogue of a Sunday, on which no second counts", () => {
  const [from, to] = [at("2026-10-19"), at("2026-10-26")]
  const own = dialogues.filter(between(from, to)).filter((d) => d.subjectId === 12 && d.operatorId === 31)
  const [sunday, ...others] = own.filter((d) => d.createdAt >= at("2026-10-25"))
  assert.isDefined(sunday)
  assert.strictEqual(others.length, 0)
  const answeredAt = firstAnswer(sunday)
  const clock = new Date(sunday.createdAt).toISOString().slice(11, 19)
  assert.include(
    prose,
    `dialogue ${sunday.id} is among them. It came on Sunday, 25 October 2026, at ${clock} UTC, was answered after ${seconds(sunday.createdAt, answeredAt)} seconds and closed after ${seconds(sunday.createdAt, sunday.closedAt)}.`
  )
  const target = targets.find(({ subjectId }) => subjectId === 12)
  const calendar = calendars.find(({ id }) => id === target?.calendarId)
  assert.isDefined(calendar)
  const worked = makeWorkedMillis(calendar)
  assert.strictEqual(worked(sunday.createdAt, sunday.closedAt ?? 0, Infinity), 0)
  const day = (number: number) => calendar.weekly.filter((hours) => hours.day === number)
  for (const weekday of [1, 2, 3, 4, 5])
    assert.deepStrictEqual(day(weekday), [{ day: weekday, from: "08:00", to: "20:00" }])
  assert.deepStrictEqual(day(6), [{ day: 6, from: "10:00", to: "16:00" }])
  assert.deepStrictEqual(day(7), [])
  for (const [sec, startOf, endOf] of [
    [target?.tfrSec, waitsForAnswer, firstAnswer],
    [target?.ttcSec, waitsForEnd, (d: ReferenceDialogue) => d.closedAt]
  ] as const) {
    const verdicts = own.map((d) => verdictOf(worked, sec ?? 0, d, startOf(d), endOf(d), midnight))
    const { breached, met, running } = targetMetrics(verdicts)
    assert.deepStrictEqual([met, breached, running], [6, 0, 0])
  }
  assert.include(prose, "answers 6 met, 0 breached for both")
})

it("docs/statistics.md shows the month of each subject as the file does", () => {
  for (const subjectId of [3, 8, 12]) {
    const target = targets.find((one) => one.subjectId === subjectId)
    const calendar = calendars.find(({ id }) => id === target?.calendarId) ?? null
    const worked = makeWorkedMillis(calendar)
    const own = dialogues.filter(between(...range)).filter((d) => d.subjectId === subjectId)
    const cells = (
      sec: number | null | undefined,
      startOf: (d: ReferenceDialogue) => number | null,
      endOf: (d: ReferenceDialogue) => number | null
    ) => {
      if (sec === null || sec === undefined) return ["", "", "", "", ""]
      const { breached, met, metRate, running } = targetMetrics(
        own.map((d) => verdictOf(worked, sec, d, startOf(d), endOf(d), midnight))
      )
      return [sec, met, breached, running, metRate]
    }
    const line = [
      subjectId,
      ...cells(target?.tfrSec, waitsForAnswer, firstAnswer),
      ...cells(target?.ttcSec, waitsForEnd, (d) => d.closedAt)
    ]
    assert.include(page, `\n${line.join(",")}\n`)
  }
})

it("docs/statistics.md counts the day of 25 hours", () => {
  const day = at("2026-10-25") + 12 * 3_600_000
  const bucketOf = bucketsOf("day", "Europe/Kyiv")
  const start = bucketOf(day)
  assert.strictEqual(new Date(start).toISOString(), "2026-10-24T21:00:00.000Z")
  const inBucket = dialogues.filter((d) => d.createdAt >= start && bucketOf(d.createdAt) === start)
  assert.include(prose, `it holds ${inBucket.length} dialogues`)
})

it("docs/statistics.md scores its assessment correctly", () => {
  const [, id, appealId] = /Assessment (\d+) of the demo, of appeal (\d+):/u.exec(page) ?? []
  const assessed = assessments.find((one) => one.instanceId === 1 && one.id === Number(id))
  assert.isDefined(assessed)
  assert.strictEqual(assessed.appealId, Number(appealId))
  for (const { automatic, comment, critical, human, name, penalty, weight } of assessed.criteria) {
    const notes = [...(critical ? ["critical"] : []), ...(penalty > 0 ? [`penalty ${penalty}`] : [])]
    const shown = notes.length === 0 ? name : `${name} (${notes.join(", ")})`
    const person = human === null ? "" : comment === null ? human : `${human}, with a comment`
    const cells = [shown, weight, automatic ?? "", person, human ?? automatic]
    assert.include(page, `\n${cells.map((cell) => (cell === "" ? "| " : `| ${cell} `)).join("")}|\n`)
  }
  assert.include(prose, `/ 100 − 0 = ${scoreOf(assessed.criteria)}.`)
  const misspelt = assessed.criteria.map((one) =>
    one.name === "Пише грамотно" ? { ...one, human: "violated" as const } : one
  )
  assert.include(prose, `100 × 70 / 100 − 5 = ${scoreOf(misspelt)}.`)
  const [, other] = /as in assessment (\d+)\./u.exec(prose) ?? []
  const failed = assessments.find((one) => one.instanceId === 1 && one.id === Number(other))
  assert.isDefined(failed)
  assert.isTrue(failed.criteria.some((one) => one.critical && (one.human ?? one.automatic) === "violated"))
  assert.strictEqual(scoreOf(failed.criteria), 0)
})
