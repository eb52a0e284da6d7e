// The numbers of docs/statistics.md, computed from the demo as it was seeded on the day that the page names.
import { assert, describe, it } from "@effect/vitest"
import { demoData } from "@rapport/demo/DemoData.ts"
import type { AppealRow, CalendarRow, SlaTargetRow } from "@rapport/demo/SeedRows.ts"
import * as fs from "node:fs"
import * as path from "node:path"
import {
  bucketsOf,
  dialogueMetrics,
  firstAnswer,
  judge,
  judgedMetrics,
  type ReferenceDialogue,
  type ReferenceMessage,
  workedIn
} from "../testing/StatisticsReference.ts"

const page = fs.readFileSync(path.resolve(import.meta.dirname, "../../../../docs/statistics.md"), "utf8")
const midnight = Date.UTC(2026, 10, 22)
const at = (text: string): number => Date.parse(`${text}T00:00:00Z`)
const range = [at("2026-10-01"), at("2026-11-01")] as const

const read = () => {
  const appeals = new Map<number, AppealRow>()
  const messages = new Map<number, Array<ReferenceMessage>>()
  let calendars: ReadonlyArray<CalendarRow> = []
  let targets: ReadonlyArray<SlaTargetRow> = []
  for (const batch of demoData({ size: "demo", midnight })) {
    if (batch.table === "calendars" && batch.rows.length > 0) calendars = batch.rows
    if (batch.table === "slaTargets" && batch.rows.length > 0) targets = batch.rows
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
    messages: messages.get(appeal.id) ?? []
  }))
  return { calendars, dialogues, targets }
}

const between = (from: number, to: number) => (d: ReferenceDialogue) =>
  d.createdAt >= from && d.createdAt < to
const seconds = (from: number, to: number | null): string => (to === null ? "" : String((to - from) / 1_000))

describe("the worked example of the statistics", () => {
  const { calendars, dialogues, targets } = read()

  it("lists the dialogues of the demo, and their mean and percentiles", () => {
    const five = dialogues
      .filter(between(at("2026-10-19"), at("2026-10-25")))
      .filter((d) => d.subjectId === 12 && d.operatorId === 31)
    assert.strictEqual(five.length, 5)
    for (const d of five)
      assert.include(
        page,
        `| ${d.id} | ${new Date(d.createdAt).toISOString()} | ${seconds(d.createdAt, firstAnswer(d))} | ${seconds(d.createdAt, d.closedAt)} |`
      )
    assert.include(page, `"tfr":${JSON.stringify(dialogueMetrics(five, true).tfr)}`)
  })

  it("judges the month of each subject as the file shows it", () => {
    for (const subjectId of [3, 8, 12]) {
      const target = targets.find((one) => one.subjectId === subjectId)
      const calendar = calendars.find(({ id }) => id === target?.calendarId) ?? null
      const worked = workedIn(calendar)
      const own = dialogues.filter(between(...range)).filter((d) => d.subjectId === subjectId)
      const cells = (sec: number | null | undefined, endOf: (d: ReferenceDialogue) => number | null) => {
        if (sec === null || sec === undefined) return ["", "", "", "", ""]
        const { breached, met, metRate, running } = judgedMetrics(
          own.map((d) => judge(worked, sec, d, endOf(d), midnight))
        )
        return [sec, met, breached, running, metRate]
      }
      const line = [
        subjectId,
        ...cells(target?.tfrSec, firstAnswer),
        ...cells(target?.ttcSec, (d) => d.closedAt)
      ]
      assert.include(page, `\n${line.join(",")}\n`)
    }
  })

  it("counts the day of 25 hours", () => {
    const day = at("2026-10-25") + 12 * 3_600_000
    const bucketOf = bucketsOf("day", "Europe/Kyiv")
    const start = bucketOf(day)
    assert.strictEqual(new Date(start).toISOString(), "2026-10-24T21:00:00.000Z")
    const held = dialogues.filter((d) => d.createdAt >= start && bucketOf(d.createdAt) === start)
    assert.include(page.replaceAll("\n", " "), `it holds ${held.length} dialogues`)
  })
})
