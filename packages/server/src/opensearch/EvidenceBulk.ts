// Writes documents with bulk requests of bounded size; older revisions are dropped.
import { DocumentRefused } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import type { IndexedChange } from "./EvidenceFields.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault, unexpectedResponse } from "./OpenSearchFault.ts"
import { retryWrite } from "./Retries.ts"

/** How long a bulk write may take. */
export const OPENSEARCH_BULK_MILLIS_MAX = 60_000
/** Bytes of one bulk request, unless a single document has more. */
export const OPENSEARCH_BULK_BYTES_MAX = 8 * 1024 * 1024
/** Largest document: OpenSearch accepts requests of 100 MB. */
const OPENSEARCH_DOCUMENT_BYTES_MAX = 90 * 1024 * 1024

const BulkResponse = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({
      index: Schema.Struct({
        status: Schema.Int,
        error: Schema.optionalKey(
          Schema.Struct({ type: Schema.String, reason: Schema.optionalKey(Schema.NullOr(Schema.String)) })
        )
      })
    })
  )
})

/** `alias` must exist, so that a write never creates a deleted index. */
export const writeBulk = Effect.fnUntraced(function* (
  openSearch: OpenSearch["Service"],
  alias: string,
  instanceId: number,
  changes: ReadonlyArray<IndexedChange>
) {
  let lines = ""
  let linesBytes = 0
  let group: Array<IndexedChange> = []
  const flush = Effect.suspend(() =>
    group.length === 0 ? Effect.void : write(openSearch, alias, { text: lines, bytes: linesBytes }, group)
  )
  for (const change of changes) {
    const bytes = Buffer.byteLength(change.source)
    if (bytes > OPENSEARCH_DOCUMENT_BYTES_MAX) {
      return yield* new DocumentRefused({
        key: change.documentId,
        reason: `its document has ${bytes} bytes, at most ${OPENSEARCH_DOCUMENT_BYTES_MAX} are allowed`
      })
    }
    const action = actionLine(instanceId, change)
    // The action line is ASCII; both lines end with a line feed.
    const more = action.length + bytes + 1
    if (group.length > 0 && linesBytes + more > OPENSEARCH_BULK_BYTES_MAX) {
      yield* flush
      lines = ""
      linesBytes = 0
      group = []
    }
    lines += `${action}${change.source}\n`
    linesBytes += more
    group.push(change)
  }
  yield* flush
})

// An equal revision is written again: some members change without a new revision.
const actionLine = (instanceId: number, { id, revision }: IndexedChange): string =>
  `{"index":{"_id":"${id}","routing":"${instanceId}","version":${revision},"version_type":"external_gte"}}\n`

const write = (
  { call }: OpenSearch["Service"],
  alias: string,
  lines: { readonly text: string; readonly bytes: number },
  group: ReadonlyArray<IndexedChange>
) =>
  call(BulkResponse, {
    method: "POST",
    path: `/${alias}/_bulk`,
    query: { require_alias: "true", filter_path: "items.*.status,items.*.error.type,items.*.error.reason" },
    lines: lines.text,
    timeoutMillis: OPENSEARCH_BULK_MILLIS_MAX
  }).pipe(
    Effect.flatMap(({ items }) =>
      checkItems(
        items.map(({ index }) => index),
        group
      )
    ),
    retryWrite,
    Effect.withSpan("EvidenceBulk.write", { attributes: { documents: group.length, bytes: lines.bytes } })
  )

type Item = (typeof BulkResponse.Type)["items"][number]["index"]

// Idempotent: on a retry, documents already written are replaced or dropped as older.
const checkItems = Effect.fnUntraced(function* (
  items: ReadonlyArray<Item>,
  group: ReadonlyArray<IndexedChange>
) {
  if (items.length !== group.length)
    return yield* unexpectedResponse("the bulk response has another number of items")
  for (const [at, { error, status }] of items.entries()) {
    const detail = `${error?.type ?? status}: ${error?.reason ?? "no reason given"}`.slice(0, 500)
    if (status < 300 || status === 409) continue
    if (status === 404) return yield* new OpenSearchFault({ kind: "missing", status, detail })
    if (status === 429 || status >= 500)
      return yield* new OpenSearchFault({ kind: "unavailable", status, detail })
    if (error !== undefined && INDEX_ERRORS.has(error.type)) return yield* unexpectedResponse(detail)
    return yield* new DocumentRefused({ key: group[at]?.documentId ?? 0, reason: detail })
  }
})

// Errors of the index, with which every document would fail.
const INDEX_ERRORS = new Set([
  "strict_dynamic_mapping_exception",
  "cluster_block_exception",
  "index_closed_exception",
  "security_exception"
])
