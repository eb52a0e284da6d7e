// A dialogue: a chat or ticket with its times, as the statistics count it (contract §9.3).
import { Schema } from "effect"
import { priorities, Priority } from "../appeals/Appeal.ts"
import { statusGroups, StatusGroup } from "../appeals/TicketsApi.ts"
import type { Collection } from "../lists/Collection.ts"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

/** The kinds of dialogues that a report counts. */
export const dialogueKinds = ["chat", "ticket"] as const
export const DialogueKind = Schema.Literals(dialogueKinds)
export type DialogueKind = typeof DialogueKind.Type

/** `tfrSec` is null without an answer, `ttcSec` while it is open. */
export const Dialogue = Schema.Struct({
  appealId: PositiveInt,
  subjectId: Schema.NullOr(PositiveInt),
  operatorId: Schema.NullOr(PositiveInt),
  channel: Schema.NullOr(Schema.String),
  status: Schema.String,
  createdAt: Time,
  closedAt: Schema.NullOr(Time),
  messages: Schema.Int,
  tfrSec: Schema.NullOr(Schema.Finite),
  ttcSec: Schema.NullOr(Schema.Finite),
  kind: DialogueKind,
  statusGroup: StatusGroup,
  priority: Priority,
  isOutgoing: Schema.Boolean
}).annotate({ identifier: "Dialogue" })

/** How a dialogue compares with a target of its subject. */
export const verdicts = ["met", "breached", "running"] as const

/** tfrTarget and ttcTarget filter by the result of a target. */
export const dialogues: Collection = {
  name: "statistics/dialogues/rows",
  key: "appealId",
  fields: {
    appealId: "id",
    subjectId: "id",
    operatorId: "id",
    channel: "text",
    status: "text",
    statusGroup: { values: statusGroups },
    priority: { values: priorities },
    isOutgoing: "boolean",
    createdAt: "time",
    closedAt: "time",
    messages: "integer",
    tfrSec: "number",
    ttcSec: "number",
    tfrTarget: { values: verdicts, ordered: false },
    ttcTarget: { values: verdicts, ordered: false }
  },
  members: Object.keys(Dialogue.fields)
}
