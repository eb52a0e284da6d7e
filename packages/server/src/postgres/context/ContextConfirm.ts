// The last check of a context read: the right, and the visibility of everything shown, in one snapshot (docs/contract.md §3.3).
import type { Confirmation } from "@rapport/core/context/read/ContextStore.ts"
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inScope } from "./ContextScope.ts"
import { appealVisible, callerOf, openedEntity, propertyVisible } from "../sql/Visibility.ts"
import { rowsOf } from "../sql/Query.ts"

/** One row: everything is as it was found. */
export const confirmStatement = (
  sql: SqlClient.SqlClient,
  { appealIds, caller, namedAppealIds, propertyDefinitionIds, scope }: Confirmation
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const seen = (ids: ReadonlyArray<number>, more: Statement.Fragment) =>
    ids.length === 0
      ? sql.literal("true")
      : sql`(select count(*) from appeals a, caller u where a.instance_id = ${instanceId}
          and a.id = any(${ids}::int8[]) and ${appealVisible(sql)}${more}) = ${ids.length}`
  const shown =
    propertyDefinitionIds.length === 0
      ? sql.literal("true")
      : sql`(select count(*) from property_definitions d, caller u where d.instance_id = ${instanceId}
          and d.id = any(${propertyDefinitionIds}::int8[]) and ${propertyVisible(sql)}) = ${propertyDefinitionIds.length}`
  return sql`with ${callerOf(sql, caller)}
    select exists (${openedEntity(sql, scope.entity, scope.id)})
      and ${seen(appealIds, sql` and ${inScope(sql, instanceId, scope)}`)}
      and ${seen(namedAppealIds, sql.literal(""))}
      and ${shown} as confirmed`
}

export const confirmedRows = rowsOf(Schema.Struct({ confirmed: Schema.Boolean }))
