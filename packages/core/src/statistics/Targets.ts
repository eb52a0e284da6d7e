// The targets of each priority of a subject, from its target and the overrides (contract §9.3).
import { priorities } from "@rapport/contract/appeals/Appeal.ts"
import type { DialogueKind } from "@rapport/contract/statistics/Dialogue.ts"
import type { SubjectTarget } from "./SlaStore.ts"
import type { TargetRule } from "./StatisticsStore.ts"

/** An override of the priority wins over the one of every priority; only chats fall back to the target itself. */
export const targetsOf = (
  kind: DialogueKind,
  stored: ReadonlyArray<SubjectTarget>
): ReadonlyArray<TargetRule> =>
  stored.flatMap(({ calendarId, overrides, subjectId, ...base }) =>
    priorities.flatMap((priority) => {
      const own = overrides.filter((override) => override.kind === kind)
      const found =
        own.find((override) => override.priority === priority) ??
        own.find((override) => override.priority === null) ??
        (kind === "chat" ? base : undefined)
      return found === undefined || (found.tfrSec === null && found.ttcSec === null)
        ? []
        : [{ subjectId, priority, tfrSec: found.tfrSec, ttcSec: found.ttcSec, calendarId }]
    })
  )
