// Assembles a pack from everything that was read.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { CurrentRequestId, type QueryBudgetExceeded } from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Effect, Result } from "effect"
import { type PartResult, valueOf } from "../../failures/SourceUnavailable.ts"
import type { FoundMemories } from "../../memory/ClientMemory.ts"
import type { IndexStatus } from "../../search/DocumentIndex.ts"
import { makeCite, type SourceUrls, sourceUrls } from "../pack/Citations.ts"
import { coverageOf } from "../pack/Coverage.ts"
import { explanationOf, withExplanation } from "../pack/Explanation.ts"
import { fitPack } from "../pack/PackBudget.ts"
import { marksOf } from "../pack/Marks.ts"
import type { PackDraft } from "../pack/PackDraft.ts"
import type { PackFormat } from "../pack/PackForm.ts"
import { jsonForm } from "../pack/PackJson.ts"
import { markdownForm } from "../pack/PackMarkdown.ts"
import { sectionsOf } from "../pack/SectionDrafts.ts"
import type { ContextPlan } from "./ContextPlan.ts"
import type { WrittenPack } from "./PackMetrics.ts"
import type { GatheredContext, SectionParts } from "./ReadSources.ts"

/** Members of a pack that describe its read. */
interface AnswerFrame {
  readonly requestId: string
  readonly generatedAt: string
  readonly usedMillis: number
  readonly urls: SourceUrls
}

/** `startedAt`: when the read began, epoch milliseconds. */
export const frameOf = Effect.fnUntraced(function* (
  session: AuthorizedSession,
  startedAt: number
): Effect.fn.Return<AnswerFrame> {
  const now = yield* Clock.currentTimeMillis
  return {
    requestId: yield* CurrentRequestId,
    generatedAt: isoOf(now),
    usedMillis: now - startedAt,
    urls: sourceUrls(session)
  }
})

/** The pack, or the size of the parts that cannot be left out. */
export const packOf = (...given: Parameters<typeof fittedPack>) => inSlices(fittedPack(...given))

/** Lets other work run between the steps of the generator. */
const inSlices = Effect.fnUntraced(function* <A>(work: Generator<void, A>) {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    yield* Effect.yieldNow
  }
})

function* fittedPack(
  hex: (text: string) => string,
  plan: ContextPlan,
  format: PackFormat,
  gathered: GatheredContext,
  frame: AnswerFrame
): Generator<void, Result.Result<WrittenPack, QueryBudgetExceeded>> {
  const form = format === "markdown" ? markdownForm(hex) : jsonForm(plan, hex)
  const draft = draftOf(hex, plan, gathered, frame)
  yield
  const fitted = yield* fitPack(draft, form, plan, hex)
  if (Result.isFailure(fitted)) return Result.fail(fitted.failure)
  const { cut } = fitted.success
  const answer = form.written(cut)
  return Result.succeed({
    answer:
      plan.explain && format === "json"
        ? withExplanation(
            answer,
            yield* explanationOf(form, plan, fitted.success, {
              textQuery: plan.textQuery,
              appeals: valueOf(gathered.evidence.appeals, null),
              memories: valueOf(gathered.evidence.memories, null)
            })
          )
        : answer,
    details: cut.coverage.details
  })
}

/** The draft of the pack, with citations in the order of the answer. */
const draftOf = (
  hex: (text: string) => string,
  requested: ContextPlan,
  { evidence, indexStatus, opened }: GatheredContext,
  { generatedAt, requestId, urls, usedMillis }: AnswerFrame
): PackDraft => {
  // A merged client is shown as its survivor.
  const scope = { ...requested.scope, id: opened.entityId ?? requested.scope.id }
  const plan = { ...requested, scope }
  const { databaseAt, parts } = opened
  const citing = { cite: makeCite(hex), urls, marks: marksOf(parts.actions, evidence) }
  const sections = sectionsOf(plan, parts, evidence, citing)
  const appeals = valueOf(evidence.appeals, null)
  const memoryStatus = valueOf(evidence.memories, null)?.indexStatus ?? null
  return {
    requestId,
    scope,
    generatedAt,
    ...sections,
    coverage: {
      ...coverageOf(plan, sections, {
        appeals,
        indexStatus,
        memoryStatus,
        quarantinedMemoryIds: touchingMemories(plan, evidence.memories, parts.quarantinedMemories)
      }),
      asOf: { database: databaseAt, ...asOfIndex([indexStatus, memoryStatus]) }
    },
    candidates: { limit: plan.candidateLimit, considered: appeals?.chosen.considered ?? 0 },
    timeMs: { limit: plan.timeoutMillis, used: usedMillis }
  }
}

/** The status of the index that is further behind. */
const asOfIndex = (statuses: ReadonlyArray<IndexStatus | null>) => {
  const known = statuses.filter((one) => one !== null)
  return known.length === 0
    ? { index: null, indexLagMs: null }
    : {
        index: isoOf(Math.min(...known.map(({ indexedAt }) => indexedAt))),
        indexLagMs: Math.max(...known.map(({ lagMillis }) => lagMillis))
      }
}

/** Quarantined entries that could have been shown: with a query any, else those among the latest. */
const touchingMemories = (
  { query, topK }: ContextPlan,
  memories: PartResult<FoundMemories> | null,
  quarantined: SectionParts["quarantinedMemories"]
): ReadonlyArray<string> => {
  if (memories?._tag !== "Available" || quarantined?._tag !== "Available") return []
  const latest = [...memories.value.memories, ...quarantined.value]
    .toSorted((a, b) => (a.occurredAt < b.occurredAt ? 1 : a.occurredAt > b.occurredAt ? -1 : 0))
    .slice(0, topK)
  return quarantined.value.filter((entry) => query !== null || latest.includes(entry)).map(({ id }) => id)
}
