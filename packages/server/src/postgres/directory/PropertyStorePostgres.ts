// Property definitions and values in PostgreSQL.
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  PropertyDefinition,
  type PropertyEntity,
  properties as collection
} from "@rapport/contract/directory/PropertiesApi.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { PropertyStore } from "@rapport/core/directory/PropertyStore.ts"
import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Fragment, Sql } from "../sql/Fragment.ts"
import { query, selectedIds, valuesOf } from "../sql/Query.ts"
import { ownRecords } from "../sql/OwnRecords.ts"
import { audit, uniqueTaken } from "../sql/Records.ts"
import { lockClient } from "../clients/LockClient.ts"
import { callerOf, clientReadable, openedEntity, propertyVisible, survivorId } from "../sql/Visibility.ts"

const definitionRecords = ownRecords(PropertyDefinition, {
  collection,
  table: "property_definitions",
  name: "d",
  columns: { id: { required: true } }
})

const valueRows = valuesOf(Schema.Record(Schema.String, Schema.Json))

const taken = uniqueTaken({ property_definitions_instance_id_entity_name_key: "name is in use" })

type Random = SecureRandom.SecureRandom["Service"]
type Store = PropertyStore["Service"]

export const layer: Layer.Layer<PropertyStore, never, SqlClient.SqlClient | SecureRandom.SecureRandom> =
  Layer.effect(
    PropertyStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      return PropertyStore.of({
        definitions: definitionRecords.methods(sql, {
          span: "PropertyStore.definitions",
          entity: "property",
          onSqlError: taken
        }),
        ...values(sql, random)
      })
    })
  )

const values = (sql: Sql, random: Random) =>
  ({
    readValues: query("PropertyStore.readValues", (session, entity, id) =>
      visibleValues(sql, session, entity, openedEntity(entity, id))
    ),

    openValues: query("PropertyStore.openValues", function* (session, entity, id) {
      // The lock excludes a parallel merge, so that the next statement finds the survivor.
      if (entity === "client") yield* lockClient(sql, session.instanceId, id)
      const [found] = yield* selectedIds(writable(sql, session, entity, id))
      if (found === undefined) return undefined
      const definitions = yield* definitionRecords.rows
        .all(sql`with ${callerOf(session)} select ${sql.literal(definitionRecords.json)} as record
      from property_definitions d, caller u where d.instance_id = u.instance_id and d.entity = ${entity}
        and ${propertyVisible}`)
      return { id: found, definitions }
    }),

    writeValues: query("PropertyStore.writeValues", function* (session, entity, id, values) {
      // Sorted, so that two writers of the same names do not deadlock.
      const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
      yield* Effect.forEach(sorted, (entry) => writeOne(sql, random, session, entity, id, entry), {
        discard: true
      })
      const details = { names: sorted.map(([name]) => name) }
      yield* audit(sql, session, { action: `${entity}.properties`, id, details })
      return (yield* visibleValues(sql, session, entity, sql`select ${id}::int8 as id`)) ?? {}
    })
  }) satisfies Partial<Store>

/** The record if the caller may write to it, by the visibility of its own routes. */
const writable = (sql: Sql, session: AuthorizedSession, entity: PropertyEntity, id: number) => {
  const { instanceId } = session
  return entity === "client"
    ? sql`with ${callerOf(session)} select c.id::float8 as id from clients c, caller u
        where c.instance_id = u.instance_id and c.id = ${survivorId(instanceId, id)}
          and ${clientReadable} for key share of c`
    : sql`select id::float8 as id from ${sql.literal(tables[entity])} where instance_id = ${instanceId} and id = ${id}
        for key share`
}

const tables = { subject: "subjects", operator: "users", skill_group: "skill_groups" }

const visibleValues = (sql: Sql, session: AuthorizedSession, entity: PropertyEntity, found: Fragment) =>
  valueRows.find(sql`with ${callerOf(session)}, found as (${found})
    select (select coalesce(json_object_agg(d.name, property.value order by d.name), '{}')
      from property_values property join property_definitions d on d.instance_id = property.instance_id
        and d.id = property.definition_id,
        caller u
      where property.instance_id = u.instance_id and property.entity = ${entity} and property.entity_id = found.id
        and ${propertyVisible}) as record from found`)

const writeOne = Effect.fnUntraced(function* (
  sql: Sql,
  random: Random,
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
