// Export of records as a stream of pages, with constant memory (contract §9.2).
import type { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Option, Predicate, Stream } from "effect"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { sentBackJson } from "../json/SentBackJson.ts"
import { type Cell, CSV_PAGE_ROWS, csvLine } from "../lists/Csv.ts"
import { type ListedRecord, type ListRequest, type ListRows, recordsOf } from "../lists/ListRequest.ts"
import { isScalar, type StoredModel } from "./RecordStore.ts"

export const exportFormats = ["csv", "ndjson"] as const
export type ExportFormat = (typeof exportFormats)[number]

const cellOf = (value: unknown): Cell => (isScalar(value) ? value : null)

/** The first page is read before the response starts, the others on demand. */
export const exportLines = Effect.fnUntraced(function* (
  { fields }: Pick<StoredModel, "fields">,
  format: ExportFormat,
  request: ListRequest,
  page: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>
) {
  const names = fields.map(({ name }) => name)
  const lineOf = (record: ListedRecord): string => {
    if (format === "ndjson") return `${sentBackJson(record)}\n`
    const values = Predicate.isReadonlyObject(record["values"]) ? record["values"] : {}
    return csvLine([
      cellOf(record["id"]),
      ...names.map((name) => cellOf(values[name])),
      ...["version", "createdAt", "updatedAt"].map((name) => cellOf(record[name]))
    ])
  }
  const textOf = (rows: ListRows): string => recordsOf(rows).map(lineOf).join("")
  const nextOf = ({ last, more }: ListRows): Option.Option<ListRequest> =>
    more && last !== null
      ? Option.some({ ...request, limit: CSV_PAGE_ROWS, offset: 0, after: last })
      : Option.none()
  const first = yield* page({ ...request, limit: CSV_PAGE_ROWS })
  const header = format === "csv" ? csvLine(["id", ...names, "version", "createdAt", "updatedAt"]) : ""
  const rest = (start: ListRequest): Stream.Stream<string, SearchUnavailable> =>
    Stream.paginate(start, (at) =>
      orUnavailable(Effect.map(page(at), (found) => [[textOf(found)], nextOf(found)] as const))
    )
  return Stream.concat(
    Stream.succeed(`${header}${textOf(first)}`),
    Option.match(nextOf(first), { onNone: () => Stream.empty, onSome: rest })
  )
})
