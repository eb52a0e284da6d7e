// The appeals of the demo data that stand at fixed ids: the history of client 501, the long chats of client 502.
import appeals from "./data/appeals.json" with { type: "json" }
import { languages, oneOf } from "./Literals.ts"
import { outcomes } from "./TalkTimes.ts"

/**
 * `plan`: which plan of the subject, from 0; for a long chat all of them. Long chats are outside the subjects of group 3, so
 * that its packs are complete.
 */
export const fixedAppeals = appeals.map(({ kind, languages: spoken, outcome, ...appeal }) => ({
  ...appeal,
  kind: oneOf(["chat", "ticket"], kind),
  languages: spoken.map((language) => oneOf(languages, language)),
  outcome: oneOf(outcomes, outcome)
}))
export type FixedAppeal = (typeof fixedAppeals)[number]
