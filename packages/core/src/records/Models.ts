// The use cases of custom data models (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { NotFound, StateNotAllowed, type Violation } from "@rapport/contract/Errors.ts"
import {
  associationTargets,
  type FieldPatch,
  Model,
  type ModelField,
  type ModelPatch,
  type ModelRequest,
  models as collection
} from "@rapport/contract/records/Model.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { type ListParameters, Pages } from "../lists/Pages.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { deletion, firstResult, applyPatch, requireNoViolations, requireVersion } from "../receipts/Writes.ts"
import { patternFaults } from "./Patterns.ts"
import { RecordStore, shownModel, type StoredModel } from "./RecordStore.ts"

export class Models extends Context.Service<Models>()("core/records/Models", {
  make: Effect.gen(function* () {
    const store = yield* RecordStore
    const receipts = yield* Receipts
    const pages = yield* Pages
    return {
      ...changes(store, receipts),
      list: (session: AuthorizedSession, parameters: ListParameters) =>
        pages.page({
          session,
          collection,
          parameters,
          access: Permissions.require(session, "records.read"),
          rows: (request) => store.listModels(session, request)
        }),

      get: Effect.fn("Models.get")(function* (session: AuthorizedSession, name: string) {
        yield* Permissions.require(session, "records.read")
        return shownModel((yield* store.findModel(session, name, "none")) ?? (yield* new NotFound()))
      }, orUnavailable),

      create: Effect.fn("Models.create")(function* (
        session: AuthorizedSession,
        request: ModelRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "records.models")
        const { name } = request
        const content = {
          name,
          label: request.label ?? null,
          fields: (request.fields ?? []).map(withDefaults)
        }
        const command = { operation: "model.create", pathIds: [], content }
        return yield* receipts.once({ caller: session, command, key, answer: Model }, () =>
          Effect.gen(function* () {
            yield* checkFields(store, session, name, content.fields)
            return firstResult(shownModel(yield* store.createModel(session, content)))
          })
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Models, Models.make)
}

type Store = RecordStore["Service"]

/** A change locks the model against writes of its records. */
const changes = (store: Store, receipts: Receipts["Service"]) => ({
  update: Effect.fn("Models.update")(function* (
    session: AuthorizedSession,
    name: string,
    expectedVersion: number,
    { fields, label }: ChangeOf<ModelPatch>,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "records.models")
    const change = {
      ...(label === undefined ? {} : { label }),
      ...(fields === undefined ? {} : { fields: fields.map(withDefaults) })
    }
    const command = {
      operation: "model.update",
      pathIds: [name],
      content: { ...change, expectedVersion }
    }
    return yield* receipts.once({ caller: session, command, key, answer: Model }, () =>
      Effect.gen(function* () {
        const found = (yield* store.findModel(session, name, "change")) ?? (yield* new NotFound())
        if (change.fields !== undefined) yield* checkFields(store, session, name, change.fields)
        yield* requireVersion(found.version, expectedVersion)
        yield* checkTypes(found, change.fields ?? [])
        const present = shownModel(found)
        const next = applyPatch(present, change)
        const answer = next === null ? present : shownModel(yield* store.updateModel(session, found, next))
        return firstResult(answer)
      })
    )
  }, orUnavailable),

  remove: Effect.fn("Models.remove")(function* (session: AuthorizedSession, name: string) {
    yield* Permissions.require(session, "records.models")
    yield* deletion(receipts, session, { operation: "model.delete", pathIds: [name] }, () =>
      Effect.gen(function* () {
        const found = (yield* store.findModel(session, name, "change")) ?? (yield* new NotFound())
        if (!(yield* store.removeModel(session, found)))
          return yield* new StateNotAllowed({
            detail: "the model has records, or a field of another model names it"
          })
      })
    )
  }, orUnavailable)
})

/** Checks patterns and targets. A field may reference its own model. */
const checkFields = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  own: string,
  fields: ReadonlyArray<ModelField>
) {
  const targets = fields.flatMap(({ target }) =>
    target === null || target === own || isRecordTarget(target) ? [] : [target]
  )
  const known = targets.length === 0 ? [] : yield* store.knownModels(session, targets)
  const patterns = yield* patternFaults(fields.map(({ rules }) => rules.pattern))
  yield* requireNoViolations(
    fields.flatMap(({ target }, i): ReadonlyArray<Violation> => {
      const fault = patterns[i]
      const isUnknown = target !== null && targets.includes(target) && !known.includes(target)
      return [
        ...(fault === undefined ? [] : [{ path: `fields[${i}].rules.pattern`, message: fault }]),
        ...(isUnknown
          ? [
              {
                path: `fields[${i}].target`,
                message: `must be one of ${associationTargets.join(", ")} or the name of a model`
              }
            ]
          : [])
      ]
    })
  )
})

const isRecordTarget = (target: string): boolean => associationTargets.some((one) => one === target)

const withDefaults = ({ name, required, rules, target, type, unique }: FieldPatch): ModelField => ({
  name,
  type,
  required: required ?? false,
  unique: unique ?? false,
  rules: rules ?? {},
  target: target ?? null
})

/** The type and target of a field never change. */
const checkTypes = (
  found: StoredModel,
  fields: ReadonlyArray<ModelField>
): Effect.Effect<void, StateNotAllowed> => {
  const changed = fields.find(({ name, target, type }) =>
    found.fields.some((field) => field.name === name && (field.type !== type || field.target !== target))
  )
  return changed === undefined
    ? Effect.void
    : Effect.fail(new StateNotAllowed({ detail: `the type of ${changed.name} never changes` }))
}
