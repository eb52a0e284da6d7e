// The lines of a file of all records of a list, read page by page with constant memory (contract §1.2, §9.2, §9.3).
import { SearchUnavailable } from "@rapport/contract/Errors.ts"
import { Effect, Option, Stream } from "effect"
import type { SourceUnavailable } from "../failures/SourceUnavailable.ts"
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
  const nextOf = ({ last, more }: ListRows): ListRequest | null =>
    onePage || !more || last === null ? null : { ...request, limit, offset: 0, after: last }
  const texts = yield* pageTexts({ ...request, limit }, page, textOf, nextOf)
  return Stream.concat(
    Stream.succeed(header),
    Stream.mapError(texts, ({ reason }) => SearchUnavailable.of(reason))
  )
})

/** One text for each page. The first page is read immediately, the others on demand. `nextOf` is null after the last page. */
export const pageTexts = Effect.fnUntraced(function* <Place, Page>(
  start: Place,
  read: (place: Place) => Effect.Effect<Page, SourceUnavailable>,
  textOf: (page: Page) => string,
  nextOf: (page: Page) => Place | null
) {
  const first = yield* read(start)
  const step = (page: Page) => [[textOf(page)], Option.fromNullishOr(nextOf(page))] as const
  const [texts, next] = step(first)
  const rest = (place: Place) => Stream.paginate(place, (at) => Effect.map(read(at), step))
  return Stream.concat(
    Stream.fromIterable(texts),
    Option.match(next, { onNone: () => Stream.empty, onSome: rest })
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
