// The use cases of properties; hidden properties do not exist for the caller (contract §2, §9).
import type { AuthorizedSession, Permission } from "@rapport/contract/Authorization.ts"
import {
  properties as collection,
  PropertyDefinition,
  type PropertyEntity,
  type PropertyPatch,
  type PropertyRequest
} from "@rapport/contract/directory/PropertiesApi.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { Pages } from "../lists/Pages.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { changeOnce, orNotFound, requireRecord, readUseCases } from "../lists/RecordUseCases.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, invalidRequest, applyPatch, requireNoViolations } from "../receipts/Writes.ts"
import { PropertyStore, type Values } from "./PropertyStore.ts"
import { valueViolations } from "./PropertyValue.ts"

const ValuesCodec = Schema.Record(Schema.String, Schema.Json)

export class Properties extends Context.Service<Properties>()("core/directory/Properties", {
  make: Effect.gen(function* () {
    const store = yield* PropertyStore
    const receipts = yield* Receipts
    return {
      ...recordValues(store, receipts),
      ...readUseCases(yield* Pages, {
        name: "Properties",
        collection,
        access: (session) => Permissions.require(session, "directory.read"),
        list: store.definitions.list,
        find: store.definitions.find
      }),

      create: Effect.fn("Properties.create")(function* (
        session: AuthorizedSession,
        request: PropertyRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "directory.manage")
        const content = { options: [], visibleTo: [], ...request }
        const command = { operation: "property.create", pathIds: [], content }
        return yield* receipts.once({ caller: session, command, key, answer: PropertyDefinition }, () =>
          Effect.map(store.definitions.create(session, content), firstResult)
        )
      }, orUnavailable),

      update: Effect.fn("Properties.update")(function* (
        session: AuthorizedSession,
        id: number,
        patch: PropertyPatch,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "directory.manage")
        const { type } = yield* requireRecord(store.definitions.find, session, id)
        if (patch.options !== undefined && (type === "enum") !== patch.options.length > 0)
          return yield* invalidRequest([
            { path: "options", message: type === "enum" ? "must name an option" : "is for an enum only" }
          ])
        const command = { operation: "property.update", pathIds: [id], content: patch }
        return yield* receipts.once({ caller: session, command, key, answer: PropertyDefinition }, () =>
          store.definitions
            .update(session, id, (found) => Effect.succeed(applyPatch(found, patch)))
            // The name does not change.
            .pipe(Effect.catchTag("UniqueConflict", Effect.die), orNotFound, Effect.map(firstResult))
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Properties, Properties.make)
}

const recordValues = (store: PropertyStore["Service"], receipts: Receipts["Service"]) => ({
  readValues: Effect.fn("Properties.readValues")(function* (
    session: AuthorizedSession,
    entity: PropertyEntity,
    id: number
  ) {
    yield* Permissions.require(session, "context.read")
    return yield* orNotFound(store.readValues(session, entity, id))
  }, orUnavailable),

  /** InvalidRequest names each invalid value as values.<name>. */
  writeValues: Effect.fn("Properties.writeValues")(function* (
    session: AuthorizedSession,
    entity: PropertyEntity,
    id: number,
    values: Values,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, writer[entity])
    const command = { operation: "properties.write", pathIds: [entity, id], content: values }
    const opened = orNotFound(store.openValues(session, entity, id))
    const written = Effect.gen(function* () {
      const open = yield* opened
      yield* requireNoViolations(valueViolations(open.definitions, values))
      return yield* store.writeValues(session, entity, open.id, values)
    })
    return yield* changeOnce(
      receipts,
      { caller: session, command, key, answer: ValuesCodec, allowed: opened },
      written
    )
  }, orUnavailable)
})

const writer: Readonly<Record<PropertyEntity, Permission>> = {
  client: "clients.manage",
  subject: "directory.manage",
  operator: "users.manage",
  skill_group: "directory.manage"
}
