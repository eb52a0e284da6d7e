// Records of custom data: make, read, list, search, change and delete them (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  InvalidRequest,
  NotFound,
  QueryBudgetExceeded,
  type SearchUnavailable,
  StateNotAllowed,
  type UniqueConflict,
  type VersionConflict,
  type Violation
} from "@rapport/contract/Errors.ts"
import { LIST_TOTAL_MAX, RECORD_UPSERT_RETRIES_MAX } from "@rapport/contract/Limits.ts"
import { noOtherParameters, type OtherParameters } from "@rapport/contract/lists/Collection.ts"
import {
  anyRecords,
  CustomRecord,
  type RecordRequest,
  recordsOf,
  type SearchRequest,
  Upserted,
  type UpsertRequest
} from "@rapport/contract/records/CustomRecord.ts"
import { detailOf, type Fault } from "@rapport/contract/values/Faults.ts"
import { Context, Effect, Layer, Stream } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { Cursors } from "../lists/Cursors.ts"
import { type ListPage, listPage, listRequest } from "../lists/ListRequest.ts"
import type { ListParameters, PageFailure } from "../lists/Pages.ts"
import type { Key } from "../lists/Records.ts"
import { type Effected, Receipts } from "../receipts/Receipts.ts"
import {
  fresh,
  invalid,
  keyless,
  refuse,
  requireVersion,
  unknownRecord,
  type WriteFailure
} from "../receipts/Writes.ts"
import { type ExportFormat, exportFormats, exportLines } from "./RecordExport.ts"
import { decodeQuery, ofEveryModel, readSearch, searchFaults } from "./RecordQuery.ts"
import {
  type Association,
  type Hold,
  RecordStore,
  shownRecord,
  type StoredModel,
  takenDetail
} from "./RecordStore.ts"
import { matching } from "./Patterns.ts"
import { upsertPlan } from "./RecordUpsert.ts"
import { isUnchanged, judgeValues } from "./RecordValues.ts"

type Listed = Effect.Effect<ListPage, PageFailure | NotFound | QueryBudgetExceeded>
type Written<A, Fault = never> = Effect.Effect<
  Effected<A>,
  AccessDenied | NotFound | InvalidRequest | UniqueConflict | Fault | WriteFailure
>
interface Exported {
  readonly format: ExportFormat
  readonly lines: Stream.Stream<string, SearchUnavailable>
}

export class CustomRecords extends Context.Service<
  CustomRecords,
  {
    readonly list: (session: AuthorizedSession, model: string, parameters: ListParameters) => Listed
    readonly search: (session: AuthorizedSession, model: string, request: SearchRequest) => Listed
    readonly export: (
      session: AuthorizedSession,
      model: string,
      parameters: ListParameters
    ) => Effect.Effect<Exported, PageFailure | NotFound | QueryBudgetExceeded>
    readonly get: (
      session: AuthorizedSession,
      model: string,
      id: number
    ) => Effect.Effect<CustomRecord, AccessDenied | NotFound | SearchUnavailable>
    readonly create: (
      session: AuthorizedSession,
      model: string,
      request: RecordRequest,
      key: Key
    ) => Written<CustomRecord>
    readonly update: (
      session: AuthorizedSession,
      model: string,
      id: number,
      expectedVersion: number,
      values: RecordRequest["values"],
      key: Key
    ) => Written<CustomRecord, VersionConflict>
    readonly upsert: (
      session: AuthorizedSession,
      model: string,
      request: UpsertRequest,
      key: Key
    ) => Written<Upserted>
    readonly remove: (
      session: AuthorizedSession,
      model: string,
      id: number
    ) => Effect.Effect<void, AccessDenied | NotFound | StateNotAllowed | SearchUnavailable>
  }
>()("core/records/CustomRecords") {
  static readonly layer = Layer.effect(
    CustomRecords,
    Effect.gen(function* () {
      const store = yield* RecordStore
      const receipts = yield* Receipts
      const cursors = yield* Cursors
      return CustomRecords.of({
        ...reads(store, cursors),
        ...writes(store, receipts),
        create: Effect.fn("CustomRecords.create")(function* (session, name, { values }, key) {
          yield* Permissions.require(session, "records.manage")
          const command = { operation: "record.create", pathIds: [name], content: { values } }
          return yield* receipts.once({ caller: session, command, key, answer: CustomRecord }, () =>
            Effect.gen(function* () {
              const model = yield* modelOf(store, session, name, "records")
              const [given = values] = yield* standing(store, session, model, [values])
              const judged = yield* judgeValues(model, given, {}, "values", matching())
              yield* refuse(judged.violations)
              yield* usable(store, session, judged.associations)
              const made = yield* store.insert(session, model, [judged.values])
              return fresh(yield* only(model, made))
            })
          )
        }, orUnavailable)
      })
    })
  )
}

type Store = RecordStore["Service"]

/** Lists, searches and files. */
const reads = (store: Store, cursors: Cursors["Service"]) =>
  ({
    list: Effect.fn("CustomRecords.list")(function* (session, name, { names, query: sent }) {
      const model = yield* readableModel(store, session, name, () => listFaults(sent))
      const collection = recordsOf(model.id, model.fields)
      const decoded = decodeQuery(collection, sent)
      if ("faults" in decoded) return yield* refused(decoded.faults)
      const request = yield* requestOf(cursors, session.instanceId, collection, decoded.query, names)
      const rows = yield* store.list(session, { model, collection, request, where: null, counted: true })
      return yield* Effect.provideService(listPage(request, rows, LIST_TOTAL_MAX), Cursors, cursors)
    }, orUnavailable),

    search: Effect.fn("CustomRecords.search")(function* (session, name, sent) {
      const model = yield* readableModel(store, session, name, () => searchFaults(sent).map(ofShape))
      const listed = recordsOf(model.id, model.fields)
      const { query, violations, where } = readSearch(listed, sent)
      yield* refuse(violations)
      // Cursors are bound to the name of their list, and so to the search.
      const collection = { ...listed, name: `${listed.name} ${canonicalJson(where)}` }
      const request = yield* requestOf(cursors, session.instanceId, collection, query, Object.keys(query))
      const rows = yield* store.list(session, { model, collection, request, where, counted: true })
      return yield* Effect.provideService(listPage(request, rows, LIST_TOTAL_MAX), Cursors, cursors)
    }, orUnavailable),

    export: Effect.fn("CustomRecords.export")(function* (session, name, { names, query: sent }) {
      const { format: wanted = "csv", ...parameters } = sent
      const format: ExportFormat | undefined = exportFormats.find((one) => one === wanted)
      if (format === undefined) return yield* invalid([{ path: "format", message: "must be csv or ndjson" }])
      const model = yield* readableModel(store, session, name, () => listFaults(parameters, ofExport))
      const collection = recordsOf(model.id, model.fields)
      const decoded = decodeQuery(collection, parameters, ofExport)
      if ("faults" in decoded) return yield* refused(decoded.faults)
      const request = yield* requestOf(cursors, session.instanceId, collection, decoded.query, names)
      const page = (at: typeof request) =>
        store.list(session, { model, collection, request: at, where: null, counted: false })
      return { format, lines: yield* exportLines(model, format, request, page) }
    }, orUnavailable),

    get: Effect.fn("CustomRecords.get")(function* (session, name, id) {
      yield* Permissions.require(session, "records.read")
      const model = yield* modelOf(store, session, name, "none")
      return shownRecord(model, (yield* store.find(session, model, id, false)) ?? (yield* new NotFound()))
    }, orUnavailable)
  }) satisfies Partial<CustomRecords["Service"]>

/** Changes, under the receipt of their key. */
const writes = (store: Store, receipts: Receipts["Service"]) =>
  ({
    update: Effect.fn("CustomRecords.update")(function* (session, name, id, expectedVersion, values, key) {
      yield* Permissions.require(session, "records.manage")
      const content = { values, expectedVersion }
      const command = { operation: "record.update", pathIds: [name, id], content }
      return yield* receipts.once({ caller: session, command, key, answer: CustomRecord }, () =>
        Effect.gen(function* () {
          const model = yield* modelOf(store, session, name, "records")
          const [given = values] = yield* standing(store, session, model, [values])
          const found = (yield* store.find(session, model, id, true)) ?? (yield* new NotFound())
          const judged = yield* judgeValues(model, given, found.values, "values", matching())
          yield* refuse(judged.violations)
          yield* usable(store, session, judged.associations)
          yield* requireVersion(found.version, expectedVersion)
          if (isUnchanged(model, found.values, judged.values)) return fresh(shownRecord(model, found))
          const change = { id, before: found.values, values: judged.values }
          const made = yield* store.change(session, model, [change])
          return fresh(yield* only(model, made))
        })
      )
    }, orUnavailable),

    upsert: Effect.fn("CustomRecords.upsert")(function* (session, name, request, key) {
      yield* Permissions.require(session, "records.manage")
      const command = { operation: "record.upsert", pathIds: [name], content: request }
      const upserted = receipts.once({ caller: session, command, key, answer: Upserted }, () =>
        Effect.gen(function* () {
          const model = yield* modelOf(store, session, name, "records")
          const values = request.records.map((record) => record.values)
          const records = (yield* standing(store, session, model, values)).map((given) => ({ values: given }))
          const plan = yield* upsertPlan(model, { ...request, records }, (field, keys) =>
            store.findByKey(session, model, field, keys)
          )
          yield* usable(store, session, plan.associations)
          const changed = plan.changes.length === 0 ? [] : yield* store.change(session, model, plan.changes)
          const made = plan.creates.length === 0 ? [] : yield* store.insert(session, model, plan.creates)
          const written = plan.placed(made, changed).map((record) => shownRecord(model, record))
          return {
            answer: {
              created: made.length,
              updated: request.records.length - made.length,
              records: written
            },
            replayed: false
          }
        })
      )
      // Another writer made the key since it was looked up: the next attempt merges into its record.
      const times = RECORD_UPSERT_RETRIES_MAX
      const isKeyTaken = ({ _tag, detail }: { readonly _tag: string; readonly detail?: string }) =>
        _tag === "UniqueConflict" && detail === takenDetail(request.keyField)
      return yield* Effect.retry(upserted, { times, while: isKeyTaken })
    }, orUnavailable),

    remove: Effect.fn("CustomRecords.remove")(function* (session, name, id) {
      yield* Permissions.require(session, "records.manage")
      const command = { operation: "record.delete", pathIds: [name, id], content: {} }
      yield* receipts
        .once({ caller: session, command, key: null, answer: Upserted }, () =>
          Effect.gen(function* () {
            const model = yield* modelOf(store, session, name, "records")
            const gone = yield* store.remove(session, model, id)
            if (gone === "unknown") return yield* new NotFound()
            if (gone === "named")
              return yield* new StateNotAllowed({ detail: "another record names this one" })
            return fresh({ created: 0, updated: 0, records: [] })
          })
        )
        .pipe(Effect.catchTags(keyless))
    }, orUnavailable)
  }) satisfies Partial<CustomRecords["Service"]>

const modelOf = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  name: string,
  hold: Hold
) {
  return (yield* store.findModel(session, name, hold)) ?? (yield* new NotFound())
})

/** What of a list's parameters is wrong in every model; those in `left` are unknown. */
const listFaults = (
  parameters: ListParameters["query"],
  others: OtherParameters = noOtherParameters
): ReadonlyArray<Fault> => {
  const decoded = decodeQuery(anyRecords, ofEveryModel(parameters), others)
  return "faults" in decoded ? decoded.faults : []
}
/** An export has all records and members. */
const ofExport: OtherParameters = { left: ["limit", "offset", "cursor", "fields"], more: ["format"] }
const ofShape = (violation: Violation): Fault => ({ ...violation, isOverBudget: false })

/**
 * The model of a read. What is wrong whatever the model is answered before the right and before the model
 * (contract §1, "Order of checks"); with the model all faults are judged at once.
 */
const readableModel = (
  store: Store,
  session: AuthorizedSession,
  name: string,
  faults: () => ReadonlyArray<Fault>
) => {
  const unlessFaulty = (refusal: AccessDenied | NotFound) => {
    const found = faults()
    return found.length > 0 ? refused(found) : Effect.fail(refusal)
  }
  return Permissions.require(session, "records.read").pipe(
    Effect.andThen(modelOf(store, session, name, "none")),
    Effect.catchTags({ AccessDenied: unlessFaulty, NotFound: unlessFaulty })
  )
}

/** The values with survivors in place of clients that were merged; before a record is locked, in the order of a merge. */
const standing = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  model: StoredModel,
  given: ReadonlyArray<RecordRequest["values"]>
) {
  const fields = model.fields.filter(({ target }) => target === "client").map(({ name }) => name)
  const named = fields.flatMap((name) => given.map((values) => values[name])).filter(Number.isSafeInteger)
  if (named.length === 0) return given
  const survivors = yield* store.survivors(session, named.map(Number))
  const survivorsIn = (values: RecordRequest["values"]) =>
    fields.flatMap((name) => {
      const survivor = typeof values[name] === "number" ? survivors.get(values[name]) : undefined
      return survivor === undefined ? [] : [[name, survivor] as const]
    })
  return given.map((values) => ({ ...values, ...Object.fromEntries(survivorsIn(values)) }))
})

const usable = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  named: ReadonlyArray<Association>
) {
  if (named.length === 0) return
  const unusable = yield* store.unusable(session, named)
  yield* refuse(unusable.map(({ path }) => unknownRecord(path)))
})

const requestOf = (cursors: Cursors["Service"], ...args: Parameters<typeof listRequest>) =>
  Effect.provideService(listRequest(...args), Cursors, cursors)

const only = (model: StoredModel, [record]: ReadonlyArray<Parameters<typeof shownRecord>[1]>) =>
  record === undefined ? Effect.die("a record that was not made") : Effect.succeed(shownRecord(model, record))

/** Maximums alone are QUERY_BUDGET_EXCEEDED, anything else INVALID_REQUEST (contract §1). */
const refused = (
  faults: ReadonlyArray<Fault>
): Effect.Effect<never, InvalidRequest | QueryBudgetExceeded> => {
  const ofShape = faults.filter(({ isOverBudget }) => !isOverBudget)
  const errors = (ofShape.length > 0 ? ofShape : faults).map(({ message, path }): Violation => ({
    path,
    message
  }))
  const told = { detail: detailOf(errors), errors }
  return ofShape.length > 0
    ? Effect.fail(new InvalidRequest(told))
    : Effect.fail(new QueryBudgetExceeded(told))
}
