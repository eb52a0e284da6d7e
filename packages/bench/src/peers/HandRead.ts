// The context read of a client as a good engineer writes it by hand: three statements over pg, the same checks and audit.
import { createHash } from "node:crypto"
import { authenticate, CALLER, pool, Refusal, SEEN } from "./HandCaller.ts"

const ACTIONS = 20
const AUDIT_MILLIS = 50

const TARGET = `select c.id from clients c, u where c.instance_id = $1
  and c.id = (select coalesce(k.merged_into_id, k.id) from clients k where k.instance_id = $1 and k.id = $4)
  and (u.roles && '{administrator,supervisor,integrator}'::text[] or exists (
    select 1 from appeals a where a.instance_id = c.instance_id and a.client_id = c.id and ${SEEN}))`
const OPEN = `with u as materialized (${CALLER}), target as materialized (${TARGET})
  select json_build_object('asOf', now(), 'enabled', i.capability_enabled and i.context_store_ready, 'id', (select id from target),
    'state', (select coalesce(json_agg(json_build_object('namespace', s.namespace, 'version', s.version, 'state', s.state,
        'updatedAt', s.updated_at) order by s.namespace), '[]') from client_state s
      where s.instance_id = $1 and s.client_id = (select id from target)),
    'properties', (select coalesce(json_agg(json_build_object('id', d.id, 'name', d.name, 'label', d.label, 'value', v.value,
        'updatedAt', v.updated_at) order by d.name), '[]')
      from property_values v join property_definitions d on d.instance_id = v.instance_id and d.id = v.definition_id, u
      where v.instance_id = $1 and v.entity = 'client' and v.entity_id = (select id from target)
        and (d.visible_to = '{}' or d.visible_to && u.roles)),
    'record', (select row_to_json(r) from (select c.name, c.emails[1] as email, c.phones[1] as phone, c.language, c.tags, c.external_id from clients c
      where c.instance_id = $1 and c.id = (select id from target)) r),
    'actions', case when $5::int4 is null then null else (select coalesce(json_agg(x order by x."occurredAt" desc, x.id desc), '[]')
      from (select k.id, k.type, k.actor_type as "actorType", k.actor_id as "actorId", k.occurred_at as "occurredAt",
          k.recorded_at as "recordedAt", k.summary, k.payload, k.appeal_id as "appealId" from client_actions k
        where k.instance_id = $1 and k.client_id = (select id from target) and (k.appeal_id is null or (select ${SEEN}
          from appeals a, u where a.instance_id = $1 and a.id = k.appeal_id))
        order by k.occurred_at desc, k.id desc limit $5) x) end) as opened
  from instances i where i.id = $1`
const CONFIRM = `with u as materialized (${CALLER})
  select exists (${TARGET}) and (select count(*) from property_definitions d, u where d.instance_id = $1
      and d.id = any($5::int8[]) and (d.visible_to = '{}' or d.visible_to && u.roles)) = cardinality($5::int8[])
    and (select count(*) from appeals a, u where a.instance_id = $1 and a.id = any($6::int8[]) and ${SEEN})
      = cardinality($6::int8[]) as confirmed`
const AUDIT = `insert into audit_log (instance_id, action, actor_type, actor_id, entity, entity_id, decision, details)
  select * from json_to_recordset($1::json) as entry(instance_id int8, action text, actor_type text, actor_id int8,
    entity text, entity_id text, decision text, details json)`

interface Opened {
  readonly asOf: string
  readonly enabled: boolean
  readonly id: number | null
  readonly state: ReadonlyArray<unknown>
  readonly properties: ReadonlyArray<{ readonly id: number }>
  readonly record: unknown
  readonly actions: ReadonlyArray<{ readonly appealId: number | null }> | null
}

let entries: Array<object> = []
setInterval(() => {
  if (entries.length === 0) return
  const batch = JSON.stringify(entries)
  entries = []
  pool.query({ name: "audit", text: AUDIT, values: [batch] }).catch(() => process.exit(1))
}, AUDIT_MILLIS)

/** The JSON of the pack. */
export const readClient = async (
  authorization: string | undefined,
  clientId: number,
  hasActions: boolean
) => {
  const { instance, user, values } = await authenticate(authorization)
  const opened = await pool.query<{ opened: Opened }>({
    name: "open",
    text: OPEN,
    values: [...values, clientId, hasActions ? ACTIONS : null]
  })
  const found = opened.rows[0]?.opened
  if (found === undefined) throw new Refusal(403, "ACCESS_DENIED")
  const { actions, asOf, enabled, id, ...rest } = found
  const appealIds = (actions ?? []).flatMap(({ appealId }) => (appealId === null ? [] : [appealId]))
  const shown = [rest.properties.map((property) => property.id), [...new Set(appealIds)]]
  const confirmed = await pool.query<{ confirmed: boolean }>({
    name: "confirm",
    text: CONFIRM,
    values: [...values, clientId, ...shown]
  })
  const isAllowed = id !== null && confirmed.rows[0]?.confirmed === true
  entries.push({
    instance_id: instance,
    action: "context.read",
    actor_type: "user",
    actor_id: user,
    entity: "client",
    entity_id: String(clientId),
    decision: isAllowed ? "allowed" : "denied",
    details: {}
  })
  if (!isAllowed) throw new Refusal(403, "ACCESS_DENIED")
  if (!enabled) throw new Refusal(503, "SEARCH_UNAVAILABLE")
  const content = JSON.stringify({ ...rest, ...(actions === null ? {} : { actions }) })
  const hash = createHash("sha256").update(content).digest("hex")
  return `{"scope":{"entity":"client","id":${id}},"packHash":"sha256:${hash}","asOf":"${asOf}","sections":${content}}`
}
