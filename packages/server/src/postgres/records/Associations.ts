// Values that a record may reference: clients and appeals that the caller sees, users, subjects and records of the instance
// (contract §9.2).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import type { Association, RecordStore } from "@rapport/core/records/RecordStore.ts"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type Fragment, idArray, type Sql } from "../sql/Fragment.ts"
import { query, rowsOf, selectedIds } from "../sql/Query.ts"
import { appealVisible, callerOf, clientReadable } from "../sql/Visibility.ts"

const survivorRows = rowsOf(Schema.Struct({ id: Schema.Int, survivor: Schema.Int }))

export const associationsOf = (sql: Sql): Pick<RecordStore["Service"], "unusable" | "survivors"> => {
  /** The ids that the caller may reference. */
  const usable = (session: AuthorizedSession, target: string, wanted: Fragment) => {
    const caller = sql`with ${callerOf(session)}`
    const shown = sql.literal("::float8 as id from")
    switch (target) {
      case "client":
        return sql`${caller} select c.id${shown} clients c, caller u where c.instance_id = u.instance_id
          and c.id = any(${wanted}) and c.merged_into_id is null and c.erased_at is null and ${clientReadable}`
      case "appeal":
        return sql`${caller} select a.id${shown} appeals a, caller u where a.instance_id = u.instance_id
          and a.id = any(${wanted}) and ${appealVisible}`
      case "user":
        return sql`${caller} select person.id${shown} users person, caller u where person.instance_id = u.instance_id
          and person.id = any(${wanted})`
      case "subject":
        return sql`${caller} select subject.id${shown} subjects subject, caller u where subject.instance_id = u.instance_id
          and subject.id = any(${wanted})`
      default:
        // Locked, so that no referenced record is deleted at the same time.
        return sql`${caller} select record.id${shown} custom_records record join custom_models model
            on model.instance_id = record.instance_id and model.id = record.model_id, caller u
          where record.instance_id = u.instance_id and model.name = ${target} and record.id = any(${wanted})
          order by record.id for key share of record`
    }
  }
  return {
    // Locks the survivors in the order of a merge, so that no merge runs in between.
    survivors: query("RecordStore.survivors", ({ instanceId }, named) =>
      Effect.map(
        survivorRows.all(sql`select named.id::float8 as id, coalesce(c.merged_into_id, c.id)::float8 as survivor
          from clients named join clients c on c.instance_id = named.instance_id and c.id = coalesce(named.merged_into_id,
            named.id)
          where named.instance_id = ${instanceId} and named.id = any(${idArray([...new Set(named)])})
          order by c.id for key share of c`),
        (rows) => new Map(rows.map(({ id, survivor }) => [id, survivor]))
      )
    ),
    unusable: query(
      "RecordStore.unusable",
      (session, named) =>
        Effect.gen(function* () {
          const found = new Set<string>()
          for (const target of [...new Set(named.map((one) => one.target))].toSorted()) {
            const wanted = [...new Set(named.flatMap((one) => (one.target === target ? [one.id] : [])))]
            for (const id of yield* selectedIds(usable(session, target, idArray(wanted))))
              found.add(`${target} ${id}`)
          }
          return named.filter(({ id, target }) => !found.has(`${target} ${id}`))
        }) satisfies Effect.Effect<ReadonlyArray<Association>, SqlError.SqlError>
    )
  }
}
