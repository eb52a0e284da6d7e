// Score and allowed steps of an assessment (contract §9.4); pure.
import type { AssessedCriterion, AssessmentStatus, Result } from "@rapport/contract/quality/Assessment.ts"

export type ScoredCriterion = Pick<
  AssessedCriterion,
  "weight" | "critical" | "penalty" | "automatic" | "human"
>

/** The human result, else the automatic one; null without either. */
export const resultOf = ({ automatic, human }: Pick<ScoredCriterion, "automatic" | "human">): Result | null =>
  human ?? automatic

/**
 * 100 × weights met / weights met or violated, less the penalties of violated criteria that are not critical, never below 0,
 * two decimals. 0 when a critical criterion with a penalty is violated; null when nothing applicable has a result.
 */
export const scoreOf = (criteria: ReadonlyArray<ScoredCriterion>): number | null => {
  const met = criteria.filter((criterion) => resultOf(criterion) === "met")
  const violated = criteria.filter((criterion) => resultOf(criterion) === "violated")
  const applicable = weightOf(met) + weightOf(violated)
  if (applicable === 0) return null
  if (violated.some(({ critical, penalty }) => critical && penalty !== 0)) return 0
  const penalties = violated.reduce((sum, { critical, penalty }) => sum + (critical ? 0 : penalty), 0)
  // Integers until the only division, so that halves are exact.
  const hundredths = Math.round((10_000 * weightOf(met)) / applicable) - 100 * penalties
  return Math.max(0, hundredths) / 100
}
const weightOf = (criteria: ReadonlyArray<ScoredCriterion>): number =>
  criteria.reduce((sum, { weight }) => sum + weight, 0)

export const steps = ["approve", "dispute", "resolve", "reopen", "void"] as const
export type AssessmentStep = (typeof steps)[number]

const after: Readonly<Record<AssessmentStep, Partial<Readonly<Record<AssessmentStatus, AssessmentStatus>>>>> =
  {
    approve: { draft: "approved" },
    dispute: { approved: "disputed" },
    resolve: { disputed: "resolved" },
    reopen: { approved: "draft", resolved: "draft" },
    void: { draft: "void", approved: "void", disputed: "void", resolved: "void" }
  }

/** The status after a step; undefined if the step is not allowed. */
export const statusAfter = (status: AssessmentStatus, step: AssessmentStep): AssessmentStatus | undefined =>
  after[step][status]

/** Statuses in which results may be set. */
export const isOpen = (status: AssessmentStatus): boolean => status === "draft" || status === "disputed"

/** A comment is required for a human result that differs from the automatic one. */
export const needsComment = (automatic: Result | null, human: Result, comment: string | null): boolean =>
  automatic !== null && automatic !== human && comment === null
