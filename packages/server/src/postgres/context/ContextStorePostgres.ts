// The context store in PostgreSQL: open, re-check and confirm are one statement each, and each checks the rights again.
import { type ContextScope, ContextStore } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { confirmedRows, confirmStatement } from "./ContextConfirm.ts"
import { openedOf, openedRows, openStatement } from "./ContextOpen.ts"
import { recheckedOf, recheckedRows, recheckStatement } from "./ContextRecheck.ts"
import { onceMore, shortRead } from "../connection/Lanes.ts"
import { query } from "../sql/Query.ts"

/** The state of an operator or a skill group counts appeals: no short read. */
const openedIn = ({ entity }: ContextScope) =>
  entity === "operator" || entity === "skill_group" ? onceMore : shortRead

export const layer: Layer.Layer<ContextStore, never, SqlClient.SqlClient> = Layer.effect(
  ContextStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ContextStore.of({
      open: query("ContextStore.open", (caller, scope, needs) =>
        Effect.flatMap(openedIn(scope)(openedRows.get(openStatement(sql, caller, scope, needs))), (row) =>
          openedOf(scope, needs, row)
        )
      ),
      recheck: query("ContextStore.recheck", (request) =>
        Effect.map(onceMore(recheckedRows.get(recheckStatement(sql, request))), recheckedOf)
      ),
      confirm: query("ContextStore.confirm", (request) =>
        Effect.map(shortRead(confirmedRows.get(confirmStatement(sql, request))), ({ confirmed }) => confirmed)
      )
    })
  })
)
