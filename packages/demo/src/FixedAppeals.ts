// The appeals of the demo data that stand at fixed ids: the history of client 501, the long chats of client 502.
import appeals from "./data/appeals.json" with { type: "json" }
import { type Language, languages, oneOf } from "./Literals.ts"
import { type Outcome, outcomes } from "./TalkTimes.ts"

export interface FixedAppeal {
  readonly id: number
  readonly kind: "chat" | "ticket"
  readonly clientId: number
  readonly languages: ReadonlyArray<Language>
  readonly subjectId: number
  /** Which plan of the subject, from 0; for a long chat all of them. */
  readonly plan: number
  readonly daysAgo: number
  readonly operatorIds: ReadonlyArray<number>
  readonly outcome: Outcome
  readonly messageCount: number | null
  readonly note?: string
}

/** Long chats are outside the subjects of group 3, so that its packs are complete. */
export const fixedAppeals: ReadonlyArray<FixedAppeal> = appeals.map(
  ({ kind, languages: spoken, outcome, ...appeal }) => ({
    ...appeal,
    kind: oneOf(["chat", "ticket"], kind),
    languages: spoken.map((language) => oneOf(languages, language)),
    outcome: oneOf(outcomes, outcome)
  })
)
