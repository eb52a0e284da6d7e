// The goldens through POST /kw/chatrooms/context/retrieve on both engines: wanted appeals rank first (contract §3.1,
// "relevant"). The data counts back from fixed days, so that the texts are the same every day.
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isOpenSearchMissing, OpenSearchAt, OpenSearchFixtures } from "../testing/OpenSearchFixtures.ts"
import { demoAppeals } from "../testing/DemoAppeals.ts"
import { missedIds, rankingGoldens, slavicGoldens } from "../testing/RankingGoldens.ts"
import { RunningServer, ServerFixtures, untilSearchable } from "../testing/ServerFixtures.ts"
import { unlimitedEnvironment } from "../testing/SharedDatabaseFixtures.ts"

const MONDAY = Date.UTC(2026, 9, 5)
// The talks of the demo follow the week, and their dates the calendar: another weekday, another season.
const SATURDAY = Date.UTC(2026, 1, 14)

const ask = Effect.fnUntraced(function* ({ send }: RunningServer["Service"], read: object, query: string) {
  const body = { ...read, query, sections: ["evidence"], topK: 20, timeoutMs: 5_000 }
  const answer = yield* send({ path: "/kw/chatrooms/context/retrieve", body })
  assert.strictEqual(answer.status, 200, query)
  const { coverage, sections } = answer.body
  // The budget cuts from below and long appeals may be out of reach of a search: neither hides what ranks first.
  assert.notInclude(coverage.reasons, "source_unavailable")
  return sections.evidence.appeals.map(({ appealId }: { appealId: number }) => appealId)
})

const allGoldens = (midnight: number) =>
  Effect.gen(function* () {
    const server = yield* RunningServer
    yield* untilSearchable(server)
    const appeals = demoAppeals(midnight)
    const failed: Array<string> = []
    for (const golden of [...rankingGoldens, ...slavicGoldens]) {
      const query = golden.query(appeals)
      assert.isNotEmpty(golden.wanted(appeals), golden.name)
      const ranking = yield* ask(server, golden.read, query)
      const missed = missedIds(golden, appeals, ranking)
      if (missed.length > 0)
        failed.push(`${golden.language} ${golden.name}: "${query}" misses ${missed}, has ${ranking}`)
    }
    assert.deepStrictEqual(failed, [])
  })

const settings = { excludeTestServices: true, timeout: "180 seconds" } as const

for (const [day, midnight] of [
  ["a Monday of October", MONDAY],
  ["a Saturday of February", SATURDAY]
] as const) {
  layer(ServerFixtures.runningOn(midnight, unlimitedEnvironment), settings)(
    `on SQLite, seeded on ${day}`,
    (it) => {
      it.effect("all goldens find the wanted appeals", () => allGoldens(midnight), 120_000)
    }
  )
}

const onOpenSearch = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* OpenSearchAt
    return ServerFixtures.runningOn(MONDAY, {
      ...unlimitedEnvironment,
      OPENSEARCH_URL: url,
      OPENSEARCH_INDEX_PREFIX: yield* OpenSearchFixtures.prefix
    })
  })
).pipe(Layer.provide(OpenSearchFixtures.at))

describe.skipIf(isOpenSearchMissing)("on OpenSearch", () => {
  layer(
    onOpenSearch,
    settings
  )((it) => {
    it.effect("all goldens find the wanted appeals", () => allGoldens(MONDAY), 120_000)
  })
})
