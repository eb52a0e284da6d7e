// The lines of a file of all records of a list, read page by page with constant memory (contract §1.2, §9.2, §9.3).
import type { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Option, Stream } from "effect"
import { orUnavailable, type SourceUnavailable } from "../failures/SourceUnavailable.ts"
import { CSV_PAGE_ROWS, csvHeader, csvLine, memberCell } from "./Csv.ts"
import { type ListedRecord, type ListRequest, type ListRows, recordsOf } from "./ListRequest.ts"

interface Lines {
  readonly header: string
  readonly lineOf: (record: ListedRecord) => string
  /** Only the requested page instead of all records. */
  readonly onePage?: boolean
}

/** The first page is read before the answer begins, each further page when the previous one was sent. */
export const listLines = Effect.fnUntraced(function* (
  { header, lineOf, onePage = false }: Lines,
  request: ListRequest,
  page: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>
) {
  const limit = onePage ? request.limit : CSV_PAGE_ROWS
  const textOf = (rows: ListRows): string => recordsOf(rows).map(lineOf).join("")
  const nextOf = ({ last, more }: ListRows): Option.Option<ListRequest> =>
    onePage || !more || last === null
      ? Option.none()
      : Option.some({ ...request, limit, offset: 0, after: last })
  const rest = (start: ListRequest): Stream.Stream<string, SearchUnavailable> =>
    Stream.paginate(start, (at) =>
      orUnavailable(Effect.map(page(at), (found) => [[textOf(found)], nextOf(found)] as const))
    )
  const first = yield* page({ ...request, limit })
  return Stream.concat(
    Stream.succeed(`${header}${textOf(first)}`),
    Option.match(nextOf(first), { onNone: () => Stream.empty, onSome: rest })
  )
})

/** These members of each record as a CSV file. */
export const csvLines = (
  members: ReadonlyArray<string>,
  request: ListRequest,
  page: (request: ListRequest) => Effect.Effect<ListRows, SourceUnavailable>,
  onePage = false
) => {
  const lineOf = (record: ListedRecord) => csvLine(members.map((name) => memberCell(record[name])))
  return listLines({ header: csvHeader(members), lineOf, onePage }, request, page)
}
