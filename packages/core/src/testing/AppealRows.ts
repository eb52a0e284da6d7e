// A row of an appeal as the store of the context read returns it.
import type { AppealRow } from "../context/read/ContextStore.ts"

const at = "2026-10-05T10:00:00.000Z"

/** A closed chat with one message of its client, changed by `more`. */
export const appealRow = (appealId: number, more: Partial<AppealRow> = {}): AppealRow => ({
  appealId,
  appealType: "chat",
  number: null,
  title: null,
  status: "closed",
  subjectId: 12,
  subject: "Рахунки",
  channel: "telegram",
  operatorIds: [31],
  operators: [],
  priority: "normal",
  tags: [],
  customFields: {},
  createdAt: at,
  closedAt: at,
  messageCount: 1,
  ofSubject: true,
  messages: [
    {
      messageId: appealId * 10,
      sequence: 1,
      authorType: "client",
      text: "Де рахунок?",
      cutBefore: false,
      cutAfter: false,
      isNote: false,
      version: 1,
      occurredAt: at
    }
  ],
  ...more
})
