import { assert, layer } from "@effect/vitest"
import { AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccessFixtures } from "../../testing/AccessFixtures.ts"
import { layer as auditLogLayer } from "./AuditLogPostgres.ts"

// contract §9, "Audit log". Audit.int.test.ts checks that a graceful stop loses no entry.
layer(AccessFixtures.layer)("the audit log", (it) => {
  it.effect("the audit log loses only an entry that cannot be written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId } = yield* AccessFixtures.makeInstance
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let i = 0; i < 10; i++) {
          yield* log.append({
            instanceId: i === 3 ? 999_999 : instanceId,
            action: "context.read",
            actorType: "user",
            actorId: 31,
            entity: "client",
            entityId: String(i),
            decision: "allowed",
            requestId: "0199-їжак",
            address: "2001:db8::1",
            details: { sections: ["evidence"], note: 'it\'s "quoted" \\ Їжак' }
          })
        }
      }).pipe(Effect.provide(Layer.fresh(auditLogLayer)))
      const rows =
        yield* sql`select 1 from audit_log where instance_id = ${instanceId} and action = 'context.read'`
      assert.strictEqual(rows.length, 9)
    })
  )
})
