// Pages of records with gapless sequences, by cursor or around one record (contract §5, §7).
import { InvalidRequest, NotFound } from "@rapport/contract/Errors.ts"
import { PAGE_BYTES_MAX, PageLimits } from "@rapport/contract/Limits.ts"
import { Effect, Option } from "effect"
import type { Cursors } from "./Cursors.ts"

/** Bytes of a page that are reserved for the envelope. */
const PAGE_ENVELOPE_BYTES = 16_384
/** Bytes of the records of a page, their commas included. */
export const PAGE_RECORDS_BYTES_MAX = PAGE_BYTES_MAX - PAGE_ENVELOPE_BYTES

/** The start of a page: at the start of the order, after a sequence, or around a record. */
type PageStart<Id> =
  | { readonly at: "end" }
  | { readonly at: "after"; readonly sequence: number }
  | { readonly at: "around"; readonly messageId: Id }

interface SequenceQuery<Id> {
  readonly limit?: number
  readonly cursor?: string
  readonly around?: Id
  readonly order?: "asc" | "desc"
}
export interface SequenceStretch<Id> {
  readonly start: PageStart<Id>
  readonly order: "asc" | "desc"
  readonly limit: number
}

/** Records in order within `limit` and the bytes of a page; `more`: further records follow. */
export interface SequenceFound<A> {
  readonly records: ReadonlyArray<A>
  readonly more: boolean
}

interface SequencePageOptions<Id, A, E, R> {
  readonly cursors: Cursors["Service"]
  /** The purpose of cursors, without the order. */
  readonly purpose: string
  readonly query: SequenceQuery<Id>
  /** Undefined when there is nothing that the caller may see. */
  readonly find: (stretch: SequenceStretch<Id>) => Effect.Effect<SequenceFound<A> | undefined, E, R>
}

/** InvalidRequest for a cursor of another list or together with `around`; NotFound if `find` returns undefined. */
export const sequencePage = Effect.fnUntraced(function* <Id, A extends { readonly sequence: number }, E, R>({
  cursors,
  find,
  purpose,
  query
}: SequencePageOptions<Id, A, E, R>) {
  const order = query.order ?? "asc"
  const limit = query.limit ?? PageLimits.default
  const bound = `${purpose}/${order}`
  const start = startOf(cursors, bound, query)
  if (start === undefined) return yield* query.around === undefined ? wrongCursor : cursorWithAround
  const found = (yield* find({ start, order, limit })) ?? (yield* new NotFound())
  const last = found.records.at(-1)
  return {
    data: found.records,
    limit,
    hasMore: found.more,
    nextCursor: found.more && last !== undefined ? cursors.seal(bound, [last.sequence]) : null
  }
})

const startOf = <Id>(
  cursors: Cursors["Service"],
  purpose: string,
  { around, cursor }: SequenceQuery<Id>
): PageStart<Id> | undefined => {
  if (around !== undefined) return cursor === undefined ? { at: "around", messageId: around } : undefined
  if (cursor === undefined) return { at: "end" }
  const sequence = Option.getOrUndefined(cursors.open(purpose, cursor))?.[0]
  return typeof sequence === "number" ? { at: "after", sequence } : undefined
}

const wrong = (message: string) =>
  Effect.fail(new InvalidRequest({ detail: `cursor ${message}`, errors: [{ path: "cursor", message }] }))
const wrongCursor = wrong("must be the nextCursor of a page of the same records in the same order")
const cursorWithAround = wrong("does not go with around")
