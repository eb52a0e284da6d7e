// The use cases of custom data records (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { type AccessDenied, NotFound, StateNotAllowed, type Violation } from "@rapport/contract/Errors.ts"
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
import type { Fault } from "@rapport/contract/values/Faults.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { Cursors } from "../lists/Cursors.ts"
import { listPage, listRequest } from "../lists/ListRequest.ts"
import type { ListParameters } from "../lists/Pages.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { orNotFound } from "../lists/RecordUseCases.ts"
import { Receipts } from "../receipts/Receipts.ts"
import {
  deletion,
  firstResult,
  invalidRequest,
  refusalOf,
  requireNoViolations,
  requireVersion,
  unknownRecord
} from "../receipts/Writes.ts"
import { type ExportFormat, exportFormats, exportLines } from "./RecordExport.ts"
import { decodeQuery, ofEveryModel, readSearch, searchFaults } from "./RecordQuery.ts"
import {
  type Association,
  type ModelLock,
  RecordStore,
  shownRecord,
  type StoredModel,
  uniqueValueDetail
} from "./RecordStore.ts"
import { makePatternMatcher } from "./Patterns.ts"
import { upsertPlan } from "./RecordUpsert.ts"
import { isUnchanged, checkValues } from "./RecordValues.ts"

export class CustomRecords extends Context.Service<CustomRecords>()("core/records/CustomRecords", {
  make: Effect.gen(function* () {
    const store = yield* RecordStore
    const receipts = yield* Receipts
    const cursors = yield* Cursors
    return {
      ...reads(store, cursors),
      ...writes(store, receipts),
      remove: Effect.fn("CustomRecords.remove")(function* (
        session: AuthorizedSession,
        name: string,
        id: number
      ) {
        yield* Permissions.require(session, "records.manage")
        yield* deletion(receipts, session, { operation: "record.delete", pathIds: [name, id] }, () =>
          Effect.gen(function* () {
            const model = yield* modelOf(store, session, name, "records")
            const removal = yield* store.remove(session, model, id)
            if (removal === "unknown") return yield* new NotFound()
            if (removal === "referenced")
              return yield* new StateNotAllowed({ detail: "another record references this one" })
          })
        )
      }, orUnavailable),

      create: Effect.fn("CustomRecords.create")(function* (
        session: AuthorizedSession,
        name: string,
        { values }: RecordRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "records.manage")
        const command = { operation: "record.create", pathIds: [name], content: { values } }
        return yield* receipts.once({ caller: session, command, key, answer: CustomRecord }, () =>
          Effect.gen(function* () {
            const model = yield* modelOf(store, session, name, "records")
            const [given = values] = yield* withSurvivors(store, session, model, [values])
            const checked = yield* checkValues(model, given, {}, "values", makePatternMatcher())
            yield* requireNoViolations(checked.violations)
            yield* requireUsable(store, session, checked.associations)
            const made = yield* store.insert(session, model, [checked.values])
            return firstResult(yield* firstRecord(model, made))
          })
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(CustomRecords, CustomRecords.make)
}

type Store = RecordStore["Service"]

const reads = (store: Store, cursors: Cursors["Service"]) => ({
  list: Effect.fn("CustomRecords.list")(function* (
    session: AuthorizedSession,
    name: string,
    { names, query: sent }: ListParameters
  ) {
    const model = yield* readableModel(store, session, name, () => listFaults(sent))
    const collection = recordsOf(model.id, model.fields)
    const decoded = decodeQuery(collection, sent)
    if ("faults" in decoded) return yield* refusalOf(decoded.faults)
    const request = yield* listRequest(cursors, session.instanceId, collection, decoded.query, names)
    const rows = yield* store.list(session, { model, collection, request, where: null, counted: true })
    return listPage(cursors, request, rows)
  }, orUnavailable),

  search: Effect.fn("CustomRecords.search")(function* (
    session: AuthorizedSession,
    name: string,
    sent: SearchRequest
  ) {
    const model = yield* readableModel(store, session, name, () => searchFaults(sent).map(ofShape))
    const listed = recordsOf(model.id, model.fields)
    const { query, violations, where } = readSearch(listed, sent)
    yield* requireNoViolations(violations)
    // A cursor is bound to the name of its collection, and so to the search.
    const collection = { ...listed, name: `${listed.name} ${canonicalJson(where)}` }
    const request = yield* listRequest(cursors, session.instanceId, collection, query, Object.keys(query))
    const rows = yield* store.list(session, { model, collection, request, where, counted: true })
    return listPage(cursors, request, rows)
  }, orUnavailable),

  export: Effect.fn("CustomRecords.export")(function* (
    session: AuthorizedSession,
    name: string,
    { names, query: sent }: ListParameters
  ) {
    const { format: wanted = "csv", ...parameters } = sent
    const format: ExportFormat | undefined = exportFormats.find((one) => one === wanted)
    if (format === undefined)
      return yield* invalidRequest([{ path: "format", message: "must be csv or ndjson" }])
    const model = yield* readableModel(store, session, name, () => listFaults(parameters, ofExport))
    const collection = recordsOf(model.id, model.fields)
    const decoded = decodeQuery(collection, parameters, ofExport)
    if ("faults" in decoded) return yield* refusalOf(decoded.faults)
    const request = yield* listRequest(cursors, session.instanceId, collection, decoded.query, names)
    const page = (at: typeof request) =>
      store.list(session, { model, collection, request: at, where: null, counted: false })
    return { format, lines: yield* exportLines(model, format, request, page) }
  }, orUnavailable),

  get: Effect.fn("CustomRecords.get")(function* (session: AuthorizedSession, name: string, id: number) {
    yield* Permissions.require(session, "records.read")
    const model = yield* modelOf(store, session, name, "none")
    return shownRecord(model, (yield* store.find(session, model, id, false)) ?? (yield* new NotFound()))
  }, orUnavailable)
})

const writes = (store: Store, receipts: Receipts["Service"]) => ({
  update: Effect.fn("CustomRecords.update")(function* (
    session: AuthorizedSession,
    name: string,
    id: number,
    expectedVersion: number,
    values: RecordRequest["values"],
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "records.manage")
    const content = { values, expectedVersion }
    const command = { operation: "record.update", pathIds: [name, id], content }
    return yield* receipts.once({ caller: session, command, key, answer: CustomRecord }, () =>
      Effect.gen(function* () {
        const model = yield* modelOf(store, session, name, "records")
        const [given = values] = yield* withSurvivors(store, session, model, [values])
        const found = (yield* store.find(session, model, id, true)) ?? (yield* new NotFound())
        const checked = yield* checkValues(model, given, found.values, "values", makePatternMatcher())
        yield* requireNoViolations(checked.violations)
        yield* requireUsable(store, session, checked.associations)
        yield* requireVersion(found.version, expectedVersion)
        if (isUnchanged(model, found.values, checked.values)) return firstResult(shownRecord(model, found))
        const made = yield* store.change(session, model, [{ id, values: checked.values }])
        return firstResult(yield* firstRecord(model, made))
      })
    )
  }, orUnavailable),

  upsert: Effect.fn("CustomRecords.upsert")(function* (
    session: AuthorizedSession,
    name: string,
    request: UpsertRequest,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "records.manage")
    const command = { operation: "record.upsert", pathIds: [name], content: request }
    const upserted = receipts.once({ caller: session, command, key, answer: Upserted }, () =>
      Effect.gen(function* () {
        const model = yield* modelOf(store, session, name, "records")
        const values = request.records.map((record) => record.values)
        const survived = yield* withSurvivors(store, session, model, values)
        const records = survived.map((given) => ({ values: given }))
        const plan = yield* upsertPlan(model, { ...request, records }, (field, keys) =>
          store.findByKey(session, model, field, keys)
        )
        yield* requireUsable(store, session, plan.associations)
        const changed = plan.changes.length === 0 ? [] : yield* store.change(session, model, plan.changes)
        const made = plan.creates.length === 0 ? [] : yield* store.insert(session, model, plan.creates)
        const written = plan.placed(made, changed).map((record) => shownRecord(model, record))
        return firstResult({
          created: made.length,
          updated: request.records.length - made.length,
          records: written
        })
      })
    )
    // Another writer created a record with the key meanwhile. The retry updates that record.
    const times = 10
    const isKeyInUse = ({ _tag, detail }: { readonly _tag: string; readonly detail?: string }) =>
      _tag === "UniqueConflict" && detail === uniqueValueDetail(request.keyField)
    return yield* Effect.retry(upserted, { times, while: isKeyInUse })
  }, orUnavailable)
})

const modelOf = (store: Store, session: AuthorizedSession, name: string, lock: ModelLock) =>
  orNotFound(store.findModel(session, name, lock))

/** The faults of parameters that every model has. */
const listFaults = (
  parameters: ListParameters["query"],
  others: OtherParameters = noOtherParameters
): ReadonlyArray<Fault> => {
  const decoded = decodeQuery(anyRecords, ofEveryModel(parameters), others)
  return "faults" in decoded ? decoded.faults : []
}
/** An export always has all records and members. */
const ofExport: OtherParameters = { left: ["limit", "offset", "cursor", "fields"], more: ["format"] }
const ofShape = (violation: Violation): Fault => ({ ...violation, isOverBudget: false })

/** Faults that do not depend on the model win over a missing permission or model (contract §1, "Order of checks"). */
const readableModel = (
  store: Store,
  session: AuthorizedSession,
  name: string,
  faults: () => ReadonlyArray<Fault>
) => {
  const unlessFaulty = (refusal: AccessDenied | NotFound) => {
    const found = faults()
    return Effect.fail(found.length > 0 ? refusalOf(found) : refusal)
  }
  return Permissions.require(session, "records.read").pipe(
    Effect.andThen(modelOf(store, session, name, "none")),
    Effect.catchTags({ AccessDenied: unlessFaulty, NotFound: unlessFaulty })
  )
}

/** Replaces merged clients by their survivors. Runs before a record is locked, in the lock order of a merge. */
const withSurvivors = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  model: StoredModel,
  given: ReadonlyArray<RecordRequest["values"]>
) {
  const fields = model.fields.filter(({ target }) => target === "client").map(({ name }) => name)
  const clientIds = fields.flatMap((name) => given.map((values) => values[name])).filter(Number.isSafeInteger)
  if (clientIds.length === 0) return given
  const survivors = yield* store.survivors(session, clientIds.map(Number))
  const survivorsIn = (values: RecordRequest["values"]) =>
    fields.flatMap((name) => {
      const survivor = typeof values[name] === "number" ? survivors.get(values[name]) : undefined
      return survivor === undefined ? [] : [[name, survivor] as const]
    })
  return given.map((values) => ({ ...values, ...Object.fromEntries(survivorsIn(values)) }))
})

const requireUsable = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  named: ReadonlyArray<Association>
) {
  if (named.length === 0) return
  const unusable = yield* store.unusable(session, named)
  yield* requireNoViolations(unusable.map(({ path }) => unknownRecord(path)))
})

const firstRecord = (model: StoredModel, [record]: ReadonlyArray<Parameters<typeof shownRecord>[1]>) =>
  record === undefined
    ? Effect.die("a written record was not returned")
    : Effect.succeed(shownRecord(model, record))
