import { assert, layer } from "@effect/vitest"
import { AUDIT_BATCH_ENTRIES_MAX } from "./AuditLimits.ts"
import { Instances } from "@rapport/core/access/Instances.ts"
import { AuditLog } from "@rapport/core/audit/AuditLog.ts"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { AccessFixtures } from "../../testing/AccessFixtures.ts"
import { layer as auditLogLayer } from "./AuditLogPostgres.ts"

const makeInstance = Effect.gen(function* () {
  const instances = yield* Instances
  const { instanceId } = yield* instances.create({
    name: "Журнал",
    adminLogin: `audit.${Math.trunc((yield* instances.list).length)}`,
    adminPassword: Redacted.make("rapport-demo")
  })
  return instanceId
})
const entry = (instanceId: number, i: number) =>
  ({
    instanceId,
    action: "context.read",
    actorType: "user",
    actorId: 31,
    entity: "client",
    entityId: String(i),
    decision: i % 2 === 0 ? "allowed" : "denied",
    requestId: "0199-їжак",
    address: "2001:db8::1",
    details: { sections: ["evidence"], note: 'it\'s "quoted" \\ Їжак' }
  }) as const

// contract §9, "Audit log": "They may be written in batches; a graceful stop loses none."
layer(AccessFixtures.layer)("the audit log", (it) => {
  it.effect("the audit log has written every entry in order when its scope ends", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const instanceId = yield* makeInstance
      const count = 3 * AUDIT_BATCH_ENTRIES_MAX + 7
      // Near the present: other layers repeat work every minute, and would run it for all the minutes until a distant time.
      yield* TestClock.setTime(5_000)
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let i = 0; i < count; i++) yield* log.append(entry(instanceId, i))
      }).pipe(Effect.provide(Layer.fresh(auditLogLayer)))
      const rows =
        yield* sql`select action, actor_type, actor_id::int4, entity, entity_id, decision, request_id, address,
        details, created_at from audit_log where instance_id = ${instanceId} and action = 'context.read' order by id`
      assert.strictEqual(rows.length, count)
      assert.deepStrictEqual(rows.at(-1), {
        action: "context.read",
        actor_type: "user",
        actor_id: 31,
        entity: "client",
        entity_id: String(count - 1),
        decision: "allowed",
        request_id: "0199-їжак",
        address: "2001:db8::1",
        details: entry(instanceId, 0).details,
        created_at: new Date(5_000)
      })
      assert.deepStrictEqual(
        rows.map((row) => row["entity_id"]),
        Array.from({ length: count }, (_, i) => String(i))
      )
    })
  )

  it.effect("the audit log loses only an entry that cannot be written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const instanceId = yield* makeInstance
      yield* Effect.gen(function* () {
        const log = yield* AuditLog
        for (let i = 0; i < 10; i++) yield* log.append(entry(i === 3 ? 999_999 : instanceId, i))
      }).pipe(Effect.provide(Layer.fresh(auditLogLayer)))
      const rows =
        yield* sql`select 1 from audit_log where instance_id = ${instanceId} and action = 'context.read'`
      assert.strictEqual(rows.length, 9)
    })
  )
})
