// Scores, minScore and `explain` of the context read over HTTP (contract §3.1, §3.2).
import { assert, layer } from "@effect/vitest"
import type { ContextPackJson } from "@rapport/contract/context/ContextPack.ts"
import { EXPLAINED_DROPS_MAX } from "@rapport/contract/Limits.ts"
import { Effect } from "effect"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"
import { unlimitedEnvironment } from "../../testing/SharedDatabaseFixtures.ts"

const path = "/kw/chatrooms/context/retrieve"
const client = { scope: { entity: "client", id: 501 } }

const post = Effect.fnUntraced(function* (body: object, accept = "application/json") {
  const { send } = yield* RunningServer
  const { status, text } = yield* send({ path, body, headers: { accept } })
  assert.strictEqual(status, 200, text)
  return text
})
const read = (body: object) => Effect.map(post(body), (text): ContextPackJson => JSON.parse(text))

const appealIds = (pack: ContextPackJson) =>
  (pack.sections.evidence?.appeals ?? []).map(({ appealId }) => appealId)

/** Ids of everything that a pack shows, by kind. */
const shownIn = (pack: ContextPackJson): ReadonlyArray<string> => {
  const { actions, evidence } = pack.sections
  const items = actions !== undefined && "items" in actions ? actions.items : []
  const appeals = evidence?.appeals ?? []
  return [
    ...items.map(({ id }) => `action ${id}`),
    ...appeals.map(({ appealId }) => `appeal ${appealId}`),
    ...appeals.flatMap(({ appealId, snippets }) =>
      snippets.map(({ messageId }) => `snippet ${messageId ?? appealId}`)
    ),
    ...(evidence?.conversations ?? []).map(({ sessionId }) => `conversation ${sessionId}`),
    ...(evidence?.interactions ?? []).map(({ id }) => `interaction ${id}`),
    ...(evidence?.memories ?? []).map(({ id }) => `memory ${id}`)
  ]
}

/** The members that are equal in two answers to the same request. */
const withoutTimes = ({ budget, citations, coverage, packHash, scope, sections }: ContextPackJson) => ({
  citations,
  packHash,
  scope,
  sections,
  // Whether the index lags depends on the load of the machine.
  reasons: coverage.reasons.filter((reason) => reason !== "index_lag"),
  details: coverage.details.filter(({ reason }) => reason !== "index_lag"),
  items: budget.items
})

layer(ServerFixtures.searchable(unlimitedEnvironment), { timeout: "120 seconds", excludeTestServices: true })(
  "explain and minScore (contract §3.2)",
  (it) => {
    it.effect.each([
      ["Ukrainian", client, "не прийшли рахунки", "рахунки"],
      ["Russian", { scope: { entity: "skill_group", id: 3 } }, "не работают интернеты", "интернеты"],
      ["English", { scope: { entity: "subject", id: 12 } }, "invoices for a contract", "invoices"]
    ] as const)("explain names the matched words, and changes nothing else: %s", ([, scope, query, word]) =>
      Effect.gen(function* () {
        const target = scope.scope.entity === "subject" ? "relevant_subject_appeals" : "relevant_appeals"
        const body = { ...scope, targets: [target], query, topK: 3 }
        const plain = yield* read(body)
        const pack = yield* read({ ...body, explain: true })
        assert.notProperty(plain, "explain")
        assert.deepStrictEqual(withoutTimes(pack), withoutTimes(plain))
        const items = pack.explain?.items ?? []
        assert.isNotEmpty(items)
        assert.deepStrictEqual(
          items.map(({ path }) => path),
          appealIds(pack).map((_, place) => `sections.evidence.appeals[${place}]`)
        )
        assert.isTrue(items.some(({ words }) => words.some((one) => one.word === word && one.by === "stem")))
        for (const { score, tokens } of items) {
          assert.isAbove(tokens, 20)
          assert.isAbove(score?.passage ?? 0, 0)
          assert.isAtLeast(score?.ranking ?? 0, score?.passage ?? Infinity)
          assert.isAbove(score?.weighed ?? 0, 0)
        }
        const tokens = items.reduce((all, one) => all + one.tokens, 0)
        assert.isBelow(tokens, pack.budget.tokens.used)
        const known = yield* read({ ...body, explain: true, knownPackHash: pack.packHash })
        assert.deepStrictEqual(Object.keys(known), ["unchanged", "packHash"])
        assert.strictEqual(
          yield* post({ ...body, explain: true }, "text/markdown"),
          yield* post(body, "text/markdown")
        )
      })
    )

    it.effect("explain names a budget that keeps each dropped item, and that budget keeps it", () =>
      Effect.gen(function* () {
        const body = {
          ...client,
          targets: ["relevant_appeals", "recent_client_interactions", "previous_client_conversations"],
          sections: ["actions", "evidence"],
          actions: { limit: 10 },
          query: "не прийшов рахунок",
          explain: true
        }
        for (const limit of [{ tokenBudget: 2_500 }, { maxResponseBytes: 7_000 }]) {
          const pack = yield* read({ ...body, ...limit })
          const drops = (pack.explain?.dropped ?? []).filter(({ reason }) => reason === "pack_budget")
          assert.isAbove(drops.length, 5)
          const shown = shownIn(pack)
          for (const { id, kind } of drops) assert.notInclude(shown, `${kind} ${id}`)
          for (const { id, keptBy, kind } of drops.filter((_, place) => place % 3 === 0)) {
            if (keptBy === undefined) continue
            const larger = yield* read({ ...body, ...limit, ...keptBy })
            assert.include(shownIn(larger), `${kind} ${id}`, JSON.stringify(keptBy))
          }
        }
      })
    )

    it.effect("explain lists evidence dropped by topK and minScore, and the values that would keep it", () =>
      Effect.gen(function* () {
        const body = { ...client, targets: ["relevant_appeals"], query: "рахунок за інтернет", explain: true }
        const all = yield* read({ ...body, topK: 20 })
        const scores = (all.sections.evidence?.appeals ?? []).map(({ score }) => score ?? 0)
        assert.isAbove(scores.length, 3)
        const [first, second] = yield* Effect.all([
          read({ ...body, topK: 1 }),
          read({ ...body, topK: 20, minScore: scores[0] ?? 1 })
        ])
        const ids = appealIds(all).map(String)
        const beyond = (first.explain?.dropped ?? []).filter(({ reason }) => reason === "top_k")
        assert.deepStrictEqual(
          beyond.map(({ id, keptBy }) => [id, keptBy?.topK]),
          ids.slice(1).map((id, place) => [id, place + 2])
        )
        const below = (second.explain?.dropped ?? []).filter(({ reason }) => reason === "min_score")
        const kept = appealIds(second).length
        assert.deepStrictEqual(
          below.map(({ id, keptBy, score }) => [id, score, keptBy?.minScore]),
          ids.slice(kept).map((id, place) => [id, scores[kept + place], scores[kept + place]])
        )
      })
    )

    it.effect(
      "explain lists at most 100 dropped items, and without keptBy what no allowed budget keeps",
      () =>
        Effect.gen(function* () {
          const body = {
            ...client,
            sections: ["actions", "evidence"],
            actions: { limit: 100 },
            targets: ["previous_client_appeals", "recent_client_interactions"],
            topK: 20,
            maxSnippetsPerAppeal: 5,
            explain: true
          }
          const pack = yield* read({ ...body, tokenBudget: 1_000 })
          const dropped = pack.explain?.dropped ?? []
          assert.deepStrictEqual([dropped.length, pack.explain?.droppedMore], [EXPLAINED_DROPS_MAX, true])
          const largest = shownIn(yield* read({ ...body, maxResponseBytes: 262_144 }))
          for (const { id, keptBy, kind } of dropped) {
            const isShown = largest.includes(`${kind} ${id}`)
            assert.strictEqual(isShown, keptBy !== undefined, `${kind} ${id} ${JSON.stringify(keptBy)}`)
          }
          assert.isTrue(dropped.some(({ keptBy }) => keptBy === undefined))
          assert.isTrue(dropped.some(({ keptBy }) => keptBy !== undefined))
        })
    )

    it.effect("explain leaves keptBy out of appeals that even the largest topK does not show", () =>
      Effect.gen(function* () {
        const scope = { entity: "subject", id: 12 }
        const body = {
          scope,
          targets: ["recent_subject_appeals"],
          topK: 1,
          candidateLimit: 200,
          explain: true
        }
        const { explain } = yield* read(body)
        const dropped = explain?.dropped ?? []
        assert.isAbove(dropped.length, 20)
        assert.strictEqual(explain?.droppedMore, false)
        assert.deepStrictEqual(
          dropped.map(({ keptBy }) => keptBy?.topK),
          dropped.map((_, place) => (place + 2 <= 20 ? place + 2 : undefined))
        )
      })
    )

    it.effect.each([
      ["Ukrainian", client, "не прийшов рахунок", "кенгуру на орбіті Сатурна"],
      [
        "Russian",
        { scope: { entity: "skill_group", id: 3 } },
        "интернет не работает",
        "кенгуру на орбите Сатурна и интернет"
      ],
      ["English", client, "invoice for the contract", "kangaroos in the orbit of Saturn"]
    ] as const)(
      "scores are comparable between queries, and a pack reports no relevant evidence: %s",
      ([, scope, answered, unanswered]) =>
        Effect.gen(function* () {
          const body = { ...scope, targets: ["relevant_appeals"] }
          const bestOf = (query: string) =>
            Effect.map(read({ ...body, query }), ({ sections }) => sections.evidence?.appeals[0]?.score ?? 0)
          const [good, bad] = [yield* bestOf(answered), yield* bestOf(unanswered)]
          assert.isAbove(good, bad)
          const minScore = good
          const kept = yield* read({ ...body, query: answered, minScore })
          assert.isNotEmpty(appealIds(kept))
          assert.notInclude(kept.coverage.reasons, "no_relevant_evidence")
          const none = yield* read({ ...body, query: unanswered, minScore })
          assert.deepStrictEqual(appealIds(none), [])
          assert.deepStrictEqual(none.coverage.details, [
            { reason: "no_relevant_evidence", section: "evidence", target: "relevant_appeals" }
          ])
          assert.match(
            yield* post({ ...body, query: unanswered, minScore }, "text/markdown"),
            /no_relevant_evidence/u
          )
        })
    )

    it.effect("minScore leaves recent appeals in the pack", () =>
      Effect.gen(function* () {
        const targets = ["previous_client_appeals", "relevant_appeals"]
        const pack = yield* read({ ...client, targets, query: "кенгуру", minScore: 1, topK: 2 })
        assert.lengthOf(appealIds(pack), 2)
        assert.include(pack.coverage.reasons, "no_relevant_evidence")
      })
    )
  }
)
