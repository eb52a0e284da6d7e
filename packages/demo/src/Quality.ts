// Assessments of closed appeals of the first company in the last half year.
import type { AppealRow } from "./Appeals.ts"
import { DAY_MILLIS, HOUR_MILLIS } from "./Calendar.ts"
import { fixedIds } from "./Company.ts"
import quality from "./data/quality.json" with { type: "json" }
import { criteria } from "./FixedRows.ts"
import { Random } from "./Random.ts"

const SALT = 1401
const CHECKLIST = 1
const [LEAD, SPECIALIST] = [16, 17]
const HALF_YEAR = 182 * DAY_MILLIS
/** One appeal in so many is assessed, and every one of the client of the examples. */
const ONE_IN = 20

/** Whether an appeal is one of those that are assessed. */
export const isAssessed = (appeal: AppealRow, midnight: number): boolean =>
  appeal.instanceId === fixedIds.instance &&
  appeal.statusGroup === "done" &&
  appeal.operatorId !== null &&
  appeal.closedAt !== null &&
  appeal.closedAt < midnight - 4 * DAY_MILLIS &&
  (appeal.clientId === fixedIds.client ||
    (appeal.id % ONE_IN === 0 && appeal.closedAt > midnight - HALF_YEAR))

const pickResult = (random: Random, i: number) =>
  random.weighted(["met", "violated", "not_applicable"] as const, i === 1 ? [70, 3, 27] : [84, 10, 6])

const criterionOf = (
  random: Random,
  i: number,
  { critical, name, penalty, weight }: (typeof criteria)[number],
  isDraft: boolean
) => {
  // Only a person can assess whether the identity was verified.
  const automatic = i === 1 ? null : pickResult(random, i)
  const human = (automatic === null && !isDraft) || random.chance(0.12) ? pickResult(random, i) : null
  return {
    criterionId: i + 1,
    name,
    weight,
    critical,
    penalty,
    automatic,
    human,
    comment:
      automatic !== null && human !== null && human !== automatic ? (quality.disagreements[i] ?? null) : null
  }
}

const statuses = ["approved", "draft", "disputed", "resolved", "void"] as const

export const assessments = (appeals: ReadonlyArray<AppealRow>) =>
  appeals.map((appeal, i) => {
    const random = new Random(SALT, appeal.id)
    const drawn = random.weighted(statuses, [60, 14, 8, 13, 5])
    // The first waits for approval, so that /api-docs can demonstrate the steps.
    const status = i === 0 ? "draft" : drawn
    const criteriaRows = criteria.map((criterion, place) =>
      criterionOf(random, place, criterion, status === "draft" && i > 0)
    )
    const createdAt = (appeal.closedAt ?? appeal.createdAt) + random.int(6, 70) * HOUR_MILLIS
    const isApproved = status !== "draft" && status !== "void"
    const steps = { draft: 0, void: 1, approved: 1, disputed: 2, resolved: 3 }[status]
    return {
      instanceId: appeal.instanceId,
      id: i + 1,
      appealId: appeal.id,
      operatorId: appeal.operatorId,
      assessorId: random.chance(0.8) ? SPECIALIST : LEAD,
      checklistId: CHECKLIST,
      status,
      criteria: criteriaRows,
      createdAt,
      approvedAt: isApproved ? createdAt + random.int(1, 20) * HOUR_MILLIS : null,
      version: 1 + steps + criteriaRows.filter(({ human }) => human !== null).length
    }
  })
