// The choice of appeals for a pack (contract §3.1 "topK" and "candidateLimit", §3.2 "quarantined").
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { chooseAppeals, type FoundList, partialReasonsOf } from "./AppealChoice.ts"
import { appealRow } from "../../testing/AppealRows.ts"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import type { AppealRow, FlaggedAppeal } from "./ContextStore.ts"

const recent = { target: "previous_client_appeals", order: "recent" } as const
const relevant = { target: "relevant_appeals", order: "relevant" } as const
const foundList = (list: FoundList["list"], appealIds: ReadonlyArray<number>, more = false): FoundList => ({
  list,
  appealIds,
  more
})
const ids = (lists: ReadonlyArray<FoundList>, candidateLimit: number, topK: number) =>
  chooseAppeals(lists, { candidateLimit, topK }).appeals.map(({ appealId }) => appealId)

const limitedFlags = (lists: ReadonlyArray<FoundList>, candidateLimit: number, topK: number) =>
  chooseAppeals(lists, { candidateLimit, topK }).limited

it("an appeal found by several targets is listed once and names all of them", () => {
  const { appeals } = chooseAppeals([foundList(recent, [5, 4]), foundList(relevant, [4, 9])], {
    candidateLimit: 80,
    topK: 8
  })
  assert.deepStrictEqual(appeals, [
    { appealId: 4, lists: [0, 1] },
    { appealId: 9, lists: [1] },
    { appealId: 5, lists: [0] }
  ])
})

it("candidateLimit bounds the distinct appeals, round-robin between targets", () => {
  const chosen = chooseAppeals([foundList(recent, [5, 4, 3]), foundList(relevant, [9, 8, 7])], {
    candidateLimit: 3,
    topK: 8
  })
  assert.deepStrictEqual(chosen.brought, [2, 1])
  assert.strictEqual(chosen.considered, 3)
  assert.deepStrictEqual(
    chosen.appeals.map(({ appealId }) => appealId),
    [9, 5, 4]
  )
})

it("an appeal of two targets counts once against candidateLimit", () => {
  const chosen = chooseAppeals([foundList(recent, [5, 4]), foundList(relevant, [4, 5])], {
    candidateLimit: 2,
    topK: 8
  })
  assert.deepStrictEqual([chosen.brought, chosen.considered], [[2, 2], 2])
  assert.deepStrictEqual(chosen.limited, [false, false])
})

it("a target is limited only if candidateLimit left it with fewer appeals than topK", () => {
  assert.deepStrictEqual(limitedFlags([foundList(recent, [5, 4, 3], true)], 3, 3), [false])
  assert.deepStrictEqual(limitedFlags([foundList(recent, [5, 4, 3], true)], 3, 4), [true])
  assert.deepStrictEqual(limitedFlags([foundList(recent, [5, 4, 3])], 3, 4), [false])
  assert.deepStrictEqual(limitedFlags([foundList(recent, [5, 4, 3])], 2, 4), [true])
  assert.deepStrictEqual(limitedFlags([foundList(recent, [5]), foundList(relevant, [9, 8])], 2, 8), [
    false,
    true
  ])
})

it("the choice considers at most candidateLimit, shows each appeal once and keeps the order of a single list", () => {
  const list = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 })
  fc.assert(
    fc.property(
      list,
      list,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      (a, b, limit, topK) => {
        const chosen = chooseAppeals([foundList(recent, a), foundList(relevant, b)], {
          candidateLimit: limit,
          topK
        })
        const shown = chosen.appeals.map(({ appealId }) => appealId)
        assert.isAtMost(chosen.considered, limit)
        assert.strictEqual(new Set(shown).size, shown.length)
        for (const [index, all] of [a, b].entries()) {
          const mine = chosen.appeals.filter(({ lists }) => lists.includes(index))
          assert.isAtMost(mine.length, topK)
          assert.sameMembers(
            mine.map(({ appealId }) => appealId),
            all.slice(0, mine.length)
          )
        }
        assert.deepStrictEqual(ids([foundList(recent, a)], limit, topK), a.slice(0, Math.min(limit, topK)))
      }
    )
  )
})

const day = (n: number) => `2026-10-${String(n).padStart(2, "0")}T10:00:00.000Z`
const flaggedAppeal = (appealId: number, createdOn: number, ofSubject = false): FlaggedAppeal => ({
  appealId,
  createdAt: day(createdOn),
  ofSubject
})
const row = (appealId: number, createdOn: number, more: Partial<AppealRow> = {}) =>
  appealRow(appealId, { ...flaggedAppeal(appealId, createdOn), ...more })
/** The ids of quarantined and long appeals that affect the pack of a request with this order. */
const reasonsWith = (
  order: "recent" | "relevant",
  topK: number,
  shown: ReadonlyArray<AppealRow>,
  flags: {
    readonly long?: ReadonlyArray<FlaggedAppeal>
    readonly quarantined?: ReadonlyArray<FlaggedAppeal>
  },
  candidateLimit = 80
) =>
  partialReasonsOf(
    { topK, candidateLimit, appealLists: [{ target: null, order }] },
    {
      appeals: shown.map(({ appealId }) => ({ appealId, lists: [0] })),
      considered: shown.length,
      brought: [shown.length],
      limited: [false]
    },
    new Map(shown.map((one) => [one.appealId, one])),
    { long: [], quarantined: [], ...flags }
  )

const long = row(9, 20, { messageCount: APPEAL_MESSAGES_INDEXED_MAX + 1 })

it("with a query every quarantined or long appeal may have matched", () => {
  const flags = { long: [flaggedAppeal(7, 1)], quarantined: [flaggedAppeal(8, 2)] }
  assert.deepStrictEqual(reasonsWith("relevant", 1, [row(1, 30)], flags), {
    longIds: [7],
    quarantinedIds: [8]
  })
})
it("a long appeal affects the pack only when it is shown", () => {
  assert.deepStrictEqual(reasonsWith("recent", 2, [row(1, 30), long], { long: [long] }).longIds, [9])
  assert.deepStrictEqual(reasonsWith("recent", 1, [row(1, 30)], { long: [long] }).longIds, [])
})

const two = [row(1, 30), row(2, 10)]
const ofGroup = [row(1, 10, { ofSubject: true }), row(2, 30)]
const three = [flaggedAppeal(8, 28), flaggedAppeal(7, 27), flaggedAppeal(6, 26)]
it.each<
  readonly [
    string,
    shown: ReadonlyArray<AppealRow>,
    limits: readonly [topK: number, candidateLimit?: number],
    quarantined: ReadonlyArray<FlaggedAppeal>,
    ids: ReadonlyArray<number>
  ]
>([
  ["that would be among the topK", two, [2], [flaggedAppeal(8, 20)], [8]],
  ["older than the topK", two, [2], [flaggedAppeal(8, 5)], []],
  ["older than all that are shown, below the topK", two, [3], [flaggedAppeal(8, 5)], [8]],
  ["beyond candidateLimit", two, [8, 2], [flaggedAppeal(8, 5)], []],
  ["within candidateLimit", two, [8, 3], [flaggedAppeal(8, 5)], [8]],
  ["newer than one at candidateLimit", two, [8, 2], [flaggedAppeal(8, 25)], [8]],
  ["of the time of the last and a lower id", [row(5, 9)], [1], [flaggedAppeal(4, 9)], []],
  ["of the time of the last and a higher id", [row(5, 9)], [1], [flaggedAppeal(6, 9)], [6]],
  ["of which only the newest would be among the topK", [row(1, 1)], [2], three, [8, 7]],
  ["of a subject of the group, older than those of members", ofGroup, [2], [flaggedAppeal(8, 5, true)], [8]],
  ["of a member of the group, newer than those of its subjects", ofGroup, [2], [flaggedAppeal(8, 29)], []]
])(
  "the pack names quarantined appeals that it would have shown: %s",
  (_, shown, limits, quarantined, ids) => {
    const [topK, candidateLimit] = limits
    const { quarantinedIds } = reasonsWith("recent", topK, shown, { quarantined }, candidateLimit)
    assert.deepStrictEqual(quarantinedIds, [...ids])
  }
)
