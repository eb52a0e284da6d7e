// Answers of clients about their satisfaction, as the statistics count them (contract §9.3).
import { priorities } from "../appeals/Appeal.ts"
import type { Collection } from "../lists/Collection.ts"
import { dialogueKinds } from "./Dialogue.ts"

/** The action that an answer is, and the range of its payload.score. */
export const CSAT_ACTION = "csat.answered"
export const CSAT_SCORE_MAX = 5
export const CSAT_SATISFIED_MIN = 4

/** The fields by which answers are filtered. */
export const csatAnswers: Collection = {
  name: "statistics/csat",
  fields: {
    subjectId: "id",
    operatorId: "id",
    appealId: "id",
    channel: "text",
    kind: { values: dialogueKinds },
    priority: { values: priorities },
    score: "integer"
  },
  members: []
}
