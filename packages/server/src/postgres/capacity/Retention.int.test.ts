// Nothing grows without end: entries of the audit log by their age, versions of states by their number, and what instances store
// is measured (contract §11).
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { newWorld } from "../../testing/ProjectionFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import { retentionSweepsOf as sweepsOf } from "../../projection/Sweeps.ts"
import { instancesAbove, measuredTables, measureUsage } from "./InstanceUsagePostgres.ts"
import { sweepAudit } from "./RetentionPostgres.ts"

const SETTINGS = "what people set up by hand, each within a limit"
const GONE = "deleted when nothing needs it"
const FOLLOWS = "at most one for each row that is measured"
/** Tables with rows of instances that are not measured, and why. */
const unmeasured: Readonly<Record<string, string>> = {
  audit_log: "kept by days",
  bot_connectors: SETTINGS,
  bot_nodes: SETTINGS,
  bots: SETTINGS,
  broadcast_templates: SETTINGS,
  broadcasts: SETTINGS,
  calendars: SETTINGS,
  client_erasures: FOLLOWS,
  custom_models: SETTINGS,
  delivery_lines: FOLLOWS,
  dialogues: FOLLOWS,
  external_tokens: SETTINGS,
  import_batches: FOLLOWS,
  instance_usage: "the measure itself",
  login_addresses: GONE,
  memory_entries: FOLLOWS,
  outbox: GONE,
  projection_statuses: "one for each index of a process",
  property_definitions: SETTINGS,
  quality_assessment_criteria: "a few for each assessment, bounded by its checklist",
  quality_assessment_steps: "a few for each assessment, bounded by its checklist",
  quality_checklist_criteria: SETTINGS,
  quality_checklists: SETTINGS,
  quality_criteria: SETTINGS,
  quarantine: FOLLOWS,
  refresh_families: GONE,
  refresh_spent: GONE,
  skill_group_members: SETTINGS,
  skill_group_subjects: SETTINGS,
  skill_groups: SETTINGS,
  sla_targets: SETTINGS,
  subjects: SETTINGS,
  ticket_status_versions: SETTINGS,
  ticket_statuses: SETTINGS,
  user_access: FOLLOWS,
  users: SETTINGS
}

/** The measured usage of an instance that has rows. */
const usageOf = Effect.fnUntraced(function* (instanceId: number, countedMax?: number) {
  yield* measureUsage(countedMax)
  const found = (yield* instancesAbove({ rows: 1, bytes: 0 })).find(
    (usage) => usage.instanceId === instanceId
  )
  return found ?? assert.fail("not measured")
})

layer(PostgresFixtures.migrated)("what is kept", (it) => {
  it.effect("the audit log is deleted by the database's clock, not the service's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { instanceId } = yield* newWorld
      yield* sql`insert into audit_log (instance_id, action, actor_type, decision) values (${instanceId}, 'new', 'system', 'allowed')`
      yield* TestClock.setTime(Date.UTC(2126, 0, 1))
      assert.strictEqual(yield* sweepAudit(400, 100), 0)
    })
  )

  it.effect("retention keeps the newest data by each setting, and everything without one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { clientId, instanceId } = yield* newWorld
      for (const [namespace, version] of [
        ["crm", 12],
        ["їжак", 3]
      ] as const) {
        yield* sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
          values (${instanceId}, ${clientId}, ${namespace}, gen_random_uuid(), ${version}::int4, '{}', now())`
        yield* sql`insert into client_state_history (instance_id, client_id, namespace, version, state, updated_at)
          select ${instanceId}, ${clientId}, ${namespace}, n, '{}', now() from generate_series(1, ${version}::int4) n`
      }
      yield* sql`insert into audit_log (instance_id, action, actor_type, decision, created_at)
        select ${instanceId}, 'swept', 'system', 'allowed', now() - n * interval '1 day' + interval '1 hour'
        from generate_series(1, 40) n`
      for (const { once } of sweepsOf({ auditDays: 0, stateVersions: 0 })) assert.strictEqual(yield* once, 0)
      for (const { once } of sweepsOf({ auditDays: 30, stateVersions: 5 })) yield* once
      const [kept] = yield* sql`select
        (select count(*)::int4 from audit_log where action = 'swept') as entries,
        (select string_agg(version::text, ' ' order by namespace, version) from client_state_history
          where client_id = ${clientId}) as versions`
      assert.deepStrictEqual(kept, { entries: 30, versions: "8 9 10 11 12 1 2 3" })
    })
  )

  it.effect("usage is measured for each instance in rows and sampled bytes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [small, large] = [yield* newWorld, yield* newWorld]
      yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, summary)
        select ${large.instanceId}, gen_random_uuid(), ${large.clientId}, 'x', 'client', now(), ${"ї".repeat(500)}
        from generate_series(1, 100) n`
      yield* measureUsage()
      const above = yield* instancesAbove({ rows: 101, bytes: 0 })
      assert.deepStrictEqual(
        above.map(({ instanceId, rows }) => [instanceId, rows]),
        [[large.instanceId, 101]]
      )
      assert.isAbove(above[0]?.bytes ?? 0, 100_000)
      assert.isBelow(above[0]?.bytes ?? 0, 200_000)
      assert.lengthOf(yield* instancesAbove({ rows: 0, bytes: 100_000 }), 1)
      assert.lengthOf(yield* instancesAbove({ rows: 0, bytes: 0 }), 0)
      const all = (yield* instancesAbove({ rows: 1, bytes: 0 })).map(({ instanceId }) => instanceId)
      assert.include(all, small.instanceId)
    })
  )

  it.effect("usage covers every table that an instance can fill", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql`select table_name as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'instance_id' order by 1`
      const names = tables.map(({ name }) => String(name))
      const measured: ReadonlyArray<string> = measuredTables
      assert.deepStrictEqual(
        names.filter((name) => !measured.includes(name) && unmeasured[name] === undefined),
        [],
        "decide whether they are measured"
      )
      assert.includeMembers(names, [...measured])
    })
  )

  it.effect("usage is estimated for an instance with more rows than are counted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [small, large] = [yield* newWorld, yield* newWorld]
      for (const [{ clientId, instanceId }, count] of [
        [small, 300],
        [large, 9_000]
      ] as const)
        yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at)
          select ${instanceId}, gen_random_uuid(), ${clientId}, 'x', 'client', now() from generate_series(1, ${count}::int4)`
      yield* sql`analyze client_actions`
      assert.strictEqual((yield* usageOf(small.instanceId, 1_000)).rows, 301)
      assert.approximately((yield* usageOf(large.instanceId, 1_000)).rows, 9_001, 500)
    })
  )
})
