// The budget of a pack, and what is trimmed first (contract §3.2 "budget" and "trimming").
import { assert, describe, it } from "@effect/vitest"
import { ContextPack, type ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import { ContextLimits } from "@rapport/contract/Limits.ts"
import { identity, Result, Schema } from "effect"
import * as fc from "fast-check"
import { exactTokensOf as exact } from "../../testing/ExactTokens.ts"
import { bytesIn, draftFrom, type DraftSeed, fitJson, sha256, wide } from "../../testing/PackFixtures.ts"
import { emptySeed as empty, seeds } from "../../testing/PackSeeds.ts"
import { canonicalJson } from "../../json/CanonicalJson.ts"
import { withValue } from "./Citations.ts"
import { fitPack } from "./PackBudget.ts"
import type { PackDraft } from "./PackDraft.ts"
import { jsonForm } from "./PackJson.ts"
import { bytesOf, tokensOf } from "./Tokens.ts"

const decodePack = Schema.decodeUnknownSync(Schema.fromJsonString(ContextPack), { onExcessProperty: "error" })

interface Fitted {
  readonly text: string
  readonly bytes: number
  readonly pack: ContextPackJson
}

const tryFit = (seed: DraftSeed, budget: Partial<typeof wide> = {}): Fitted | undefined => {
  const result = fitJson(draftFrom(seed), { ...wide, ...budget })
  if (Result.isFailure(result)) return undefined
  const { text } = result.success
  decodePack(text)
  return { text, bytes: bytesIn(text), pack: JSON.parse(text) as ContextPackJson }
}
const packOf = (draft: PackDraft, budget: typeof wide) =>
  JSON.parse(Result.getOrThrow(fitJson(draft, budget)).text) as ContextPackJson
const mustFit = (seed: DraftSeed, budget: Partial<typeof wide> = {}): Fitted => {
  const one = tryFit(seed, budget)
  if (one === undefined) throw new Error("does not fit")
  return one
}

const text = (n: number) => `Рахунок за вересень не прийшов, звернення ${n}. `.repeat(4)
const rich: DraftSeed = {
  ...empty,
  namespaces: [{ name: "crm", state: { tier: "gold" } }],
  actions: [
    { summary: "Замовлення", payload: { note: "a".repeat(6_000) } },
    { summary: "Оплата", payload: { note: "b".repeat(9_000) } },
    { summary: "Дзвінок", payload: { sum: 12 } }
  ],
  properties: [{ name: "tariff", value: "Дім 300" }],
  appeals: [
    [
      { text: text(1), score: 0.9 },
      { text: text(2), score: 0.8 },
      { text: text(3), score: null }
    ],
    [
      { text: text(4), score: 0.7 },
      { text: text(5), score: 0.2 }
    ],
    [{ text: text(6), score: null }]
  ],
  conversations: [["раз", "два"]],
  interactions: ["перша", "друга"],
  readings: [{ word: "hf[eyjr", readAs: "рахунок", why: "layout" }]
}

const evidenceOf = ({ pack }: Fitted) => {
  const { evidence } = pack.sections
  if (evidence === undefined) throw new Error("no evidence")
  return evidence
}
const itemsOf = ({ pack }: Fitted) => {
  const { actions } = pack.sections
  if (actions?.status !== "available") throw new Error("no actions")
  return actions
}
const snippetTexts = (one: Fitted) => evidenceOf(one).appeals.map(({ snippets }) => snippets.length)

/** A client with 64 namespaces. */
const seedOfNamespaces = (nameOf: (n: number) => string, state: (n: number) => object): DraftSeed => ({
  ...empty,
  appeals: null,
  actions: null,
  properties: null,
  namespaces: Array.from({ length: 64 }, (_, n) => ({ name: nameOf(n), state: state(n) }))
})
/** Of the greatest length, and of digits that take many tokens. */
const longest = (n: number) => `ns${n}.${sha256(String(n))}`.slice(0, 64)
const usual = (n: number) => `integration.loyalty-program-${n}`
const namespacesOf = ({ pack }: Fitted) => {
  const { state } = pack.sections
  if (state === undefined || !("namespaces" in state)) throw new Error("no namespaces")
  return state
}

/** Every pack from the complete one down to the smallest, by ever smaller budgets. */
const everyPackOf = (seed: DraftSeed): ReadonlyArray<Fitted> => {
  const packs = [mustFit(seed)]
  for (;;) {
    const next = tryFit(seed, { maxResponseBytes: (packs.at(-1)?.bytes ?? 0) - 1 })
    if (next === undefined) return packs
    // A limit of fewer digits shortens the answer too.
    if (next.pack.packHash === packs.at(-1)?.pack.packHash) packs.pop()
    packs.push(next)
  }
}

const shownContents = ({ pack }: Fitted) =>
  new Set(pack.citations.map(({ contentHash, sourceId }) => sourceId + contentHash))
const cutIdsOf = (pack: ContextPackJson) =>
  new Set(pack.coverage.details.flatMap(({ actionId, namespace }) => [actionId, namespace]))

const requireCitations = ({ pack }: Fitted) => {
  const { citations, packHash, scope, sections } = pack
  const used = [...JSON.stringify(sections).matchAll(/"citationIds":\["(c\d+)"\]/gu)].map(([, id]) => id)
  assert.sameMembers(
    used,
    citations.map(({ id }) => id)
  )
  for (const { contentHash, id, path } of citations) {
    const places = path.split(/[.[\]]+/u).filter((part) => part !== "")
    const cited = places.reduce<unknown>((at, part) => Reflect.get(Object(at), part), pack)
    const { citationIds, status: _, text, ...content } = Object(cited)
    assert.deepStrictEqual(citationIds, [id])
    const hashed = typeof text === "string" ? text : canonicalJson(content)
    assert.strictEqual(contentHash, `sha256:${sha256(hashed).slice(0, 16)}`)
  }
  assert.strictEqual(packHash, `sha256:${sha256(canonicalJson({ scope, sections, citations }))}`)
}

const oneSessionWithoutMessages: DraftSeed = {
  namespaces: null,
  actions: null,
  properties: null,
  appeals: [],
  conversations: [[]],
  interactions: [],
  memories: [],
  readings: []
}

/** As if the store had not read the namespace billing. */
const withBillingLeft = (draft: PackDraft): PackDraft =>
  draft.state?._tag !== "Namespaces"
    ? draft
    : {
        ...draft,
        state: {
          ...draft.state,
          namespaces: draft.state.namespaces.map((one) =>
            one.value.namespace === "billing"
              ? { ...withValue(one, { ...one.value, state: null }, sha256), leftBytes: 9_011 }
              : one
          )
        }
      }
const pathsOf = (seed: DraftSeed, maxResponseBytes: number, change: (draft: PackDraft) => PackDraft) => {
  const budget = { ...wide, maxResponseBytes, allowPartial: true }
  const { citations, coverage } = packOf(change(draftFrom(seed)), budget)
  assert.isTrue(coverage.details.some(({ namespace }) => namespace === "billing"))
  return citations.map(({ path }) => path)
}

describe("PackBudget (contract §3.2)", () => {
  it("bytes.used is the exact length of the body, tokens.used never below o200k_base, and both in their limits", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: 1_024, max: 40_000 }),
        fc.integer({ min: 64, max: 8_000 }),
        fc.boolean(),
        (seed, maxResponseBytes, tokenBudget, allowPartial) => {
          const one = tryFit(seed, { maxResponseBytes, tokenBudget, allowPartial })
          if (one === undefined) return
          const { bytes, tokens } = one.pack.budget
          assert.strictEqual(bytes.used, one.bytes)
          assert.isAtMost(bytes.used, maxResponseBytes)
          assert.isAtMost(exact(one.text), tokens.used)
          // The margin of the estimate would hide a part that is not counted. A hash counts a token for each digit.
          assert.isAtMost(tokensOf({ ...one.pack, packHash: "0a".repeat(34) }), tokens.used)
          assert.isAtMost(tokens.used, tokenBudget)
        }
      ),
      { numRuns: 200, examples: [[oneSessionWithoutMessages, 1_024, 8_000, false]] }
    )
  })

  it("yields to other requests while it counts long parts", () => {
    const draft = draftFrom(seedOfNamespaces(usual, (n) => ({ note: `${n} Опис. `.repeat(300) })))
    assert.isAtLeast([...fitPack(draft, jsonForm(wide, sha256), wide, sha256)].length, 1)
  })

  it("a pack with no data fits 2048 bytes and 800 tokens", () => {
    const one = mustFit(empty, { maxResponseBytes: 2_048, tokenBudget: 800 })
    assert.isFalse(one.pack.coverage.partial)
  })

  it("a larger budget never shows less", () => {
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: 1_024, max: 12_000 }),
        fc.integer({ min: 0, max: 6_000 }),
        (seed, bytes, more) => {
          const small = tryFit(seed, { maxResponseBytes: bytes, allowPartial: true })
          const large = tryFit(seed, { maxResponseBytes: bytes + more, allowPartial: true })
          if (small === undefined) return
          assert.isDefined(large)
          const kept = large === undefined ? new Set() : shownContents(large)
          const nulled = cutIdsOf(small.pack)
          for (const citation of small.pack.citations) {
            // An object that is cut in the small pack may be complete in the large one.
            if (!nulled.has(citation.sourceId) && !["state", "appeal"].includes(citation.sourceType))
              assert.isTrue(kept.has(citation.sourceId + citation.contentHash))
          }
        }
      ),
      { numRuns: 80 }
    )
  })

  it("the request id, its times and the time used do not change the content of a pack", () => {
    const requests = [
      { requestId: "01a21190-484a-70d5-8083-c832dad396c7", used: 1, at: "2026-10-05T10:00:00.000Z" },
      { requestId: "f0e9d8c7-b6a5-7f4e-9d3c-2b1a0f9e8d7c", used: 31, at: "1970-01-01T00:00:00.001Z" },
      { requestId: "11111111-1111-7111-8111-111111111111", used: 4_999, at: "2096-11-29T23:59:59.999Z" }
    ]
    const hashesOf = (budget: typeof wide) =>
      requests.map(({ at, requestId, used }) => {
        const { coverage, ...draft } = draftFrom(rich)
        const asOf = { ...coverage.asOf, database: at }
        const own = { requestId, generatedAt: at, timeMs: { limit: 5_000, used } }
        const read = { ...draft, ...own, coverage: { ...coverage, asOf } }
        const { text } = Result.getOrThrow(fitJson(read, budget))
        const pack = JSON.parse(text) as ContextPackJson
        assert.deepInclude(pack, { requestId, generatedAt: at })
        assert.deepStrictEqual([pack.coverage.asOf.database, pack.budget.timeMs.used], [at, used])
        assert.strictEqual(pack.budget.bytes.used, bytesIn(text))
        assert.isAtLeast(pack.budget.tokens.used, exact(text))
        return pack.packHash
      })
    const whole = mustFit(rich)
    // With fewer bytes only a trimmed pack fits, with more the complete one does.
    for (let less = -20; less < 60; less++) {
      const bytes = hashesOf({ ...wide, maxResponseBytes: whole.bytes - less })
      assert.strictEqual(new Set(bytes).size, 1, `${whole.bytes - less} bytes`)
      const tokenBudget = whole.pack.budget.tokens.used - less
      assert.strictEqual(new Set(hashesOf({ ...wide, tokenBudget })).size, 1, `${tokenBudget} tokens`)
    }
  }, 120_000)

  it.each(["!", "~Q~", "|!|!"])(
    "tokens.used is never above its limit with the request id %s",
    (requestId) => {
      const draft = { ...draftFrom(rich), requestId, timeMs: { limit: 5_000, used: 4_999 } }
      const tokensAt = (tokenBudget: number) => packOf(draft, { ...wide, tokenBudget }).budget.tokens
      const { used } = tokensAt(wide.tokenBudget)
      for (let more = -5; more < 5; more++) {
        const tokens = tokensAt(used + more)
        assert.isAtMost(tokens.used, tokens.limit)
      }
    }
  )

  it("a pack that fits exactly is not trimmed, with one byte less it is", () => {
    const whole = mustFit(rich)
    assert.isFalse(whole.pack.coverage.partial)
    // A time of four digits has to fit, and this answer has two.
    const digits = 2
    const used = mustFit(rich, { maxResponseBytes: whole.bytes + digits })
    assert.isFalse(used.pack.coverage.partial)
    const cut = mustFit(rich, { maxResponseBytes: used.bytes + digits - 1 })
    assert.deepStrictEqual(cut.pack.coverage.reasons, ["pack_budget"])
  })

  it("a pack that fits the tokens with every request id is not trimmed, with one token less it is", () => {
    const hashAt = (tokenBudget: number) => mustFit(rich, { tokenBudget }).pack.packHash
    const { budget, packHash } = mustFit(rich).pack
    // An id of 36 characters takes 36 tokens at most, and 3 where it meets its quotes.
    const enough = Array.from({ length: 40 }, (_, more) => budget.tokens.used + more).find(
      (tokenBudget) => hashAt(tokenBudget) === packHash
    )
    if (enough === undefined) throw new Error("is trimmed")
    assert.isTrue(mustFit(rich, { tokenBudget: enough - 1 }).pack.coverage.partial)
  })

  it("tokens.used of a pack with no data is at most 1.4 times the o200k_base count, with every request id", () => {
    for (const requestId of [
      "01a21190-484a-70d5-8083-c832dad396c7",
      "eeeeeeee-eeee-7eee-8eee-eeeeeeeeeeee"
    ]) {
      const draft = { ...draftFrom(empty), requestId, state: null, properties: null, actions: null }
      const { text } = Result.getOrThrow(fitJson(draft))
      const { used } = (JSON.parse(text) as ContextPackJson).budget.tokens
      assert.isAtLeast(used, exact(text))
      assert.isAtMost(used, 1.4 * exact(text))
    }
  })

  it("citations are all used and lead to what they cite, contentHash and packHash are the hashes of RFC 8785", () => {
    const numbered: DraftSeed = {
      ...empty,
      properties: [{ name: "steps", value: { 10: "ten", 9: "nine", a: { z: 1, b: 2 } } }],
      appeals: [[]],
      labels: { customFields: { 10: "ten", 9: "nine", a: { 30: 1, 4: 2 } } }
    }
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1_024, max: 40_000 }), (seed, maxResponseBytes) => {
        const one = tryFit(seed, { maxResponseBytes, allowPartial: true })
        if (one !== undefined) requireCitations(one)
      }),
      { numRuns: 200, examples: [[numbered, 40_000]] }
    )
  })

  describe("trimming", () => {
    const packs = everyPackOf(rich)

    it("first, payloads of actions above 4 KiB become {}, and coverage.details names them with their bytes", () => {
      const [, first, second] = packs
      if (first === undefined || second === undefined) throw new Error("nothing was trimmed")
      assert.deepStrictEqual(
        itemsOf(first).items.map(({ payload }) => JSON.stringify(payload).length > 2),
        [true, false, true]
      )
      const { items } = itemsOf(second)
      assert.deepStrictEqual(
        items.map(({ payload }) => payload),
        [{}, {}, { sum: 12 }]
      )
      assert.deepStrictEqual(second.pack.coverage.details, [
        {
          reason: "pack_budget",
          section: "actions",
          actionId: items[1]?.id,
          bytes: bytesOf({ note: "b".repeat(9_000) })
        },
        {
          reason: "pack_budget",
          section: "actions",
          actionId: items[0]?.id,
          bytes: bytesOf({ note: "a".repeat(6_000) })
        }
      ] as never)
    })

    it("then the lowest-scored snippets go, except the first of each appeal", () => {
      const counts = packs.slice(2).map(snippetTexts)
      assert.deepStrictEqual(counts.slice(0, 4), [
        [3, 2, 1],
        [2, 2, 1],
        [2, 1, 1],
        [1, 1, 1]
      ])
    })

    it("lists shrink to three, then actions to five, then the lists to none, then the actions to none", () => {
      const many: DraftSeed = {
        ...empty,
        actions: Array.from({ length: 7 }, (_, i) => ({ summary: `Дія ${i}`, payload: {} })),
        appeals: Array.from({ length: 5 }, (_, i) => [{ text: text(i), score: null }]),
        conversations: Array.from({ length: 4 }, () => ["раз"]),
        interactions: Array.from({ length: 5 }, (_, i) => `подія ${i}`),
        memories: Array.from({ length: 2 }, (_, i) => `спогад ${i}`)
      }
      const packs = everyPackOf(many)
      assert.deepStrictEqual([...new Set(packs.map((one) => itemsOf(one).truncated))], [false, true])
      const counts = packs.map((one) => {
        const { appeals, conversations, interactions, memories } = evidenceOf(one)
        return [
          interactions.length,
          memories.length,
          conversations.length,
          appeals.length,
          itemsOf(one).items.length
        ].join(" ")
      })
      assert.deepStrictEqual(counts, [
        "5 2 4 5 7",
        "4 2 4 5 7",
        "4 2 4 4 7",
        "3 2 4 4 7",
        "3 2 3 4 7",
        "3 2 3 3 7",
        "3 2 3 3 6",
        "3 2 3 3 5",
        "2 2 3 3 5",
        "2 2 2 3 5",
        "2 2 2 2 5",
        "1 2 2 2 5",
        "1 1 2 2 5",
        "1 1 1 2 5",
        "1 1 1 1 5",
        "0 1 1 1 5",
        "0 0 1 1 5",
        "0 0 0 1 5",
        "0 0 0 0 5",
        "0 0 0 0 4",
        "0 0 0 0 3",
        "0 0 0 0 2",
        "0 0 0 0 1",
        "0 0 0 0 0"
      ])
    })

    it("state and properties are never trimmed", () => {
      for (const { pack } of packs) {
        assert.deepInclude(pack.sections.state, { status: "available" })
        assert.include(JSON.stringify(pack.sections.state), '"tier":"gold"')
        assert.include(JSON.stringify(pack.sections.properties), "Дім 300")
      }
    })

    it("droppedSnippets counts the snippets of dropped appeals too", () => {
      const last = packs.at(-1)
      assert.deepInclude(last?.pack.coverage.details.at(-1), {
        section: "evidence",
        droppedAppeals: 3,
        droppedSnippets: 6,
        droppedConversations: 1,
        droppedInteractions: 2
      })
      assert.deepStrictEqual(last?.pack.budget.items, { appeals: 0, snippets: 0 })
    })

    it("returned of a target counts the appeals that the pack shows", () => {
      for (const one of packs) {
        const { appeals, targets } = evidenceOf(one)
        assert.strictEqual(targets.previous_client_appeals?.returned, appeals.length)
        assert.strictEqual(targets.previous_client_appeals?.candidates, 3)
      }
    })
  })

  describe("a budget that state, properties and the frame of the pack exceed", () => {
    const big: DraftSeed = {
      ...rich,
      namespaces: [
        { name: "crm", state: { note: "x".repeat(3_000) } },
        { name: "billing", state: { note: "y".repeat(9_000) } },
        { name: "tiny", state: { a: 1 } }
      ]
    }

    it("is QUERY_BUDGET_EXCEEDED, and its errors name each section and namespace with its size, largest first", () => {
      const result = fitJson(draftFrom(big), { ...wide, maxResponseBytes: 4_096 })
      if (Result.isSuccess(result)) throw new Error("fits")
      assert.strictEqual(result.failure.code, "QUERY_BUDGET_EXCEEDED")
      const errors = result.failure.errors ?? []
      assert.deepStrictEqual(
        errors.slice(0, 3).map(({ path }) => path),
        ["sections.state", "sections.state.namespaces[1]", "sections.state.namespaces[0]"]
      )
      assert.match(errors[1]?.message ?? "", /^namespace billing takes 9\d{3} bytes, about \d+ tokens$/u)
      assert.includeMembers(
        errors.map(({ path }) => path),
        ["sections.properties", "sections.actions", "sections.evidence", "sections.state.namespaces[2]"]
      )
    })

    it.each([false, true])("reports the tokens that the pack needs, allowPartial %s", (allowPartial) => {
      const stated = { ...big, properties: [{ name: "note", value: "Опис тарифу. ".repeat(90) }] }
      const failed = fitJson(draftFrom(stated), { ...wide, tokenBudget: 500, allowPartial })
      if (Result.isSuccess(failed)) throw new Error("fits")
      const { detail, errors = [] } = failed.failure
      const [, bytes, tokens] = /: it takes about (\d+) bytes and (\d+) tokens$/u.exec(detail ?? "") ?? []
      // The limits in the answer may have more digits.
      const tokenBudget = Number(tokens) + 1
      const { pack } = mustFit(stated, { tokenBudget, maxResponseBytes: Number(bytes) + 4 })
      assert.deepStrictEqual(
        Object.values(pack.sections).map(({ status }) => status),
        ["available", "available", "available", "available"]
      )
      assert.isUndefined(tryFit(stated, { tokenBudget: tokenBudget - 3 }))
      const reported = new Map(
        errors.map(({ message, path }) => [path, Number(/about (\d+) tokens$/u.exec(message)?.[1])] as const)
      )
      const properties = JSON.stringify(pack.sections.properties) + JSON.stringify(pack.citations.at(-1))
      assert.closeTo(reported.get("sections.properties") ?? 0, exact(properties), 40)
    })

    it("with allowPartial the largest namespaces have state null, and coverage.details names them", () => {
      const { pack } = mustFit(big, { maxResponseBytes: 8_192, allowPartial: true })
      const state = pack.sections.state
      if (state === undefined || !("namespaces" in state)) throw new Error("no namespaces")
      assert.deepStrictEqual(
        state.namespaces.map(({ state }) => state === null),
        [false, true, false]
      )
      assert.deepInclude(pack.coverage.details, {
        reason: "pack_budget",
        section: "state",
        namespace: "billing",
        bytes: 9_011
      })
    })

    it("a pack is the same whether a dropped state was read from the database or not", () => {
      const smaller = pathsOf(big, 8_191, withBillingLeft)
      assert.deepStrictEqual(smaller, pathsOf(big, 8_191, identity))
      assert.includeMembers(pathsOf(big, 9_000, identity), smaller)
    })

    it("with allowPartial it is QUERY_BUDGET_EXCEEDED only if the pack without states does not fit either", () => {
      assert.isDefined(tryFit(big, { maxResponseBytes: 3_000, allowPartial: true }))
      assert.isUndefined(
        tryFit(
          { ...big, properties: [{ name: "note", value: "z".repeat(3_000) }] },
          { maxResponseBytes: 3_000, allowPartial: true }
        )
      )
    })
  })

  describe("a client with 64 namespaces of state, at the maximums", () => {
    const maximums = { tokenBudget: ContextLimits.tokenBudget.maximum }

    it("shows every small state, with one citation for all", () => {
      const seed = seedOfNamespaces(longest, (n) => ({ tier: "gold", points: n }))
      const one = mustFit(seed, maximums)
      const state = namespacesOf(one)
      assert.isFalse(one.pack.coverage.partial)
      const shown = state.namespaces.map(({ namespace, state }) => ({ name: namespace, state }))
      assert.sameDeepOrderedMembers(shown, [...(seed.namespaces ?? [])])
      assert.lengthOf(one.pack.citations, 1)
      assert.deepInclude(one.pack.citations[0], {
        path: "sections.state",
        sourceType: "state",
        sourceId: "501",
        url: "/kw/clients/501/context/state?limit=100"
      })
      requireCitations(one)
    })

    it("has a citation for each namespace if they fit", () => {
      const few = seedOfNamespaces(usual, () => ({ tier: "gold" }))
      const one = mustFit({ ...few, namespaces: (few.namespaces ?? []).slice(0, 20) }, maximums)
      assert.isUndefined(namespacesOf(one).citationIds)
      assert.lengthOf(one.pack.citations, 20)
    })

    it("leaves out large states only with allowPartial", () => {
      const seed = seedOfNamespaces(usual, (n) => ({ note: `${n} Опис. `.repeat(300) }))
      assert.isUndefined(tryFit(seed, maximums))
      const one = mustFit(seed, { ...maximums, allowPartial: true })
      assert.lengthOf(namespacesOf(one).namespaces, 64)
      requireCitations(one)
    })
  })
})
