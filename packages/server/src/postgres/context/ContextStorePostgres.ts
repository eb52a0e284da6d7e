// The context store in PostgreSQL: open, re-check and confirm are one statement each, and each checks the rights again.
import {
  type Confirmation,
  type ContextScope,
  ContextStore
} from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeOpening, makeOpenStatement, openedRows } from "./ContextOpen.ts"
import { recheckedOf, recheckedRows, recheckStatement } from "./ContextRecheck.ts"
import { inScope } from "./ContextScope.ts"
import { onceMore, sharedRead, shortRead } from "../connection/Lanes.ts"
import { query, rowsOf } from "../sql/Query.ts"
import { appealVisible, callerOf, openedEntity, propertyVisible } from "../sql/Visibility.ts"

const snapshotRows = rowsOf(Schema.Struct({ snapshot: Schema.String }))
const confirmedRows = rowsOf(Schema.Struct({ confirmed: Schema.Boolean }))

/** The state of an operator or a skill group counts appeals: no short read. */
const openedIn = ({ entity }: ContextScope) =>
  entity === "operator" || entity === "skill_group" ? onceMore : shortRead

export const layer: Layer.Layer<ContextStore, never, SqlClient.SqlClient> = Layer.effect(
  ContextStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const openedOf = makeOpening()
    const openStatement = makeOpenStatement(sql)
    const present = sharedRead(snapshotRows.get(sql`select pg_current_snapshot()::text as snapshot`))
    const judged = (request: Confirmation) =>
      Effect.map(shortRead(confirmedRows.get(confirmStatement(sql, request))), ({ confirmed }) => confirmed)
    return ContextStore.of({
      open: query("ContextStore.open", (caller, scope, needs) =>
        Effect.map(openedIn(scope)(openedRows.get(openStatement(caller, scope, needs))), (row) =>
          openedOf(caller, scope, needs, row)
        )
      ),
      recheck: query("ContextStore.recheck", (request) =>
        Effect.map(onceMore(recheckedRows.get(recheckStatement(sql, request))), recheckedOf)
      ),
      // Where nothing was committed since, every statement finds what it found then.
      confirm: query("ContextStore.confirm", (request) =>
        request.snapshot === null
          ? judged(request)
          : Effect.flatMap(present, ({ snapshot }) =>
              snapshot === request.snapshot ? Effect.succeed(true) : judged(request)
            )
      )
    })
  })
)

/** The last check of a read, in one snapshot (docs/contract.md §3.3). One row: everything is as it was found. */
const confirmStatement = (
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
