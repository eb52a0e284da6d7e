// Property definitions and values in PostgreSQL; whose pack may be opened and what is for whose eyes is told by Visibility.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  PropertyDefinition,
  type PropertyEntity,
  properties as collection
} from "@rapport/contract/directory/PropertiesApi.ts"
import { UniqueConflict } from "@rapport/contract/Errors.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { PropertyStore } from "@rapport/core/directory/PropertyStore.ts"
import type { SourceUnavailable } from "@rapport/core/failures/SourceUnavailable.ts"
import { changedMembers, patched } from "@rapport/core/receipts/Writes.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { unavailableOrDie } from "../sql/SqlFailure.ts"
import { type Column, listRows } from "../sql/ListQuery.ts"
import { audit, brokeUnique, recordJson } from "../sql/Records.ts"
import { callerOf, clientReadable, openedEntity, propertyVisible, survivorId } from "../sql/Visibility.ts"

/** Of `property_definitions d`. */
const columns: Readonly<Record<string, Column>> = {
  id: { sql: "d.id", required: true },
  entity: { sql: "d.entity" },
  name: { sql: "d.name" },
  label: { sql: "d.label" },
  type: { sql: "d.type" },
  options: { sql: "d.options" },
  visibleTo: { sql: "d.visible_to" }
}
const json = recordJson(columns, collection.members)
const decodeDefinitions = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ record: PropertyDefinition }))
)
const decodeId = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: Schema.Int })]))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))
const decodeValues = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ record: Schema.Record(Schema.String, Schema.Unknown) }))
)

const taken = (error: SqlError.SqlError): Effect.Effect<never, UniqueConflict | SourceUnavailable> =>
  brokeUnique(error, "property_definitions_instance_id_entity_name_key")
    ? Effect.fail(new UniqueConflict({ detail: "name is taken" }))
    : unavailableOrDie(error)

/** Rows are written one after the other: every value has an id of its own, made here. */
export const layer: Layer.Layer<PropertyStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    PropertyStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom

      const definitionOf = (
        { instanceId }: AuthorizedSession,
        id: number,
        lock: Statement.Fragment = sql.literal("")
      ) =>
        sql`select ${sql.literal(json)} as record from property_definitions d
          where d.instance_id = ${instanceId} and d.id = ${id} ${lock}`.pipe(
          Effect.flatMap((rows) => Effect.orDie(decodeDefinitions(rows))),
          Effect.map(([row]) => row?.record)
        )

      /** The record that the caller may write to, by the visibility of its own routes. */
      const writable = (session: AuthorizedSession, entity: PropertyEntity, id: number) => {
        const { instanceId } = session
        switch (entity) {
          case "client":
            return sql`with ${callerOf(sql, session)} select c.id::float8 as id from clients c, caller u
              where c.instance_id = u.instance_id and c.id = ${survivorId(sql, instanceId, id)}
                and ${clientReadable(sql)} for key share of c`
          case "subject":
            return sql`select id::float8 as id from subjects where instance_id = ${instanceId} and id = ${id} for key share`
          case "operator":
            return sql`select id::float8 as id from users where instance_id = ${instanceId} and id = ${id} for key share`
          case "skill_group":
            return sql`select id::float8 as id from skill_groups where instance_id = ${instanceId} and id = ${id} for key share`
        }
      }

      const valuesOf = (session: AuthorizedSession, entity: PropertyEntity, found: Statement.Fragment) =>
        sql`with ${callerOf(sql, session)}, found as (${found})
          select (select coalesce(json_object_agg(d.name, v.value order by d.name), '{}')
            from property_values v join property_definitions d on d.instance_id = v.instance_id and d.id = v.definition_id,
              caller u
            where v.instance_id = u.instance_id and v.entity = ${entity} and v.entity_id = f.id
              and ${propertyVisible(sql)}) as record from found f`.pipe(
          Effect.flatMap((rows) => Effect.orDie(decodeValues(rows))),
          Effect.map(([row]) => row?.record)
        )

      const writeOne = Effect.fnUntraced(function* (
        { instanceId }: AuthorizedSession,
        entity: PropertyEntity,
        id: number,
        [name, value]: readonly [string, unknown]
      ) {
        const definition = sql`(select d.id from property_definitions d where d.instance_id = ${instanceId}
          and d.entity = ${entity} and d.name = ${name})`
        if (value === null) {
          return yield* sql`delete from property_values where instance_id = ${instanceId} and entity = ${entity}
            and entity_id = ${id} and definition_id = ${definition}`
        }
        const valueId = yield* random.uuidV7()
        const now = isoOf(yield* Clock.currentTimeMillis)
        const text = JSON.stringify(value)
        return yield* sql`insert into property_values (instance_id, entity, entity_id, definition_id, id, value, updated_at)
          values (${instanceId}, ${entity}, ${id}, ${definition}, ${valueId}::uuid, ${text}::text::json, ${now}::timestamptz)
          on conflict (instance_id, entity, entity_id, definition_id) do update
            set value = excluded.value, updated_at = excluded.updated_at
            where property_values.value::text <> excluded.value::text`
      })

      return PropertyStore.of({
        create: Effect.fn("PropertyStore.create")(
          function* (session, request) {
            const rows = yield* sql`insert into property_definitions
              (instance_id, entity, name, label, type, options, visible_to)
            values (${session.instanceId}, ${request.entity}, ${request.name}, ${request.label}, ${request.type},
              ${request.options ?? []}::text[], ${request.visibleTo ?? []}::text[]) returning id::float8 as id`
            const [{ id }] = yield* Effect.orDie(decodeId(rows))
            yield* audit(sql, session, { action: "property.create", id })
            return (
              (yield* definitionOf(session, id)) ?? (yield* Effect.die("insert … returning returned nothing"))
            )
          },
          Effect.catchTag("SqlError", taken)
        ),

        find: Effect.fn("PropertyStore.find")(
          (session, id) => definitionOf(session, id),
          Effect.catchTag("SqlError", unavailableOrDie)
        ),

        list: (session, request) =>
          listRows(
            sql,
            {
              collection,
              common: null,
              from: sql.literal("property_definitions d"),
              where: sql`d.instance_id = ${session.instanceId}`,
              columns,
              includes: {},
              searched: []
            },
            request
          ).pipe(Effect.catchTag("SqlError", unavailableOrDie)),

        update: Effect.fn("PropertyStore.update")(
          function* (session, id, patch) {
            const found = yield* definitionOf(session, id, sql.literal("for update of d"))
            const next = found === undefined ? null : patched(found, patch)
            if (found === undefined || next === null) return found
            yield* sql`update property_definitions set label = ${next.label}, options = ${next.options}::text[],
              visible_to = ${next.visibleTo}::text[], version = version + 1
            where instance_id = ${session.instanceId} and id = ${id}`
            const details = { changed: changedMembers(found, next) }
            yield* audit(sql, session, { action: "property.update", id, details })
            return next
          },
          Effect.catchTag("SqlError", unavailableOrDie)
        ),

        readValues: Effect.fn("PropertyStore.readValues")(
          (session, entity, id) => valuesOf(session, entity, openedEntity(sql, entity, id)),
          Effect.catchTag("SqlError", unavailableOrDie)
        ),

        openValues: Effect.fn("PropertyStore.openValues")(
          function* (session, entity, id) {
            const [found] = yield* Effect.orDie(decodeIds(yield* writable(session, entity, id)))
            if (found === undefined) return undefined
            const rows = yield* sql`with ${callerOf(sql, session)} select ${sql.literal(json)} as record
            from property_definitions d, caller u where d.instance_id = u.instance_id and d.entity = ${entity}
              and ${propertyVisible(sql)}`
            const definitions = yield* Effect.orDie(decodeDefinitions(rows))
            return { id: found.id, definitions: definitions.map(({ record }) => record) }
          },
          Effect.catchTag("SqlError", unavailableOrDie)
        ),

        writeValues: Effect.fn("PropertyStore.writeValues")(
          function* (session, entity, id, values) {
            // In one order for all: two writers of the same names queue instead of waiting for each other.
            const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
            yield* Effect.forEach(sorted, (entry) => writeOne(session, entity, id, entry), { discard: true })
            const details = { names: sorted.map(([name]) => name) }
            yield* audit(sql, session, { action: `${entity}.properties`, id, details })
            return (yield* valuesOf(session, entity, sql`select ${id}::int8 as id`)) ?? {}
          },
          Effect.catchTag("SqlError", unavailableOrDie)
        )
      })
    })
  )
