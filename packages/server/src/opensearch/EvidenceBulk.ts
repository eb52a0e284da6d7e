// Writes documents in bulk: bounded requests one after the other, every item judged by itself, late revisions dropped.
import { OPENSEARCH_BULK_BYTES_MAX, OPENSEARCH_BULK_MILLIS_MAX } from "./OpenSearchLimits.ts"
import { DocumentRefused } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import type { IndexedChange } from "./EvidenceFields.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import { OpenSearchFault, strange } from "./OpenSearchFault.ts"
import { againLater } from "./Retries.ts"

/** Bytes of one document: OpenSearch takes 100 MB. */
const OPENSEARCH_DOCUMENT_BYTES_MAX = 90 * 1024 * 1024

const Answer = Schema.Struct({
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

/** `alias` has to exist: a deleted index is never made by what is written to it. */
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
        reason: `it makes a document of ${bytes} bytes`
      })
    }
    const action = actionLine(instanceId, change)
    // The line of the action is ASCII; each of both ends with a line feed.
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

// An equal revision is written again: it may come of what changes without one.
const actionLine = (instanceId: number, { id, revision }: IndexedChange): string =>
  `{"index":{"_id":"${id}","routing":"${instanceId}","version":${revision},"version_type":"external_gte"}}\n`

const write = (
  { call }: OpenSearch["Service"],
  alias: string,
  lines: { readonly text: string; readonly bytes: number },
  group: ReadonlyArray<IndexedChange>
) =>
  call(Answer, {
    method: "POST",
    path: `/${alias}/_bulk`,
    query: { require_alias: "true", filter_path: "items.*.status,items.*.error.type,items.*.error.reason" },
    lines: lines.text,
    timeoutMillis: OPENSEARCH_BULK_MILLIS_MAX
  }).pipe(
    Effect.flatMap(({ items }) =>
      judge(
        items.map(({ index }) => index),
        group
      )
    ),
    againLater,
    Effect.withSpan("EvidenceBulk.write", { attributes: { documents: group.length, bytes: lines.bytes } })
  )

type Item = (typeof Answer.Type)["items"][number]["index"]

// Writing all of them again after one failed does no harm: what is in already is written again or dropped as late.
const judge = Effect.fnUntraced(function* (items: ReadonlyArray<Item>, group: ReadonlyArray<IndexedChange>) {
  if (items.length !== group.length) return yield* strange("a bulk answer of another length")
  for (const [at, { error, status }] of items.entries()) {
    const said = `${error?.type ?? status}: ${error?.reason ?? "no reason given"}`.slice(0, 500)
    if (status < 300 || status === 409) continue
    if (status === 404) return yield* new OpenSearchFault({ kind: "missing", status, said })
    if (status === 429 || status >= 500) return yield* new OpenSearchFault({ kind: "away", status, said })
    if (error !== undefined && WHOLE_INDEX.has(error.type)) return yield* strange(said)
    return yield* new DocumentRefused({ key: group[at]?.documentId ?? 0, reason: said })
  }
})

// Not the fault of a document: no document would be taken.
const WHOLE_INDEX = new Set([
  "strict_dynamic_mapping_exception",
  "cluster_block_exception",
  "index_closed_exception",
  "security_exception"
])
