// The rows of a report, with empty buckets and subjects filled in (contract §9.3).
import type {
  CsatMetrics,
  DialogueMetrics,
  ReportKey,
  SlaMetrics,
  SlaTotals
} from "@rapport/contract/statistics/Report.ts"
import type { ListFilter } from "../lists/ListRequest.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { Array as Arr, Predicate } from "effect"
import { type Cell, CSV_PAGE_ROWS, csvHeader, csvLine } from "../lists/Csv.ts"
import type { ReportRequest } from "./ReportRequest.ts"
import type { GroupedMetrics, ReportRow, TargetRule } from "./StatisticsStore.ts"

const noDuration = { avg: null, p50: null, p90: null }
/** Counts are 0, measurements null. */
const noDialogues: DialogueMetrics = {
  count: 0,
  closed: 0,
  open: 0,
  messages: 0,
  tfr: noDuration,
  ttc: noDuration,
  outgoing: 0,
  reopenings: 0
}
const noAnswers: CsatMetrics = {
  answers: 0,
  average: null,
  satisfied: 0,
  csat: null,
  scores: { "1": 0, "2": 0, "3": 0, "4": 0, "5": 0 }
}
const withoutTarget = { met: 0, breached: 0, running: 0, metRate: null }

/** Null if no priority has the target. */
const targetMetric = (seconds: ReadonlyArray<number | null>, counted: SlaTotals["tfr"] | undefined) => {
  const [targetSec, ...others] = new Set(seconds.filter((sec) => sec !== null))
  return targetSec === undefined
    ? null
    : { targetSec: others.length > 0 ? null : targetSec, ...(counted ?? withoutTarget) }
}

/** The keys of a report without other members. */
const bucketKeys = ({ buckets }: ReportRequest): ReadonlyArray<ReportKey> =>
  buckets === null ? [{}] : buckets.map((bucket) => ({ bucket }))

/** Without groupBy the report has every bucket. */
const rowsOf = <M>(
  request: ReportRequest,
  { rows, totals }: GroupedMetrics<M>,
  empty: M
): ReadonlyArray<ReportRow<M>> => {
  if (request.members.length > 0) return rows
  if (request.buckets === null) return [{ key: {}, metrics: totals }]
  const found = new Map(rows.map(({ key, metrics }) => [key.bucket, metrics]))
  return bucketKeys(request).map((key) => ({ key, metrics: found.get(key.bucket) ?? empty }))
}
export const dialogueRows = (request: ReportRequest, found: GroupedMetrics<DialogueMetrics>) =>
  rowsOf(request, found, noDialogues)
export const csatRows = (request: ReportRequest, found: GroupedMetrics<CsatMetrics>) =>
  rowsOf(request, found, noAnswers)

/** Without groupBy the report has every subject with a target in every bucket. */
export const slaRows = (
  request: ReportRequest,
  { rows }: GroupedMetrics<SlaTotals>,
  targets: ReadonlyArray<TargetRule>
): ReadonlyArray<ReportRow<SlaMetrics>> => {
  const targetsOf = Arr.groupBy(targets, ({ subjectId }) => String(subjectId))
  const rowsFor = (key: ReportKey, counted?: SlaTotals): ReadonlyArray<ReportRow<SlaMetrics>> => {
    const { priority = null, subjectId } = key
    const own = (targetsOf[String(subjectId)] ?? []).filter(
      (target) => priority === null || target.priority === priority
    )
    if (own.length === 0) return []
    const [tfr, ttc] = [own.map(({ tfrSec }) => tfrSec), own.map(({ ttcSec }) => ttcSec)]
    return [{ key, metrics: { tfr: targetMetric(tfr, counted?.tfr), ttc: targetMetric(ttc, counted?.ttc) } }]
  }
  if (request.grouped) return rows.flatMap(({ key, metrics }) => rowsFor(key, metrics))
  const found = new Map(rows.map(({ key, metrics }) => [`${key.subjectId}/${key.bucket}`, metrics]))
  return shownSubjects(request.filters, targets).flatMap((subjectId) =>
    bucketKeys(request).flatMap((key) =>
      rowsFor({ subjectId, ...key }, found.get(`${subjectId}/${key.bucket}`))
    )
  )
}

/** Subjects with a target that pass the filters, ascending. */
export const shownSubjects = (
  filters: ReadonlyArray<ListFilter>,
  targets: ReadonlyArray<TargetRule>
): ReadonlyArray<number> =>
  [...new Set(targets.map(({ subjectId }) => subjectId))]
    .filter((id) => filters.every((filter) => filter.field !== "subjectId" || passes(filter, id)))
    .toSorted((a, b) => a - b)

const passes = ({ operator, value }: ListFilter, id: number): boolean => {
  const values = Array.isArray(value) ? value : [value]
  const bound = Number(values[0])
  switch (operator) {
    case "eq":
    case "in":
      return values.includes(id)
    case "ne":
    case "nin":
      return !values.includes(id)
    case "gt":
      return id > bound
    case "gte":
      return id >= bound
    case "lt":
      return id < bound
    case "lte":
      return id <= bound
    case "isNull":
      return value === false
    default:
      return true
  }
}

/** Totals are null for a target that no subject has. */
export const slaTotals = (totals: SlaTotals, targets: ReadonlyArray<TargetRule>): SlaTotals => ({
  tfr: targets.some(({ tfrSec }) => tfrSec !== null) ? totals.tfr : null,
  ttc: targets.some(({ ttcSec }) => ttcSec !== null) ? totals.ttc : null
})

/** The columns of metrics; members of inner objects after a dot. */
const columnsOf = (metrics: object): ReadonlyArray<string> =>
  Object.entries(metrics).flatMap(([name, value]) =>
    Predicate.isReadonlyObject(value) ? columnsOf(value).map((column) => `${name}.${column}`) : [name]
  )
export const dialogueColumns = columnsOf(noDialogues)
export const operatorColumns = ["dialogues", ...dialogueColumns.slice(1)]
export const csatColumns = columnsOf(noAnswers)
export const slaColumns = ["tfr", "ttc"].flatMap((name) =>
  ["targetSec", ...columnsOf(withoutTarget)].map((member) => `${name}.${member}`)
)

/** The header, then a line for each row, generated as they are read; `bucket` is written as in JSON. */
export function* reportLines(
  request: ReportRequest,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReportRow<object>>
): Generator<string> {
  const members = [...request.members, ...(request.buckets === null ? [] : (["bucket"] as const))]
  const paths = columns.map((column) => column.split("."))
  const lineOf = ({ key, metrics }: ReportRow<object>): string =>
    csvLine([
      ...members.map((member) =>
        member === "bucket" && key.bucket !== undefined ? isoOf(key.bucket) : key[member]
      ),
      ...paths.map((path) => cellAt(metrics, path))
    ])
  yield csvHeader([...members, ...columns])
  for (let start = 0; start < rows.length; start += CSV_PAGE_ROWS)
    yield rows
      .slice(start, start + CSV_PAGE_ROWS)
      .map(lineOf)
      .join("")
}

const cellAt = (metrics: unknown, path: ReadonlyArray<string>): Cell => {
  let value = metrics
  for (const name of path) value = Predicate.isReadonlyObject(value) ? value[name] : null
  return typeof value === "number" || typeof value === "string" ? value : null
}
