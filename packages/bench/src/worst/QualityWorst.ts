// Criteria, checklists and assessments: the largest legal bodies of each route (docs/security.md).
import { many, text } from "./Bodies.ts"
import type { Entries } from "./WorstRequests.ts"

const criterion = () => ({ name: text(200), description: text(10_000), weight: 10, critical: false })
const commented = () => ({ comment: text(10_000) })

export const entries: Entries = {
  createCriterion: () => [["10,000 characters", criterion]],
  updateCriterion: () => [["10,000 characters", () => ({ expectedVersion: 1, ...criterion() })]],
  createChecklist: ({ criterionIds }) => [["100 criteria", () => ({ name: text(200), criterionIds })]],
  updateChecklist: ({ criterionIds }) => [
    ["100 criteria", () => ({ expectedVersion: 1, name: text(200), criterionIds: criterionIds.toReversed() })]
  ],
  createAssessment: ({ checklistId, closedChatId, criterionIds }) => [
    [
      "100 results",
      () => ({
        appealId: closedChatId,
        checklistId,
        automatic: many(criterionIds.length, (n) => ({ criterionId: criterionIds[n], result: "met" }))
      })
    ]
  ],
  setResult: () => [
    ["10,000 characters", () => ({ expectedVersion: 1, result: "violated", ...commented() })]
  ],
  approveAssessment: () => [["10,000 characters", commented]],
  disputeAssessment: () => [["10,000 characters", commented]],
  resolveAssessment: () => [["10,000 characters", commented]],
  reopenAssessment: () => [["10,000 characters", commented]],
  voidAssessment: () => [["10,000 characters", commented]]
}
