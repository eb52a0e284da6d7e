// The physical indexes behind the two names of an evidence index, and the marks of the projection kept in each of them.
import { EVIDENCE_FORMAT, OPENSEARCH_FORMATS_SERVED } from "@rapport/core/search/EvidenceFormat.ts"
import type { IndexCopy, IndexCheckpoint } from "@rapport/core/search/IndexCheckpoint.ts"
import { Effect, Schema } from "effect"
import {
  customTemplateName,
  defaultSettings,
  defaultTemplateName,
  evidenceTemplate,
  mappings
} from "./EvidenceMapping.ts"
import type { OpenSearch } from "./OpenSearch.ts"
import { type OpenSearchFault, strange } from "./OpenSearchFault.ts"

/** What a copy is and how far the projection is in it, as of one reading. */
export interface EvidenceCopy {
  /** Name of the physical index: it goes with the copy, while the alias moves to the next. */
  readonly index: string
  readonly alias: string
  /** It is of an older format that is served until its successor is built. */
  readonly outdated: boolean
  readonly marks: ReadonlyMap<number, IndexCheckpoint>
  /** Of the document that holds the marks: it is replaced only as it was read, and rises when it is. */
  readonly revision: number
  readonly term: number
}

interface EvidenceCopies {
  /** Undefined: it does not exist, or was deleted. Where there is no active one of this format, an older one is. */
  readonly read: (copy: IndexCopy) => Effect.Effect<EvidenceCopy | undefined, OpenSearchFault>
  /** Replaces the copy by an empty one; the old one is deleted in the same step. */
  readonly create: (copy: IndexCopy) => Effect.Effect<EvidenceCopy, OpenSearchFault>
  /** Writes one mark; fails as `conflict` or `missing` when the marks have changed or gone since the copy was read. */
  readonly mark: (copy: EvidenceCopy, mark: IndexCheckpoint) => Effect.Effect<EvidenceCopy, OpenSearchFault>
  /** Lets a copy of an older format take documents as they are made now. */
  readonly widen: (copy: EvidenceCopy) => Effect.Effect<void, OpenSearchFault>
  /** The draft takes the place of what is served, in one step; the indexes that were served stay until they are dropped. */
  readonly publish: Effect.Effect<ReadonlyArray<string>, OpenSearchFault>
  /** Deletes what is there of older formats. */
  readonly dropOlder: Effect.Effect<void, OpenSearchFault>
  /** Deletes those of the physical indexes that no name leads to. */
  readonly drop: (indexes: ReadonlyArray<string>) => Effect.Effect<void, OpenSearchFault>
}

const isStrange = ({ kind }: OpenSearchFault): boolean => kind === "strange"

const MARKS_ID = "marks"
const marksPath = (name: string) => `/${name}/_doc/${MARKS_ID}`

const Marks = Schema.Array(
  Schema.Struct({
    instanceId: Schema.Int,
    checkpoint: Schema.String,
    complete: Schema.Boolean,
    indexedAt: Schema.Finite
  })
)
const MarksFound = Schema.Struct({
  _index: Schema.String,
  found: Schema.Boolean,
  _seq_no: Schema.optionalKey(Schema.Int),
  _primary_term: Schema.optionalKey(Schema.Int),
  _source: Schema.optionalKey(Schema.Struct({ marks: Schema.Struct({ list: Marks }) }))
})
const Written = Schema.Struct({ _seq_no: Schema.Int, _primary_term: Schema.Int })
const Aliases = Schema.Record(
  Schema.String,
  Schema.Struct({ aliases: Schema.Record(Schema.String, Schema.Unknown) })
)
const Acknowledged = Schema.Struct({ acknowledged: Schema.Literal(true) })

/** `name`: evidence or client-memory; `prefix` separates several services on one OpenSearch. */
export const makeCopies = (
  { call }: OpenSearch["Service"],
  { name, prefix }: { readonly name: string; readonly prefix: string }
): EvidenceCopies => {
  const served = `${prefix}-${name}-${EVIDENCE_FORMAT}`
  const older = OPENSEARCH_FORMATS_SERVED.map((format) => `${prefix}-${name}-${format}`)
  const aliasOf = (copy: IndexCopy): string => (copy === "active" ? served : `${served}-draft`)
  const { readAt, readOlder, writeMarks } = marksOf(call)
  const { changeAliases, list, listed, putTemplates } = indexesOf(call, served, prefix)
  const read = Effect.fnUntraced(function* (copy: IndexCopy) {
    const own = yield* readAt(aliasOf(copy), { served, outdated: false })
    return own === undefined && copy === "active" ? yield* readOlder(older) : own
  })

  const create = Effect.fnUntraced(function* (copy: IndexCopy) {
    yield* putTemplates
    const there = yield* list
    const last = Math.max(0, ...there.map(({ index }) => Number(index.slice(served.length + 1)) || 0))
    const index = `${served}-${String(last + 1).padStart(6, "0")}`
    yield* call(Acknowledged, { method: "PUT", path: `/${index}` })
    const empty = { index, alias: aliasOf(copy), outdated: false, marks: new Map() }
    const made = yield* writeMarks(empty, index, { op_type: "create" })
    // With it goes what no name leads to any more: a crash between the steps above has left it.
    const other = aliasOf(copy === "active" ? "building" : "active")
    const gone = there.filter(({ aliases }) => !aliases.includes(other))
    yield* changeAliases([
      ...gone.map((one) => ({ remove_index: { index: one.index } })),
      { add: { index, alias: aliasOf(copy) } }
    ])
    return made
  })

  return {
    read,
    create,
    mark: (copy, mark) =>
      writeMarks({ ...copy, marks: new Map([...copy.marks, [mark.instanceId, mark]]) }, copy.alias, {
        // Written to its own name, a deleted index would be made by that.
        require_alias: "true",
        if_seq_no: String(copy.revision),
        if_primary_term: String(copy.term)
      }),
    widen: widening(call),
    publish: Effect.gen(function* () {
      const draft = yield* read("building")
      if (draft === undefined) return []
      const old = (yield* list).filter(({ aliases }) => aliases.includes(served)).map(({ index }) => index)
      yield* changeAliases([
        ...old.map((index) => ({ remove: { index, alias: served } })),
        { remove: { index: draft.index, alias: aliasOf("building") } },
        { add: { index: draft.index, alias: served } }
      ])
      return old
    }),
    dropOlder: Effect.gen(function* () {
      const formats = Array.from({ length: EVIDENCE_FORMAT - 1 }, (_, at) => at + 1)
      const there = yield* listed(formats.map((format) => `${prefix}-${name}-${format}-0*`))
      if (there.length === 0) return
      const path = `/${there.map(({ index }) => index).join(",")}`
      yield* call(Acknowledged, { method: "DELETE", path, query: { ignore_unavailable: "true" } })
    }),
    drop: Effect.fnUntraced(function* (indexes) {
      // A name may have been reused, where everything was deleted in between.
      const nameless = (yield* list)
        .filter(({ aliases, index }) => aliases.length === 0 && indexes.includes(index))
        .map(({ index }) => index)
      if (nameless.length > 0) yield* call(Acknowledged, { method: "DELETE", path: `/${nameless.join(",")}` })
    })
  }
}

type Call = OpenSearch["Service"]["call"]

/** Fields that an older format has not are added, once for each index. */
const widening = (call: Call): EvidenceCopies["widen"] => {
  let widened: string | undefined
  return Effect.fnUntraced(function* ({ index, outdated }) {
    if (!outdated || widened === index) return
    const body = { properties: mappings.properties }
    yield* call(Acknowledged, { method: "PUT", path: `/${index}/_mapping`, body })
    widened = index
  })
}

/** The document of the marks in each copy: read by the name of the copy, written by that of its index too. */
const marksOf = (call: Call) => {
  const readAt = Effect.fnUntraced(
    function* (alias: string, { outdated, served }: { readonly served: string; readonly outdated: boolean }) {
      const query = { routing: MARKS_ID }
      const found = yield* call(MarksFound, { method: "GET", path: marksPath(alias), query })
      if (!found._index.startsWith(`${served}-0`) || found._source === undefined) {
        return yield* strange(`${found._index}, called ${alias}, is not an index of ours`)
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
        // 404 is the answer for an index without that document too.
        return fault.said.includes("index_not_found_exception")
          ? Effect.succeed(undefined)
          : Effect.fail(strange(`what is called ${alias} is not an index of ours`))
      })
  )

  const writeMarks = (
    copy: Omit<EvidenceCopy, "revision" | "term">,
    name: string,
    query: Readonly<Record<string, string>>
  ) =>
    call(Written, {
      method: "PUT",
      path: marksPath(name),
      query: { routing: MARKS_ID, ...query },
      body: { marks: { list: [...copy.marks.values()] } }
    }).pipe(
      Effect.map((written): EvidenceCopy => ({
        ...copy,
        revision: written._seq_no,
        term: written._primary_term
      }))
    )

  /** The first of the aliases that leads to an index of ours. */
  const readOlder = Effect.fnUntraced(function* (aliases: ReadonlyArray<string>) {
    for (const alias of aliases) {
      const found = yield* Effect.catchIf(readAt(alias, { served: alias, outdated: true }), isStrange, () =>
        Effect.succeed(undefined)
      )
      if (found !== undefined) return found
    }
    return undefined
  })

  return { readAt, readOlder, writeMarks }
}

/** The physical indexes, their templates and names. */
const indexesOf = (call: Call, served: string, prefix: string) => {
  const pattern = `${served}-0*`

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
    yield* call(Acknowledged, { method: "PUT", path: `/_index_template/${served}`, body })
  })

  /** Physical indexes with the names that lead to them. */
  const listed = (patterns: ReadonlyArray<string>) =>
    Effect.map(call(Aliases, { method: "GET", path: `/${patterns.join(",")}/_alias` }), (found) =>
      Object.entries(found).map(([index, { aliases }]) => ({ index, aliases: Object.keys(aliases) }))
    )
  const list = listed([pattern])

  const changeAliases = (actions: ReadonlyArray<object>) =>
    call(Acknowledged, { method: "POST", path: "/_aliases", body: { actions } })

  return { changeAliases, list, listed, putTemplates }
}
