// A dialogue: a chat with its times, as the statistics count it (contract §9.3).
import { Schema } from "effect"
import { chatStatuses } from "../appeals/ChatsApi.ts"
import type { Collection } from "../lists/Collection.ts"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

/** `tfrSec` is null without an answer, `ttcSec` while it is open. */
export const Dialogue = Schema.Struct({
  appealId: PositiveInt,
  subjectId: Schema.NullOr(PositiveInt),
  operatorId: Schema.NullOr(PositiveInt),
  channel: Schema.NullOr(Schema.String),
  status: Schema.Literals(chatStatuses),
  createdAt: Time,
  closedAt: Schema.NullOr(Time),
  messages: Schema.Int,
  tfrSec: Schema.NullOr(Schema.Finite),
  ttcSec: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "Dialogue" })

/** How a dialogue compares with a target of its subject. */
export const verdicts = ["met", "breached", "running"] as const

/** tfrTarget and ttcTarget filter by the result of a target. */
export const dialogues: Collection = {
  name: "statistics/dialogues/rows",
  key: "appealId",
  fields: {
    appealId: { kind: "id" },
    subjectId: { kind: "id" },
    operatorId: { kind: "id" },
    channel: { kind: "text" },
    status: { kind: { values: chatStatuses } },
    createdAt: { kind: "time" },
    closedAt: { kind: "time" },
    messages: { kind: "integer" },
    tfrSec: { kind: "number" },
    ttcSec: { kind: "number" },
    tfrTarget: { kind: { values: verdicts }, ordered: false },
    ttcTarget: { kind: { values: verdicts }, ordered: false }
  },
  members: Object.keys(Dialogue.fields),
  includes: [],
  searched: false
}
