// The search index over appeals held in memory: the smallest thing that keeps the laws, for tests of what uses it.
import { AppealIndex, AppealProjection } from "../appeals/AppealIndex.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { inScope, passes, weightIn } from "../search/EvidenceFilter.ts"
import type { DocumentQuery, DocumentScope, DocumentsFound } from "../search/DocumentIndex.ts"
import type { DocumentChange, IndexedDocument } from "../search/DocumentProjection.ts"
import { candidatesOf, scoreAppeals, weightsOf } from "../search/ranking/EvidenceRanking.ts"
import { type Relevance, relevanceOf } from "../search/ranking/Relevance.ts"
import type { RankedAppeal } from "../search/ranking/RankedAppeal.ts"
import { type EvidenceTerms, familiesOf, familyIn, termCounter, termsOf } from "../search/text/Terms.ts"
import { asRead, chosenReadings, possibleReadings } from "../search/text/Readings.ts"
import {
  type IndexCopy,
  type IndexCheckpoint,
  IndexCheckpointMoved,
  type IndexStep
} from "../search/IndexCheckpoint.ts"
import { countedText, type PassagesOfDocument, passagesOf } from "../search/text/Words.ts"

interface Kept extends PassagesOfDocument {
  readonly document: IndexedDocument
}

interface Copy {
  readonly marks: Map<number, IndexCheckpoint>
  /** By instance, then appeal; a number is the revision of a removal. */
  readonly appeals: Map<number, Map<number, Kept | number>>
}

const emptyCopy = (): Copy => ({ marks: new Map(), appeals: new Map() })

const make = () => {
  let served = emptyCopy()
  let draft: Copy | undefined
  const waiting = new Map<number, number>()
  let serving = true
  const copyOf = (name: IndexCopy): Copy | undefined => (name === "active" ? served : draft)

  const projection = AppealProjection.of({
    engine: "memory",
    outdated: Effect.succeed(false),
    checkpoints: (name) => Effect.sync(() => [...(copyOf(name)?.marks.values() ?? [])]),
    reset: (name) =>
      Effect.sync(() => {
        if (name === "active") served = emptyCopy()
        else draft = emptyCopy()
      }),
    publish: Effect.sync(() => {
      served = draft ?? served
      draft = undefined
    }),
    apply: (step, changes) =>
      Effect.suspend(() => {
        const copy = copyOf(step.copy)
        if (copy === undefined || (copy.marks.get(step.to.instanceId)?.checkpoint ?? null) !== step.from) {
          return new IndexCheckpointMoved({ instanceId: step.to.instanceId })
        }
        write(copy, step, changes)
        return Effect.void
      }),
    observe: (instanceId, since) =>
      Effect.sync(() => {
        if (since === null) waiting.delete(instanceId)
        else waiting.set(instanceId, since)
      }),
    serve: (isServing) =>
      Effect.sync(() => {
        serving = isServing
      })
  })

  const index = AppealIndex.of({
    search: (query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (now >= query.deadline)
          return yield* new SourceUnavailable({ source: "search", reason: "timeout" })
        if (!serving || served.marks.get(query.instanceId)?.complete !== true) {
          return yield* new SourceUnavailable({ source: "search", reason: "search_index_not_ready" })
        }
        return find(served, query)
      }),
    status: (instanceId) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const mark = served.marks.get(instanceId)
        const since = waiting.get(instanceId)
        return {
          ready: serving && mark?.complete === true,
          lagMillis: since === undefined ? 0 : Math.max(1, now - since),
          indexedAt: mark?.indexedAt ?? 0
        }
      })
  })
  return { projection, index }
}

const write = (copy: Copy, step: IndexStep, changes: ReadonlyArray<DocumentChange>): void => {
  const appeals = copy.appeals.get(step.to.instanceId) ?? new Map<number, Kept | number>()
  copy.appeals.set(step.to.instanceId, appeals)
  for (const change of changes) {
    const [documentId, revision] =
      change._tag === "Upsert"
        ? [change.document.documentId, change.document.revision]
        : [change.documentId, change.revision]
    const there = appeals.get(documentId)
    const known = there === undefined ? -1 : typeof there === "number" ? there : there.document.revision
    if (known > revision) continue
    appeals.set(documentId, change._tag === "Upsert" ? kept(change.document) : revision)
  }
  copy.marks.set(step.to.instanceId, step.to)
}

const kept = (document: IndexedDocument): Kept => ({ document, ...passagesOf(document) })

const find = (copy: Copy, query: DocumentQuery): DocumentsFound => {
  const scope = [...(copy.appeals.get(query.instanceId)?.values() ?? [])].flatMap((one) =>
    typeof one === "number" || !inScope(query.scope, one.document) ? [] : [one]
  )
  const passing = passes(query)
  const visible = scope.filter((one) => passing(one.document))
  const read = query.query === null ? null : readingsIn(visible, query.query)
  const terms = read === null ? null : termsOf(read.query)
  const candidates =
    terms === null
      ? visible
          .toSorted(
            (a, b) =>
              b.document.createdAt - a.document.createdAt || b.document.documentId - a.document.documentId
          )
          .map((one) => ({ documentId: one.document.documentId, score: null, passages: [] }))
      : relevant(terms, query, scope, visible, relevanceOf(terms, read?.occurring ?? (() => false)))
  return {
    candidates: candidates.slice(0, query.limit),
    more: candidates.length > query.limit,
    readings: read?.readings ?? []
  }
}

const readingsIn = (visible: ReadonlyArray<Kept>, query: string) => {
  const holding = new Map<string, number>()
  for (const { passages } of visible) {
    const stems = new Set(passages.flatMap(({ text }) => text.map(({ stem }) => stem)))
    for (const stem of stems) holding.set(stem, (holding.get(stem) ?? 0) + 1)
  }
  const readings = chosenReadings(
    possibleReadings(query, (stem) => holding.has(stem)),
    (stem) => holding.get(stem) ?? 0
  )
  return { readings, query: asRead(query, readings), occurring: (stem: string) => holding.has(stem) }
}

const relevant = (
  terms: EvidenceTerms,
  { passagesPerDocument, scope: named }: DocumentQuery,
  scope: ReadonlyArray<Kept>,
  visible: ReadonlyArray<Kept>,
  relevance: Relevance
) => {
  const statistics = {
    appeals: scope.filter((one) => one.passages.length > 0).length,
    appealWords: scope.reduce((sum, one) => sum + one.words, 0),
    passages: scope.reduce((sum, one) => sum + one.passages.length, 0),
    passageWords: scope.reduce((sum, one) => sum + one.passages.reduce((n, p) => n + p.words, 0), 0)
  }
  const appeals = matching(terms, named, visible)
  return candidatesOf(
    scoreAppeals(terms, weightsOf(terms, statistics, appeals), appeals),
    passagesPerDocument,
    relevance
  )
}

const matching = (
  terms: EvidenceTerms,
  scope: DocumentScope,
  appeals: ReadonlyArray<Kept>
): ReadonlyArray<RankedAppeal> => {
  const count = termCounter(terms)
  const sought = new Set(terms.stems.slice(0, terms.matching))
  const families = familiesOf(terms)
  return appeals.flatMap((one) => {
    const texts = one.passages.map(({ position, messageId, words, text, speaker }) => ({
      position,
      messageId,
      words,
      matches: text.some((word) => sought.has(word.stem) || families.has(familyIn(word) ?? "")),
      counts: count(countedText({ speaker, text }))
    }))
    if (!texts.some(({ matches }) => matches)) return []
    const { documentId, createdAt } = one.document
    const weight = weightIn(scope, one.document)
    return [{ documentId, createdAt, passages: one.passages.length, words: one.words, weight, texts }]
  })
}

/** Both halves over one memory, gone with the layer. */
export const EvidenceIndexMemory = {
  layer: Layer.effectContext(
    Effect.sync(() => {
      const { index, projection } = make()
      return Context.make(AppealIndex, index).pipe(Context.add(AppealProjection, projection))
    })
  )
}
