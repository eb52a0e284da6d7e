// The answer of a report: rows, totals and definitions of the metrics (contract §9.3, docs/statistics.md).
import { Schema } from "effect"
import { Priority } from "../appeals/Appeal.ts"
import { PositiveInt } from "../values/Ids.ts"
import { Time } from "../values/Time.ts"

/** Seconds; null if there are no values. */
export const Duration = Schema.Struct({
  avg: Schema.NullOr(Schema.Finite),
  p50: Schema.NullOr(Schema.Finite),
  p90: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "Duration" })
export type Duration = typeof Duration.Type

const figures = {
  closed: Schema.Int,
  open: Schema.Int,
  messages: Schema.Int,
  tfr: Duration,
  ttc: Duration,
  outgoing: Schema.Int,
  reopenings: Schema.Int
}

export const DialogueMetrics = Schema.Struct({ count: Schema.Int, ...figures }).annotate({
  identifier: "DialogueMetrics"
})
export type DialogueMetrics = typeof DialogueMetrics.Type

export const OperatorMetrics = Schema.Struct({ dialogues: Schema.Int, ...figures }).annotate({
  identifier: "OperatorMetrics"
})
export type OperatorMetrics = typeof OperatorMetrics.Type

const counted = {
  met: Schema.Int,
  breached: Schema.Int,
  running: Schema.Int,
  metRate: Schema.NullOr(Schema.Finite)
}
const TargetTotals = Schema.NullOr(Schema.Struct(counted).annotate({ identifier: "TargetTotals" }))
const TargetMetrics = Schema.NullOr(
  Schema.Struct({ targetSec: Schema.NullOr(PositiveInt), ...counted }).annotate({
    identifier: "TargetMetrics"
  })
)
export const SlaMetrics = Schema.Struct({ tfr: TargetMetrics, ttc: TargetMetrics }).annotate({
  identifier: "SlaMetrics"
})
export type SlaMetrics = typeof SlaMetrics.Type
export const SlaTotals = Schema.Struct({ tfr: TargetTotals, ttc: TargetTotals }).annotate({
  identifier: "SlaTotals"
})
export type SlaTotals = typeof SlaTotals.Type

/** Answers of clients about how satisfied they are. */
export const CsatMetrics = Schema.Struct({
  answers: Schema.Int,
  average: Schema.NullOr(Schema.Finite),
  satisfied: Schema.Int,
  csat: Schema.NullOr(Schema.Finite),
  scores: Schema.Struct({
    "1": Schema.Int,
    "2": Schema.Int,
    "3": Schema.Int,
    "4": Schema.Int,
    "5": Schema.Int
  }).annotate({ identifier: "CsatScores" })
}).annotate({ identifier: "CsatMetrics" })
export type CsatMetrics = typeof CsatMetrics.Type

/** The key has the members that the report is grouped by. `bucket` is the UTC start of an hour, day, week or month. */
export const ReportKey = Schema.Struct({
  subjectId: Schema.optionalKey(Schema.NullOr(PositiveInt)),
  operatorId: Schema.optionalKey(Schema.NullOr(PositiveInt)),
  channel: Schema.optionalKey(Schema.NullOr(Schema.String)),
  priority: Schema.optionalKey(Schema.NullOr(Priority)),
  bucket: Schema.optionalKey(Time)
}).annotate({ identifier: "ReportKey" })
export type ReportKey = typeof ReportKey.Type

const reportOf = <M extends Schema.Constraint, T extends Schema.Constraint>(
  identifier: string,
  metrics: M,
  totals: T
) =>
  Schema.Struct({
    from: Time,
    to: Time,
    timezone: Schema.String,
    rows: Schema.Array(Schema.Struct({ key: ReportKey, metrics })),
    totals,
    definitions: Schema.Record(Schema.String, Schema.String)
  }).annotate({ identifier })

export const DialogueReport = reportOf("DialogueReport", DialogueMetrics, DialogueMetrics)
export const OperatorReport = reportOf("OperatorReport", OperatorMetrics, OperatorMetrics)
export const SlaReport = reportOf("SlaReport", SlaMetrics, SlaTotals)
export const CsatReport = reportOf("CsatReport", CsatMetrics, CsatMetrics)

const figureDefinitions = (messages: string) => ({
  closed: "Of these dialogues, those that are closed now.",
  open: "Of these dialogues, those that are not closed now: waiting, active or postponed.",
  messages,
  tfr: "Time to first response, seconds: from createdAt to the first message of an operator; for an outgoing dialogue from the first message of its client to the next one of an operator. Dialogues without an answer are left out. avg is the mean, p50 and p90 are linear percentiles. Null when no dialogue has one.",
  ttc: "Time to close, seconds: from createdAt to closedAt; for an outgoing chat from the first message of its client. Open dialogues are left out. avg is the mean, p50 and p90 are linear percentiles. Null when none is closed.",
  outgoing: "Of these dialogues, those that an operator, a bot or a broadcast began.",
  reopenings: "How many times these dialogues were reopened, by a person or by a message of their client."
})
const states =
  "met: ended within the target; breached: over it, whether ended or not; running: neither ended nor over it yet; metRate: met / (met + breached), null when there is none. Only seconds inside the subject's calendar count."

/** The definition of each metric (contract §9.3). */
export const definitions = {
  dialogues: {
    count: "Chats, or with kind=ticket tickets, created in the range.",
    ...figureDefinitions("Messages of these dialogues, of every author.")
  },
  operators: {
    dialogues: "Chats, or with kind=ticket tickets, created in the range whose operator this is now.",
    ...figureDefinitions("Messages that the operator wrote in these dialogues.")
  },
  sla: {
    tfr: `First response within tfrSec of the subject: createdAt to the first message of an operator, for an outgoing dialogue from the first message of its client. A dialogue closed without an answer is breached if it was over the target when it closed, else not counted. ${states}`,
    ttc: `Closed within ttcSec of the subject: createdAt to closedAt, for an outgoing chat from the first message of its client. ${states}`
  },
  csat: {
    answers: "Actions of type csat.answered in the range with a payload.score from 1 to 5.",
    average: "The mean score, null without answers.",
    satisfied: "Answers with score 4 or 5.",
    csat: "satisfied / answers, null without answers.",
    scores: "The number of answers with each score."
  }
} as const
