// The use cases of reports (contract §9.3). Concurrent statements are bounded, queued fairly by instance, and cancelled after
// their timeout.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { QueryBudgetExceeded, type SearchUnavailable } from "@rapport/contract/Errors.ts"
import {
  REPORTS_CONCURRENT,
  STATISTICS_MILLIS_MAX,
  STATISTICS_ROWS_MAX,
  WORKING_STRETCHES_MAX
} from "@rapport/contract/Limits.ts"
import { dialogues as collection } from "@rapport/contract/statistics/Dialogue.ts"
import { definitions } from "@rapport/contract/statistics/Report.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Clock, Context, Effect, Layer, PartitionedSemaphore, Stream } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable, type SourceUnavailable, withTimeout } from "../failures/SourceUnavailable.ts"
import { Cursors } from "../lists/Cursors.ts"
import { csvLines } from "../lists/ListLines.ts"
import {
  type ListFilter,
  type ListPage,
  listPage,
  type ListRequest,
  listRequest,
  selectedMembers
} from "../lists/ListRequest.ts"
import type { ListParameters } from "../lists/Pages.ts"
import {
  csatColumns,
  csatRows,
  dialogueColumns,
  dialogueRows,
  operatorColumns,
  reportLines,
  slaColumns,
  slaRows,
  slaTotals,
  shownSubjects
} from "./ReportRows.ts"
import {
  type CountedDialogues,
  formatIn,
  kindIn,
  rangeIn,
  type ReportRequest,
  reportRequest
} from "./ReportRequest.ts"
import { SlaStore } from "./SlaStore.ts"
import {
  type CalendarHours,
  type ReportRow,
  type TargetRules,
  StatisticsStore,
  type TargetRule
} from "./StatisticsStore.ts"
import { targetsOf } from "./Targets.ts"
import { workedSpans } from "./WorkingTime.ts"

/** Runs one statement of a report, queued by instance and with a timeout that includes the wait. */
const makeRunBounded = Effect.map(
  PartitionedSemaphore.make<number>({ permits: REPORTS_CONCURRENT }),
  (permits) =>
    <A>({ instanceId }: AuthorizedSession, effect: Effect.Effect<A, SourceUnavailable>) =>
      withTimeout(STATISTICS_MILLIS_MAX, "database")(permits.withPermit(instanceId)(effect))
)
type RunBounded = Effect.Success<typeof makeRunBounded>

/** A report, a page of a list, or the lines of a file, which are generated as they are read. */
export type ReportAnswer =
  | { readonly format: "json"; readonly body: object }
  | { readonly format: "page"; readonly page: ListPage }
  | { readonly format: "csv"; readonly lines: Stream.Stream<string, SearchUnavailable> }

export class Statistics extends Context.Service<Statistics>()("core/statistics/Statistics", {
  make: Effect.gen(function* () {
    const store = yield* StatisticsStore
    const cursors = yield* Cursors
    const runBounded = yield* makeRunBounded
    const rules = makeRules(yield* SlaStore, runBounded)
    return {
      ...dialogueReports(store, runBounded, rules),
      sla: Effect.fn("Statistics.sla")(function* (session: AuthorizedSession, parameters: ListParameters) {
        const request = yield* reportRequest(parameters.query, parameters.names, "subjectId")
        yield* Permissions.require(session, "statistics.read")
        const loaded = yield* rules.load(session, request)
        const shown = request.grouped ? 0 : shownSubjects(request.filters, loaded.targets).length
        if (shown * (request.buckets?.length ?? 1) > STATISTICS_ROWS_MAX) return yield* tooManyRows
        const found = yield* runBounded(session, store.sla(session, request, loaded))
        return answer(request, slaColumns, {
          rows: yield* requireRowsMax(slaRows(request, found, loaded.targets)),
          totals: slaTotals(found.totals, loaded.targets),
          definitions: definitions.sla
        })
      }, orUnavailable),

      rows: Effect.fn("Statistics.rows")(function* (
        session: AuthorizedSession,
        { names, query }: ListParameters
      ) {
        const counted: CountedDialogues = { range: yield* rangeIn(query), kind: kindIn(query) }
        const { kind, range } = counted
        // Cursors are bound to the name of their list, and so to what it counts.
        const named = { ...collection, name: `${collection.name} ${kind} ${range.from} ${range.to}` }
        const request = yield* listRequest(cursors, session.instanceId, named, query, names)
        yield* Permissions.require(session, "statistics.read")
        const loaded = yield* rules.loadIfFiltered(session, { ...counted, filters: request.filters })
        const page = (request: ListRequest) =>
          runBounded(session, store.rows(session, counted, request, loaded))
        if (formatIn(query) === "json")
          return { format: "page" as const, page: listPage(cursors, request, yield* page(request)) }
        const onePage = ["limit", "offset", "cursor"].some((name) => query[name] !== undefined)
        return {
          format: "csv" as const,
          lines: yield* csvLines(selectedMembers(collection, request), request, page, onePage)
        }
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Statistics, Statistics.make)
}

type FilteredRange = Pick<ReportRequest, "range" | "kind" | "filters">

const makeRules = (store: SlaStore["Service"], runBounded: RunBounded) => {
  /** Present targets and working hours, with which dialogues of the range are compared. */
  const load = Effect.fnUntraced(function* (
    session: AuthorizedSession,
    { filters, kind, range }: FilteredRange
  ): Effect.fn.Return<TargetRules, SourceUnavailable | QueryBudgetExceeded> {
    const compared = yield* runBounded(session, store.loadTargets(session))
    const targets = targetsOf(kind, compared.targets)
    const now = yield* Clock.currentTimeMillis
    const hours = { from: range.from, to: Math.max(now, range.to), counted: range.to }
    const longest = longestTargets(filters, targets)
    const calendars: Array<CalendarHours> = []
    let most = WORKING_STRETCHES_MAX
    for (const calendar of compared.calendars) {
      const enough = longest.get(calendar.id)
      if (enough === undefined) continue
      const worked = yield* workedSpans(calendar, { ...hours, enough, most })
      if (worked.length > most) return yield* tooManyStretches
      most -= worked.length
      calendars.push({ id: calendar.id, worked })
    }
    return { targets, calendars, now }
  })
  return {
    load,
    /** Null without a filter that compares a dialogue with its targets. */
    loadIfFiltered: (session: AuthorizedSession, request: FilteredRange) =>
      request.filters.some(({ field }) => field === "tfrTarget" || field === "ttcTarget")
        ? load(session, request)
        : Effect.succeed(null)
  }
}
type Rules = ReturnType<typeof makeRules>

/** The longest target of each calendar, milliseconds, of the subjects that pass the filters: longer working times are not needed. */
const longestTargets = (
  filters: ReadonlyArray<ListFilter>,
  targets: ReadonlyArray<TargetRule>
): ReadonlyMap<number, number> => {
  const shown = new Set(shownSubjects(filters, targets))
  const longest = new Map<number, number>()
  for (const { calendarId, subjectId, tfrSec, ttcSec } of targets) {
    if (calendarId === null || !shown.has(subjectId)) continue
    const millis = Math.max(tfrSec ?? 0, ttcSec ?? 0) * 1_000
    longest.set(calendarId, Math.max(longest.get(calendarId) ?? 0, millis))
  }
  return longest
}

/** Reports of dialogues and answers. */
const dialogueReports = (store: StatisticsStore["Service"], runBounded: RunBounded, rules: Rules) => ({
  dialogues: Effect.fn("Statistics.dialogues")(function* (
    session: AuthorizedSession,
    { names, query }: ListParameters
  ) {
    const request = yield* reportRequest(query, names, null)
    yield* Permissions.require(session, "statistics.read")
    const loaded = yield* rules.loadIfFiltered(session, request)
    const found = yield* runBounded(session, store.dialogues(session, request, loaded))
    const rows = yield* requireRowsMax(dialogueRows(request, found))
    return answer(request, dialogueColumns, {
      rows,
      totals: found.totals,
      definitions: definitions.dialogues
    })
  }, orUnavailable),

  operators: Effect.fn("Statistics.operators")(function* (
    session: AuthorizedSession,
    { names, query }: ListParameters
  ) {
    const request = yield* reportRequest(query, names, "operatorId")
    yield* Permissions.require(session, "statistics.read")
    const loaded = yield* rules.loadIfFiltered(session, request)
    const found = yield* runBounded(session, store.operators(session, request, loaded))
    const rows = yield* requireRowsMax(found.rows)
    return answer(request, operatorColumns, {
      rows,
      totals: found.totals,
      definitions: definitions.operators
    })
  }, orUnavailable),

  csat: Effect.fn("Statistics.csat")(function* (
    session: AuthorizedSession,
    { names, query }: ListParameters
  ) {
    const request = yield* reportRequest(query, names, null)
    yield* Permissions.require(session, "statistics.read")
    const found = yield* runBounded(session, store.csat(session, request))
    const rows = yield* requireRowsMax(csatRows(request, found))
    return answer(request, csatColumns, { rows, totals: found.totals, definitions: definitions.csat })
  }, orUnavailable)
})

const tooManyRows = Effect.suspend(() => {
  const message = `makes more than ${STATISTICS_ROWS_MAX} rows: choose a longer interval, a shorter range or a filter`
  return new QueryBudgetExceeded({ detail: `interval ${message}`, errors: [{ path: "interval", message }] })
})
const tooManyStretches = Effect.suspend(() => {
  const message = `has more than ${WORKING_STRETCHES_MAX} stretches of working time: choose a shorter range or subjects by a filter`
  return new QueryBudgetExceeded({ detail: `to ${message}`, errors: [{ path: "to", message }] })
})
const requireRowsMax = <M>(
  rows: ReadonlyArray<ReportRow<M>>
): Effect.Effect<ReadonlyArray<ReportRow<M>>, QueryBudgetExceeded> =>
  rows.length > STATISTICS_ROWS_MAX ? tooManyRows : Effect.succeed(rows)

interface Body {
  readonly rows: ReadonlyArray<ReportRow<object>>
  readonly totals: object
  readonly definitions: Readonly<Record<string, string>>
}

/** The report, or its lines, which are generated as they are read. */
const answer = (request: ReportRequest, columns: ReadonlyArray<string>, body: Body): ReportAnswer => {
  if (request.format === "csv") {
    const lines = reportLines(request, columns, body.rows)
    return {
      format: "csv",
      lines: Stream.fromIterable(lines, { chunkSize: 1 }).pipe(Stream.mapEffect(yieldBefore))
    }
  }
  const { definitions: defined, rows, totals } = body
  return {
    format: "json",
    body: {
      from: isoOf(request.range.from),
      to: isoOf(request.range.to),
      timezone: request.timezone,
      rows: rows.map(({ key, metrics }) => ({
        key: key.bucket === undefined ? key : { ...key, bucket: isoOf(key.bucket) },
        metrics
      })),
      totals,
      definitions: defined
    }
  }
}
/** Lets other work run between the texts of a long file (contract §12). */
const yieldBefore = (text: string): Effect.Effect<string> => Effect.as(Effect.yieldNow, text)
