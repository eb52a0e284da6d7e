// Which long and quarantined appeals make an answer partial, by docs/contract.md §3.2 "long and quarantined".
import { assert, describe, it } from "@effect/vitest"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import type { AppealRow, FlaggedAppeal } from "../read/ContextStore.ts"
import { touchingOf } from "./AppealsTouching.ts"

const day = (n: number) => `2026-10-${String(n).padStart(2, "0")}T10:00:00.000Z`
const flagged = (appealId: number, createdOn: number, ofSubject = false): FlaggedAppeal => ({
  appealId,
  createdAt: day(createdOn),
  ofSubject
})
const row = (appealId: number, createdOn: number, more: Partial<AppealRow> = {}): AppealRow => ({
  ...flagged(appealId, createdOn),
  appealType: "chat",
  number: null,
  title: null,
  status: "closed",
  subjectId: null,
  subject: null,
  channel: null,
  operatorIds: [],
  closedAt: null,
  messageCount: 1,
  messages: [],
  ...more
})
const touching = (
  order: "recent" | "relevant",
  topK: number,
  shown: ReadonlyArray<AppealRow>,
  flags: { readonly long?: ReadonlyArray<FlaggedAppeal>; readonly quarantined?: ReadonlyArray<FlaggedAppeal> }
) =>
  touchingOf(
    { topK, appealLists: [{ target: null, order }] },
    {
      appeals: shown.map(({ appealId }) => ({ appealId, lists: [0] })),
      considered: shown.length,
      brought: [shown.length],
      limited: [false]
    },
    new Map(shown.map((one) => [one.appealId, one])),
    { long: [], quarantined: [], ...flags }
  )

describe("touchingOf", () => {
  const long = row(9, 20, { messageCount: APPEAL_MESSAGES_INDEXED_MAX + 1 })

  it("where a query searches appeals, any of them could have matched", () => {
    assert.deepStrictEqual(
      touching("relevant", 1, [row(1, 30)], { long: [flagged(7, 1)], quarantined: [flagged(8, 2)] }),
      { longIds: [7], quarantinedIds: [8] }
    )
  })
  it("of the latest a long one touches the answer that shows it, and no other", () => {
    assert.deepStrictEqual(touching("recent", 2, [row(1, 30), long], { long: [long] }).longIds, [9])
    assert.deepStrictEqual(touching("recent", 1, [row(1, 30)], { long: [long] }).longIds, [])
  })
  it("of the latest a quarantined one touches the answer whose topK it would be among", () => {
    const shown = [row(1, 30), row(2, 10)]
    assert.deepStrictEqual(
      touching("recent", 2, shown, { quarantined: [flagged(8, 20)] }).quarantinedIds,
      [8]
    )
    assert.deepStrictEqual(touching("recent", 2, shown, { quarantined: [flagged(8, 5)] }).quarantinedIds, [])
    assert.deepStrictEqual(touching("recent", 3, shown, { quarantined: [flagged(8, 5)] }).quarantinedIds, [8])
  })
  it("of equal times the greater id is later; of several as many as there are places", () => {
    assert.deepStrictEqual(
      touching("recent", 1, [row(5, 9)], { quarantined: [flagged(4, 9)] }).quarantinedIds,
      []
    )
    assert.deepStrictEqual(
      touching("recent", 1, [row(5, 9)], { quarantined: [flagged(6, 9)] }).quarantinedIds,
      [6]
    )
    const three = [flagged(8, 28), flagged(7, 27), flagged(6, 26)]
    assert.deepStrictEqual(touching("recent", 2, [row(1, 1)], { quarantined: three }).quarantinedIds, [8, 7])
  })
  it("a skill group's subjects come before its members, whatever their times", () => {
    const shown = [row(1, 10, { ofSubject: true }), row(2, 30)]
    assert.deepStrictEqual(
      touching("recent", 2, shown, { quarantined: [flagged(8, 5, true)] }).quarantinedIds,
      [8]
    )
    assert.deepStrictEqual(touching("recent", 2, shown, { quarantined: [flagged(8, 29)] }).quarantinedIds, [])
  })
})
