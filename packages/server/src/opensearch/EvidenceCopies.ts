// The physical indexes behind the two aliases of an evidence index, each with the checkpoints of the projection.
import { EVIDENCE_FORMAT, OPENSEARCH_FORMATS_READABLE } from "@rapport/core/search/EvidenceFormat.ts"
import { IndexCheckpoint, type IndexCopy } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import {
  customTemplateName,
  defaultSettings,
  defaultTemplateName,
  evidenceTemplate,
  mappings
} from "./EvidenceMapping.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import { type OpenSearchFault, unexpectedResponse } from "./OpenSearchFault.ts"

/** A copy with the checkpoints of the projection, as last read. */
export interface EvidenceCopy {
  /** Name of the physical index. It stays with the copy, while the alias moves to the next one. */
  readonly index: string
  readonly alias: string
  /** It has an older format and answers until its successor is built. */
  readonly outdated: boolean
  readonly marks: ReadonlyMap<number, IndexCheckpoint>
  /** `_seq_no` of the checkpoint document, for its optimistic lock. */
  readonly revision: number
  readonly term: number
}

const isUnexpected = ({ kind }: OpenSearchFault): boolean => kind === "unexpected"

const CHECKPOINTS_ID = "marks"
const checkpointsPath = (name: string) => `/${name}/_doc/${CHECKPOINTS_ID}`

const CheckpointsFound = Schema.Struct({
  _index: Schema.String,
  found: Schema.Boolean,
  _seq_no: Schema.optionalKey(Schema.Int),
  _primary_term: Schema.optionalKey(Schema.Int),
  _source: Schema.optionalKey(
    Schema.Struct({ marks: Schema.Struct({ list: Schema.Array(IndexCheckpoint) }) })
  )
})
const WriteResponse = Schema.Struct({ _seq_no: Schema.Int, _primary_term: Schema.Int })
const Aliases = Schema.Record(
  Schema.String,
  Schema.Struct({ aliases: Schema.Record(Schema.String, Schema.Unknown) })
)
const Acknowledged = Schema.Struct({ acknowledged: Schema.Literal(true) })

/** `name`: evidence or client-memory; `prefix` separates several services on one OpenSearch. */
export const makeCopies = (
  { call }: OpenSearch["Service"],
  { name, prefix }: { readonly name: string; readonly prefix: string }
) => {
  const activeAlias = `${prefix}-${name}-${EVIDENCE_FORMAT}`
  const older = OPENSEARCH_FORMATS_READABLE.map((format) => `${prefix}-${name}-${format}`)
  const aliasOf = (copy: IndexCopy): string => (copy === "active" ? activeAlias : `${activeAlias}-draft`)
  const { readAt, readOlder, writeCheckpoints } = checkpointsOf(call)
  const { changeAliases, list, listMatching, putTemplates } = indexesOf(call, activeAlias, prefix)
  /** Undefined: it does not exist. Without an active copy of this format an older one is returned. */
  const read = Effect.fnUntraced(function* (copy: IndexCopy) {
    const own = yield* readAt(aliasOf(copy), { activeAlias, outdated: false })
    return own === undefined && copy === "active" ? yield* readOlder(older) : own
  })

  /** Replaces the copy by an empty one; the old one is deleted in the same step. */
  const create = Effect.fnUntraced(function* (copy: IndexCopy) {
    yield* putTemplates
    const existing = yield* list
    const last = Math.max(0, ...existing.map(({ index }) => Number(index.slice(activeAlias.length + 1)) || 0))
    const index = `${activeAlias}-${String(last + 1).padStart(6, "0")}`
    yield* call(Acknowledged, { method: "PUT", path: `/${index}` })
    const empty = { index, alias: aliasOf(copy), outdated: false, marks: new Map() }
    const made = yield* writeCheckpoints(empty, index, { op_type: "create" })
    // Also removes indexes without an alias, which a crash between these steps leaves.
    const other = aliasOf(copy === "active" ? "building" : "active")
    const gone = existing.filter(({ aliases }) => !aliases.includes(other))
    yield* changeAliases([
      ...gone.map((one) => ({ remove_index: { index: one.index } })),
      { add: { index, alias: aliasOf(copy) } }
    ])
    return made
  })

  return {
    read,
    create,
    /** Writes one checkpoint; fails as `conflict` or `missing` if they were changed or deleted since the copy was read. */
    mark: (copy: EvidenceCopy, mark: IndexCheckpoint) =>
      writeCheckpoints({ ...copy, marks: new Map([...copy.marks, [mark.instanceId, mark]]) }, copy.alias, {
        // A write to the index name would create a deleted index.
        require_alias: "true",
        if_seq_no: String(copy.revision),
        if_primary_term: String(copy.term)
      }),
    widen: makeWiden(call),
    /** Atomically makes the copy that is being built the active one; returns the former indexes, which `drop` deletes. */
    publish: Effect.gen(function* () {
      const building = yield* read("building")
      if (building === undefined) return []
      const old = (yield* list)
        .filter(({ aliases }) => aliases.includes(activeAlias))
        .map(({ index }) => index)
      yield* changeAliases([
        ...old.map((index) => ({ remove: { index, alias: activeAlias } })),
        { remove: { index: building.index, alias: aliasOf("building") } },
        { add: { index: building.index, alias: activeAlias } }
      ])
      return old
    }),
    /** Deletes the indexes of older formats. */
    dropOlder: Effect.gen(function* () {
      const formats = Array.from({ length: EVIDENCE_FORMAT - 1 }, (_, at) => at + 1)
      const existing = yield* listMatching(formats.map((format) => `${prefix}-${name}-${format}-0*`))
      if (existing.length === 0) return
      const path = `/${existing.map(({ index }) => index).join(",")}`
      yield* call(Acknowledged, { method: "DELETE", path, query: { ignore_unavailable: "true" } })
    }),
    /** Deletes those of the indexes that have no alias. */
    drop: Effect.fnUntraced(function* (indexes: ReadonlyArray<string>) {
      // Only without an alias: if everything was deleted meanwhile, a name may be in use again.
      const unaliased = (yield* list)
        .filter(({ aliases, index }) => aliases.length === 0 && indexes.includes(index))
        .map(({ index }) => index)
      if (unaliased.length > 0)
        yield* call(Acknowledged, { method: "DELETE", path: `/${unaliased.join(",")}` })
    })
  }
}

type Call = OpenSearch["Service"]["call"]

/** Adds the fields of the present format to a copy of an older one, once for each index. */
const makeWiden = (call: Call) => {
  let widened: string | undefined
  return Effect.fnUntraced(function* ({ index, outdated }: EvidenceCopy) {
    if (!outdated || widened === index) return
    const body = { properties: mappings.properties }
    yield* call(Acknowledged, { method: "PUT", path: `/${index}/_mapping`, body })
    widened = index
  })
}

/** Reads and writes the checkpoint document of a copy. */
const checkpointsOf = (call: Call) => {
  const readAt = Effect.fnUntraced(
    function* (
      alias: string,
      { outdated, activeAlias }: { readonly activeAlias: string; readonly outdated: boolean }
    ) {
      const query = { routing: CHECKPOINTS_ID }
      const found = yield* call(CheckpointsFound, { method: "GET", path: checkpointsPath(alias), query })
      if (!found._index.startsWith(`${activeAlias}-0`) || found._source === undefined) {
        return yield* unexpectedResponse(`${found._index} behind ${alias} is not an index of this service`)
      }
      const marks = found._source.marks.list
      return {
        index: found._index,
        alias,
        outdated,
        marks: new Map(marks.map((mark) => [mark.instanceId, mark])),
        revision: found._seq_no ?? 0,
        term: found._primary_term ?? 0
      } satisfies EvidenceCopy
    },
    (effect, alias) =>
      Effect.catch(effect, (fault) => {
        if (fault.kind !== "missing") return Effect.fail(fault)
        // An index without that document also answers 404.
        return fault.detail.includes("index_not_found_exception")
          ? Effect.succeed(undefined)
          : Effect.fail(unexpectedResponse(`${alias} is not an index of this service`))
      })
  )

  const writeCheckpoints = (
    copy: Omit<EvidenceCopy, "revision" | "term">,
    name: string,
    query: Readonly<Record<string, string>>
  ) =>
    call(WriteResponse, {
      method: "PUT",
      path: checkpointsPath(name),
      query: { routing: CHECKPOINTS_ID, ...query },
      body: { marks: { list: [...copy.marks.values()] } }
    }).pipe(
      Effect.map((written): EvidenceCopy => ({
        ...copy,
        revision: written._seq_no,
        term: written._primary_term
      }))
    )

  /** The first of the aliases that leads to an index of this service. */
  const readOlder = Effect.fnUntraced(function* (aliases: ReadonlyArray<string>) {
    for (const alias of aliases) {
      const found = yield* Effect.catchIf(
        readAt(alias, { activeAlias: alias, outdated: true }),
        isUnexpected,
        () => Effect.succeed(undefined)
      )
      if (found !== undefined) return found
    }
    return undefined
  })

  return { readAt, readOlder, writeCheckpoints }
}

/** The physical indexes with their templates and aliases. */
const indexesOf = (call: Call, activeAlias: string, prefix: string) => {
  const pattern = `${activeAlias}-0*`

  const putTemplates = Effect.gen(function* () {
    const [ours, theirs] = [defaultTemplateName(prefix), customTemplateName(prefix)]
    yield* call(Acknowledged, { method: "PUT", path: `/_component_template/${ours}`, body: defaultSettings })
    const custom = yield* call(Schema.Unknown, {
      method: "GET",
      path: `/_component_template/${theirs}`
    }).pipe(
      Effect.as([theirs]),
      Effect.catch((fault) => (fault.kind === "missing" ? Effect.succeed([]) : Effect.fail(fault)))
    )
    const composedOf = [ours, ...custom]
    const body = evidenceTemplate(pattern, { composedOf })
    yield* call(Acknowledged, { method: "PUT", path: `/_index_template/${activeAlias}`, body })
  })

  /** Physical indexes with their aliases. */
  const listMatching = (patterns: ReadonlyArray<string>) =>
    Effect.map(call(Aliases, { method: "GET", path: `/${patterns.join(",")}/_alias` }), (found) =>
      Object.entries(found).map(([index, { aliases }]) => ({ index, aliases: Object.keys(aliases) }))
    )
  const list = listMatching([pattern])

  const changeAliases = (actions: ReadonlyArray<object>) =>
    call(Acknowledged, { method: "POST", path: "/_aliases", body: { actions } })

  return { changeAliases, list, listMatching, putTemplates }
}
