// Compare-and-set of a state that is there, with its history, receipt and entry in the audit log, in one statement: the row is
// locked no longer than the commit takes, and who comes too late is not kept waiting for it.
import { VersionConflict } from "@rapport/contract/Errors.ts"
import { Receipt } from "@rapport/contract/receipts/Receipt.ts"
import { isoOf } from "@rapport/contract/values/Time.ts"
import { type AuditEntry, actorOf } from "@rapport/core/audit/AuditLog.ts"
import { currentOrigin } from "@rapport/core/audit/Origin.ts"
import type { ClientContextStore, StateTarget } from "@rapport/core/clients/ClientContextStore.ts"
import type { Claim } from "@rapport/core/receipts/Receipts.ts"
import { inSpan } from "@rapport/core/tracing/Traced.ts"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { auditedFrom } from "../audit/AuditLogPostgres.ts"
import { shortReadInTime } from "../connection/Lanes.ts"
import { isTaken, receiptAfter } from "../receipts/ReceiptsPostgres.ts"
import { cte, statement } from "../sql/CommonTables.ts"
import { orUnavailable, rowsOf } from "../sql/Query.ts"
import { isRefused } from "../sql/SqlFailure.ts"

type Sql = SqlClient.SqlClient
type Store = ClientContextStore["Service"]

const versionRows = rowsOf(Schema.Struct({ version: Schema.Int }))
const standingRows = rowsOf(Schema.Struct({ version: Schema.NullOr(Schema.Int), taken: Schema.Boolean }))
const encodeReceipt = Schema.encodeEffect(Schema.toCodecJson(Receipt))

export const stateAtOnce =
  (sql: Sql): Store["writeAtOnce"] =>
  (writer, target, expectedVersion, state, claim) =>
    Effect.gen(function* () {
      const entry: AuditEntry = {
        ...(yield* currentOrigin),
        ...actorOf(writer.session),
        instanceId: target.instanceId,
        action: writer.operation,
        entity: "client",
        entityId: null,
        decision: "allowed",
        details: {}
      }
      const written = yield* versionRows
        .find(yield* writing(sql, target, { claim, entry, expectedVersion, state: JSON.stringify(state) }))
        // Whatever is in the way, such as the receipt of an equal command, is judged in a transaction.
        .pipe(Effect.catchIf(isRefused, () => Effect.succeed(null)))
      if (written === null) return null
      const { clientId, namespace } = target
      if (written !== undefined)
        return { clientId, namespace, version: written.version, state, updatedAt: claim.committedAt }
      const standing = yield* standingOf(sql, target, claim)
      const { taken, version } = standing
      return taken || version === null || expectedVersion === null || version === expectedVersion
        ? null
        : yield* new VersionConflict({ currentVersion: version })
    }).pipe(orUnavailable, inSpan("ClientContextStore.writeAtOnce"))

const writing = (
  sql: Sql,
  { clientId, instanceId, namespace }: StateTarget,
  next: {
    readonly claim: Claim
    readonly entry: AuditEntry
    readonly expectedVersion: number | null
    readonly state: string
  }
) =>
  Effect.gen(function* () {
    const { claim, entry, expectedVersion, state } = next
    const { committedAt, fingerprint, id, operation } = claim
    const receipt = JSON.stringify(
      yield* Effect.orDie(encodeReceipt({ committedAt, fingerprint, id, operation }))
    )
    const now = isoOf(committedAt)
    const details = `json_build_object('receiptId', receipt_id, 'namespace', namespace, 'version', version)`
    return statement(
      sql,
      [
        cte(
          sql,
          "written",
          sql`update client_state held set version = held.version + 1, state = ${state}::text::json,
              updated_at = ${now}::timestamptz
            where held.instance_id = ${instanceId} and held.client_id = ${clientId} and held.namespace = ${namespace}
              and held.version = coalesce(${expectedVersion}::int8, held.version)
            returning held.instance_id, held.client_id, held.namespace, held.version, held.state, held.updated_at,
              ${id}::uuid as receipt_id`
        ),
        cte(
          sql,
          "history",
          sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
            select instance_id, client_id, namespace, version, state, updated_at from written`
        ),
        cte(sql, "entry", auditedFrom(sql, "written", entry, { entityId: "client_id::text", details })),
        cte(
          sql,
          "shown",
          sql`select json_build_object('receipt', ${receipt}::text::json, 'state', json_build_object('clientId', client_id,
            'namespace', namespace, 'version', version, 'state', state, 'updatedAt', ${now}::text)) as record from written`
        ),
        cte(sql, "receipt", receiptAfter(sql, claim, "shown"))
      ],
      sql.literal("select version::float8 as version from written")
    )
  })

/** Why nothing was written. */
const standingOf = (sql: Sql, { clientId, instanceId, namespace }: StateTarget, claim: Claim) =>
  shortReadInTime(
    standingRows.get(sql`select (select held.version from client_state held where held.instance_id = ${instanceId}
        and held.client_id = ${clientId} and held.namespace = ${namespace})::float8 as version,
      ${isTaken(sql, claim)} as taken`)
  )
