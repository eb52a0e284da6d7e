// The appeals of the demo data that stand at fixed ids: the history of client 501, the long chats of client 502.
import { fixedIds } from "./Company.ts"
import type { Outcome } from "./TalkTimes.ts"
import type { Language } from "./SeedRows.ts"

export interface FixedAppeal {
  readonly id: number
  readonly kind: "chat" | "ticket"
  readonly clientId: number
  readonly languages: ReadonlyArray<Language>
  readonly subjectId: number
  /** Which plan of the subject, from 0; for a long chat all of them. */
  readonly plan: number
  readonly daysAgo: number
  readonly operatorIds: readonly [number, ...ReadonlyArray<number>]
  readonly outcome: Outcome
  readonly messageCount: number | null
}

type Line = readonly [
  id: number,
  kind: "chat" | "ticket",
  language: Language,
  subjectId: number,
  plan: number,
  daysAgo: number,
  operatorIds: readonly [number, ...ReadonlyArray<number>],
  outcome: Outcome
]

// Billing (12) is the subject of the examples: operator 31 takes part in some of these, others handled the rest.
const lines: ReadonlyArray<Line> = [
  [9006, "chat", "uk", 12, 0, 61, [31], "closed"],
  [9007, "chat", "en", 12, 1, 45, [31], "closed"],
  [9008, "ticket", "uk", 12, 3, 118, [28], "closed"],
  [9009, "chat", "uk", 12, 5, 203, [29], "closed"],
  [9010, "chat", "en", 12, 8, 262, [30], "closed"],
  [9011, "ticket", "en", 12, 9, 13, [29], "active"],
  [9012, "chat", "uk", 12, 2, 2, [31], "active"],
  [9013, "chat", "uk", 12, 7, 1, [28], "waiting"],
  [9014, "chat", "uk", 3, 0, 327, [20], "closed"],
  [9015, "chat", "en", 2, 1, 151, [21], "closed"],
  [9016, "ticket", "uk", 1, 2, 505, [23], "closed"],
  [9017, "chat", "uk", 8, 0, 88, [27], "closed"],
  [9018, "chat", "en", 9, 1, 74, [30], "closed"],
  [9019, "chat", "uk", 11, 0, 409, [28, 31], "closed"],
  [9020, "ticket", "uk", 6, 2, 9, [25], "resolved"],
  [9021, "chat", "en", 10, 1, 23, [34], "closed"],
  [9022, "chat", "uk", 4, 3, 281, [32], "closed"],
  [9023, "chat", "en", 5, 2, 362, [24], "closed"],
  [9024, "chat", "uk", 7, 1, 97, [26], "closed"],
  [9025, "chat", "uk", 12, 10, 388, [28, 31], "closed"]
]

const long = (
  id: number,
  subjectId: number,
  daysAgo: number,
  operatorIds: readonly [number, ...ReadonlyArray<number>],
  outcome: Outcome,
  messageCount: number | null
): FixedAppeal => ({
  id,
  kind: "chat",
  clientId: fixedIds.longChatsClient,
  languages: messageCount === null ? ["uk"] : ["uk", "ru"],
  subjectId,
  plan: 0,
  daysAgo,
  operatorIds,
  outcome,
  messageCount
})

/** Long chats lie outside the subjects of group 3, so that its packs are complete. */
export const fixedAppeals: ReadonlyArray<FixedAppeal> = [
  long(9001, 1, 640, [20, 23, 32], "closed", fixedIds.longChats[9001]),
  long(9002, 6, 660, [25, 22], "closed", fixedIds.longChats[9002]),
  long(9003, 3, 710, [21, 24, 32, 20], "active", fixedIds.longChats[9003]),
  long(9004, 8, 720, [26, 27, 33], "active", fixedIds.longChats[9004]),
  long(fixedIds.quarantinedAppeal, 9, 30, [27], "closed", null),
  ...lines.map(([id, kind, language, subjectId, plan, daysAgo, operatorIds, outcome]) => ({
    id,
    kind,
    clientId: fixedIds.client,
    languages: [language],
    subjectId,
    plan,
    daysAgo,
    operatorIds,
    outcome,
    messageCount: null
  }))
]
