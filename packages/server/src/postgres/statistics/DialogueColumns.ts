// Dialogues of the statistics: their columns, and the condition for the dialogues that a caller counts (contract §9.3).
import { type AuthorizedSession, rolesCountingAll } from "@rapport/contract/Authorization.ts"
import { Dialogue, dialogues } from "@rapport/contract/statistics/Dialogue.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import type { CountedDialogues } from "@rapport/core/statistics/ReportRequest.ts"
import type { TargetRules } from "@rapport/core/statistics/StatisticsStore.ts"
import { type Fragment, sql } from "../sql/Fragment.ts"
import type { TableList } from "../sql/ListQuery.ts"
import { columnsOf } from "../sql/Columns.ts"
import { slaJoins, slaTables, verdictWord } from "./SlaVerdicts.ts"
import { appealVisible, holds } from "../sql/Visibility.ts"

const columns = columnsOf("a", Dialogue.fields, {
  appealId: { required: true },
  createdAt: { required: true },
  messages: { required: true },
  tfrSec: { sql: "(a.tfr_ms / 1000)" },
  ttcSec: { sql: "(a.ttc_ms / 1000)" },
  kind: { required: true },
  statusGroup: { required: true },
  priority: { required: true },
  isOutgoing: { required: true }
})

/** Condition on `caller u` and `dialogues a`: the whole instance for some roles, otherwise visible appeals. */
export const countedBy = sql`${holds("statistics.read")} and ((u.sees_as_user
  and u.roles && ${sql.literal(`'{${rolesCountingAll.join(",")}}'::text[]`)}) or ${appealVisible})`

/** The dialogues of a range that the session counts, with `target` and `hours` for verdicts. `caller` is the CTE. */
export const dialogueList = (
  session: AuthorizedSession,
  { kind, range: { from, to } }: CountedDialogues,
  rules: TargetRules | null,
  caller: Fragment
): TableList => ({
  collection: dialogues,
  common: rules === null ? caller : sql`${caller}, ${slaTables(rules)}`,
  from: sql.literal(`dialogues a ${rules === null ? "" : slaJoins}, caller u`),
  listed: { name: "a", joined: ", caller u" },
  where: sql`a.instance_id = ${session.instanceId} and a.kind = ${kind} and a.created_at >= ${isoOf(from)}::timestamptz
    and a.created_at < ${isoOf(to)}::timestamptz and ${countedBy}`,
  columns:
    rules === null
      ? columns
      : {
          ...columns,
          tfrTarget: { sql: verdictWord("tfr", rules.now) },
          ttcTarget: { sql: verdictWord("ttc", rules.now) }
        }
})
