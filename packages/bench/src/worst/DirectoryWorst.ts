// Clients, subjects, skill groups, properties and calendars: the largest legal bodies of each route (docs/security.md).
import { randomUUID } from "node:crypto"
import { many, text } from "./Bodies.ts"
import type { Entries } from "./WorstRequests.ts"

const twoDigits = (n: number): string => String(n).padStart(2, "0")
const calendar = () => ({
  name: text(200),
  timezone: "Europe/Kyiv",
  weekly: many(168, (n) => ({
    day: Math.floor(n / 24) + 1,
    from: `${twoDigits(n % 24)}:00`,
    to: `${twoDigits(n % 24)}:59`
  })),
  holidays: many(1_000, (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10))
})

export const entries: Entries = {
  createClient: () => [
    [
      "600 tags, 1,000 identities",
      () => ({
        name: "Worst",
        tags: many(1_000, String),
        identities: many(1_000, (n) => ({ channel: "web", chatId: `${randomUUID()}${n}` }))
      })
    ]
  ],
  updateClient: () => [
    [
      "1,000 identities",
      () => ({
        expectedVersion: 1,
        identities: many(1_000, (n) => ({ channel: "web", chatId: `${randomUUID()}${n}` }))
      })
    ]
  ],
  mergeClient: () => [["into another", () => ({ intoId: 501 })]],
  eraseClient: () => [["1,000 identities", () => undefined]],
  createSubject: () => [["the longest", () => ({ name: text(200), alias: `w${randomUUID().slice(0, 8)}` })]],
  updateSubject: () => [["the longest", () => ({ expectedVersion: 1, name: text(200) })]],
  createSkillGroup: () => [
    [
      "1,000 members and subjects",
      () => ({ name: text(200), memberIds: many(1_000, (n) => n + 1), subjectIds: many(1_000, (n) => n + 1) })
    ]
  ],
  updateSkillGroup: () => [
    [
      "1,000 members and subjects",
      () => ({
        expectedVersion: 1,
        memberIds: many(1_000, (n) => n + 1),
        subjectIds: many(1_000, (n) => n + 1)
      })
    ]
  ],
  createProperty: () => [
    [
      "1,000 options",
      () => ({
        entity: "client",
        name: `w${randomUUID().slice(0, 8)}`,
        label: "Worst",
        type: "enum",
        options: many(600, (n) => `${n}${text(190)}`)
      })
    ]
  ],
  updateProperty: () => [["the longest label", () => ({ label: text(200) })]],
  setClientProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setSubjectProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setUserProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  setSkillGroupProperties: () => [
    ["10,000 unknown", () => ({ values: Object.fromEntries(many(10_000, (n) => [`m${n}`, "x"])) })]
  ],
  createCalendar: () => [["1,000 holidays, every hour of the week", calendar]],
  updateCalendar: () => [["1,000 holidays", () => ({ expectedVersion: 1, ...calendar() })]],
  setSlaTarget: () => [["a target", () => ({ tfrSec: 300, ttcSec: 28_800, calendarId: null })]]
}
