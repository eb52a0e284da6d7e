// The context read: one bounded, cited pack about an entity, or nothing (docs/contract.md §3).
import { AppealIndex } from "../../appeals/AppealIndex.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { CoverageDetail } from "@rapport/contract/context/ContextPack.ts"
import type { ContextRequest, ContextSection } from "@rapport/contract/context/ContextRequest.ts"
import {
  AccessDenied,
  CurrentRequestId,
  type QueryBudgetExceeded,
  SearchUnavailable
} from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Context, Effect, Layer, Metric, Result } from "effect"
import { actorOf, AuditLog, currentOrigin } from "../../audit/AuditLog.ts"
import { ClientMemory, type FoundMemories } from "../../memory/ClientMemory.ts"
import {
  type Attempted,
  inSpan,
  orUnavailable,
  traced,
  withDeadline
} from "../../failures/SourceUnavailable.ts"
import type { IndexStatus } from "../../search/DocumentIndex.ts"
import { type SourceUrls, sourceUrls } from "../pack/Citations.ts"
import { type ContextPlan, type Deadlines, planOf, ReadDeadlines, WaitedMillis } from "./ContextPlan.ts"
import { ContextStore } from "./ContextStore.ts"
import { coverageOf } from "../pack/Coverage.ts"
import { evidenceDraft, sectionsOf } from "../pack/SectionDrafts.ts"
import {
  gather,
  type Gathered,
  type OpenedSections,
  type Parts,
  type Shown,
  shownOf,
  type Sources
} from "./ReadSources.ts"
import { fitting } from "../pack/PackBudget.ts"
import {
  type Answer,
  type Moment,
  type PackFormat,
  USED_MILLIS_MOST,
  type WrittenPack
} from "../pack/PackForm.ts"
import { markdownForm } from "../pack/PackMarkdown.ts"
import { jsonForm } from "../pack/PackJson.ts"
import type { PackDraft } from "../pack/PackDraft.ts"
import { Sha256 } from "../../json/Sha256.ts"
import { PACK_UNITS_KEPT_MAX, READS_NOTED_MAX } from "../PackLimits.ts"

export class ContextReader extends Context.Service<
  ContextReader,
  {
    /** The answer, rendered in its form. It leaves within timeoutMs, whatever the sources do. */
    readonly retrieve: (
      session: AuthorizedSession,
      request: ContextRequest,
      format: PackFormat
    ) => Effect.Effect<Answer, AccessDenied | QueryBudgetExceeded | SearchUnavailable>
  }
>()("core/context/ContextReader") {
  static readonly layer = Layer.effect(
    ContextReader,
    Effect.gen(function* () {
      const sources: Sources = {
        store: yield* ContextStore,
        index: yield* AppealIndex,
        memory: yield* ClientMemory
      }
      const { hex } = yield* Sha256
      const remembered = new RememberedPacks()
      const audit = yield* AuditLog
      const deadlinesOf = yield* ReadDeadlines

      const assemble = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        plan: ContextPlan,
        format: PackFormat,
        deadlines: Deadlines,
        startedAt: number
      ) {
        const gathered = yield* gather(sources, session, plan, deadlines)
        const moment = yield* momentOf(gathered, startedAt)
        const made = yield* packOf(remembered, hex, session, plan, format, gathered, moment)
        // What leaves, be it the sizes of what did not fit, leaves under rights that still hold (rule 3).
        const shown = Result.isSuccess(made) ? made.success.shown : shownOf(gathered)
        const confirmed = yield* inSpan("ContextReader.confirm")(
          sources.store.confirm({
            ...shown,
            caller: session,
            scope: plan.scope,
            snapshot: gathered.opened.snapshot
          })
        )
        if (!confirmed) return yield* new AccessDenied()
        const read = yield* Effect.fromResult(made)
        yield* reportPack(read)
        return read.pack.at(moment)
      })

      const recorded = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        { scope }: ContextPlan,
        decision: "allowed" | "denied"
      ) {
        yield* audit.append({
          ...(yield* currentOrigin),
          ...actorOf(session),
          instanceId: session.instanceId,
          action: "context.read",
          entity: scope.entity,
          entityId: String(scope.id),
          decision,
          details: {}
        })
      })

      const retrieve = Effect.fnUntraced(function* (
        session: AuthorizedSession,
        request: ContextRequest,
        format: PackFormat
      ) {
        const startedAt = (yield* Clock.currentTimeMillis) - (yield* WaitedMillis)
        const plan = planOf(request)
        const deadlines = deadlinesOf(startedAt, plan.timeoutMillis, plan.allowPartial)
        return yield* assemble(session, plan, format, deadlines, startedAt).pipe(
          withDeadline(deadlines.answer, "database"),
          Effect.tap(() => recorded(session, plan, "allowed")),
          Effect.tapErrorTag("AccessDenied", () => recorded(session, plan, "denied")),
          orUnavailable
        )
      })

      return ContextReader.of({ retrieve: traced("ContextReader.retrieve")(retrieve) })
    })
  )
}

/** Lets other requests in whenever the work gives way. */
const inSlices = Effect.fnUntraced(function* <A>(work: Generator<void, A>) {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    yield* Effect.yieldNow
  }
})

const momentOf = Effect.fnUntraced(function* (
  { opened }: Gathered,
  startedAt: number
): Effect.fn.Return<Moment> {
  const now = yield* Clock.currentTimeMillis
  return {
    requestId: yield* CurrentRequestId,
    generatedAt: isoOf(now),
    databaseAt: opened.databaseAt,
    usedMillis: now - startedAt
  }
})

/** The pack of a read as it is remembered, else as it is made now. */
const packOf = Effect.fnUntraced(function* (
  remembered: RememberedPacks,
  hex: (text: string) => string,
  session: AuthorizedSession,
  plan: ContextPlan,
  format: PackFormat,
  gathered: Gathered,
  moment: Moment
): Effect.fn.Return<Result.Result<ReadPack, QueryBudgetExceeded>> {
  const urls = sourceUrls(session)
  const key = keyOf(hex, session, plan, format, gathered.opened, urls, moment)
  const known = key === null ? undefined : remembered.get(key)
  if (known !== undefined) return Result.succeed(known)
  const made = yield* inSlices(making(hex, plan, format, gathered, urls, moment))
  if (key !== null && Result.isSuccess(made)) remembered.set(key, made.success)
  return made
})

function* making(
  hex: (text: string) => string,
  plan: ContextPlan,
  format: PackFormat,
  gathered: Gathered,
  urls: SourceUrls,
  moment: Moment
): Generator<void, Result.Result<ReadPack, QueryBudgetExceeded>> {
  const form = format === "markdown" ? markdownForm(hex) : jsonForm(plan, hex)
  const draft = yield* draftOf(hex, plan, gathered, urls, moment)
  const fitted = yield* fitting(draft, form, plan, hex)
  return Result.map(fitted, (cut) => ({
    pack: form.written(cut),
    outcomes: [...plan.sections].map((section) => ({
      section,
      outcome: outcomeOf(section, cut.coverage.details)
    })),
    shown: shownOf(gathered)
  }))
}

/** Everything gathered, with its citations in the order of the answer. */
function* draftOf(
  hex: (text: string) => string,
  asked: ContextPlan,
  { evidence, indexStatus, memoryStatus, opened }: Gathered,
  urls: SourceUrls,
  { databaseAt, generatedAt, requestId, usedMillis }: Moment
): Generator<void, PackDraft> {
  // A client that was merged into another is shown as the survivor.
  const scope = { ...asked.scope, id: opened.entityId ?? asked.scope.id }
  const plan = { ...asked, scope }
  const parts = opened.parts()
  const { cite, ...drafts } = yield* sectionsOf(hex, scope, parts, urls)
  const sections = {
    ...drafts,
    evidence: plan.sections.has("evidence") ? evidenceDraft(plan, evidence, cite, urls) : null
  }
  const appeals = evidence.appeals?._tag === "Available" ? evidence.appeals.value : null
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

/** Of several indexes the one that is behind. */
const asOfIndex = (statuses: ReadonlyArray<IndexStatus | null>) => {
  const asked = statuses.filter((one) => one !== null)
  return asked.length === 0
    ? { index: null, indexLagMs: null }
    : {
        index: isoOf(Math.min(...asked.map(({ indexedAt }) => indexedAt))),
        indexLagMs: Math.max(...asked.map(({ lagMillis }) => lagMillis))
      }
}

/** Entries in quarantine that could have been shown: by words any, by recency one that is among the latest. */
const touchingMemories = (
  { query, topK }: ContextPlan,
  memories: Attempted<FoundMemories> | null,
  quarantined: Parts["quarantinedMemories"]
): ReadonlyArray<string> => {
  if (memories?._tag !== "Available" || quarantined?._tag !== "Available") return []
  const latest = [...memories.value.memories, ...quarantined.value]
    .toSorted((a, b) => (a.occurredAt < b.occurredAt ? 1 : a.occurredAt > b.occurredAt ? -1 : 0))
    .slice(0, topK)
  return quarantined.value.filter((entry) => query !== null || latest.includes(entry)).map(({ id }) => id)
}

/** A series of its own: what `withAttributes` gives merges, sorts and joins its attributes for each value. */
const sectionCounter = (section: string, outcome: Outcome) =>
  Metric.counter("rapport.context.sections", {
    description:
      "sections of packs, by outcome: complete, trimmed to the budget, or unavailable in whole or part",
    incremental: true,
    attributes: { section, outcome }
  })
const bytesHistogram = Metric.histogram("rapport.context.pack_bytes", {
  description: "bytes of a pack",
  boundaries: [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144]
})
const tokensHistogram = Metric.histogram("rapport.context.pack_tokens", {
  description: "estimated tokens of a pack",
  boundaries: [64, 125, 250, 500, 1_000, 2_000, 4_000, 8_000]
})

const sectionSeries = new Map<string, Metric.Counter<number>>()
const seriesOf = (section: string, outcome: Outcome): Metric.Counter<number> => {
  const key = `${section} ${outcome}`
  const made = sectionSeries.get(key) ?? sectionCounter(section, outcome)
  sectionSeries.set(key, made)
  return made
}

/** The worst of what coverage says of a section. */
const outcomeOf = (section: string, details: ReadonlyArray<CoverageDetail>): Outcome => {
  let outcome: Outcome = "complete"
  for (const { reason, section: of } of details) {
    if (of !== section) continue
    if (reason === "source_unavailable" || reason === "timeout" || reason === "client_memory_not_ready")
      return "unavailable"
    if (reason === "pack_budget") outcome = "trimmed"
  }
  return outcome
}

/** Reports a pack that leaves. */
const reportPack = ({ outcomes, pack }: ReadPack): Effect.Effect<void> =>
  Effect.contextWith((context) =>
    Effect.sync(() => {
      for (const { outcome, section } of outcomes) seriesOf(section, outcome).updateUnsafe(1, context)
      bytesHistogram.updateUnsafe(pack.bytes, context)
      tokensHistogram.updateUnsafe(pack.tokens, context)
    })
  )

/** How much of a section a pack shows. */
type Outcome = "complete" | "trimmed" | "unavailable"

/** A pack with what else a read needs of it. */
export interface ReadPack {
  readonly pack: WrittenPack
  readonly outcomes: ReadonlyArray<{ readonly section: ContextSection; readonly outcome: Outcome }>
  readonly shown: Shown
}

/** Hexadecimal digits of a key that a note of it holds: 32 bits. */
const MARK_DIGITS = 8
/** Units that a pack counts beside its texts: its numbers, and its place here. */
const ENTRY_UNITS = 512

/**
 * Packs that were written, for reads that would write the same: by a hash of all that a pack is written of, so that nothing
 * remembered is ever out of date.
 */
export class RememberedPacks {
  readonly #packs = new Map<string, ReadPack>()
  /** Of reads that were made before, a part of the key of each, outside the heap. */
  readonly #noted = new Uint32Array(READS_NOTED_MAX)
  readonly #unitsMax: number
  #units = 0

  constructor(unitsMax = PACK_UNITS_KEPT_MAX) {
    this.#unitsMax = unitsMax
  }

  /** What was not asked for longest is forgotten first. */
  get(key: string): ReadPack | undefined {
    const found = this.#packs.get(key)
    if (found !== undefined) {
      this.#packs.delete(key)
      this.#packs.set(key, found)
    }
    return found
  }

  /**
   * A pack is kept when it was made a second time: most of what changes between two reads is never asked for again, and what
   * is kept of it would grow old.
   */
  set(key: string, read: ReadPack): void {
    if (!this.#wasNoted(key)) return
    this.#forget(key)
    this.#packs.set(key, read)
    this.#units += unitsOf(read)
    for (const oldest of this.#packs.keys()) {
      if (this.#units <= this.#unitsMax) break
      this.#forget(oldest)
    }
  }

  /** Notes it. One whose place another took is made once more, which costs no more than that. */
  #wasNoted(key: string): boolean {
    const mark = Number.parseInt(key.slice(0, MARK_DIGITS), 16)
    const place = mark % READS_NOTED_MAX
    const was = this.#noted[place] === mark
    this.#noted[place] = mark
    return was
  }

  #forget(key: string): void {
    const found = this.#packs.get(key)
    if (found === undefined) return
    this.#packs.delete(key)
    this.#units -= unitsOf(found)
  }
}

const unitsOf = ({ pack }: ReadPack): number => pack.units + ENTRY_UNITS

/**
 * By what the pack of a read is remembered: whose it is, all that was asked, all that the database said, and what else it is
 * written of. Null where it is made of more than that: of evidence, or of parts that were read one by one.
 */
export const keyOf = (
  hex: (text: string) => string,
  { instanceId }: AuthorizedSession,
  plan: ContextPlan,
  format: PackFormat,
  { entityId, text }: OpenedSections,
  urls: SourceUrls,
  { requestId, usedMillis }: Moment
): string | null => {
  if (text === null || entityId === null || plan.sections.has("evidence")) return null
  // A longer time takes more of the budget.
  if (usedMillis > USED_MILLIS_MOST) return null
  const of = {
    ...plan,
    sections: [...plan.sections],
    instanceId,
    entityId,
    format,
    // Of the addresses of sections only that of the record depends on the caller.
    record: urls.record(plan.scope.entity, entityId),
    // It takes as much of the budget as it is long.
    requestIdUnits: JSON.stringify(requestId).length
  }
  return hex(`${JSON.stringify(of)}\n${text}`)
}
