// The context read of a client as a good engineer writes it by hand: three statements over pg, the same checks and audit.
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import * as pg from "pg"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** The members of the request. Each server validates them in its own way. */
export interface Wanted {
  readonly clientId: number
  /** Null where actions are left out. */
  readonly actions: number | null
}

const ACTIONS_DEFAULT = 20
const CONNECTIONS = 8
const AUDIT_MILLIS = 50

export const wantedOf = (body: unknown): Wanted | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const scope: unknown = Reflect.get(body, "scope")
  if (typeof scope !== "object" || scope === null || Reflect.get(scope, "entity") !== "client")
    return undefined
  const clientId: unknown = Reflect.get(scope, "id")
  if (!Number.isSafeInteger(clientId) || Number(clientId) < 1) return undefined
  return { clientId: Number(clientId), actions: Reflect.has(body, "actions") ? ACTIONS_DEFAULT : null }
}

export interface Claims {
  readonly instance: number
  readonly user: number
  readonly session: string
}

/** HS256 by hand; `key` is that of the service. */
export const claimsOf = (authorization: string | undefined, key: Buffer): Claims | undefined => {
  const [header = "", payload = "", signature = ""] = (authorization ?? "")
    .replace(/^Bearer /u, "")
    .split(".")
  const mac = createHmac("sha256", key).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, "base64url")
  if (given.length !== mac.length || !timingSafeEqual(given, mac)) return undefined
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims & { readonly exp: number }
  return claims.exp * 1_000 > Date.now() ? claims : undefined
}

export const CALLER = `select m.instance_id, m.user_id, m.roles, m.subject_ids, m.colleague_ids,
    m.roles && '{administrator,integrator}'::text[] as everything, m.roles && '{qa_lead,qa_specialist}'::text[] as closed,
    m.roles && '{supervisor}'::text[] as supervises, m.roles && '{operator,light_agent}'::text[] as answers
  from user_access m join refresh_families f on f.instance_id = m.instance_id and f.user_id = m.user_id
  where m.instance_id = $1 and m.user_id = $2 and m.status = 'active' and f.id = $3::uuid
    and f.revoked_at is null and f.expires_at > now()`
export const SEEN = `(u.everything or (u.closed and a.status_group = 'done')
  or (u.supervises and (a.subject_id = any(u.subject_ids) or a.operator_ids && u.colleague_ids))
  or (u.answers and (a.operator_ids @> array[u.user_id] or (a.operator_id is null and a.subject_id = any(u.subject_ids))))
  or a.author_id = u.user_id)`
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

/** A connection of a peer that is idle for so long is closed. */
export const PEER_IDLE_MILLIS = 10_000

/** Connections and the key of the service, as the environment names them. */
export const makePlace = () => ({
  pool: new pg.Pool({
    max: CONNECTIONS,
    idleTimeoutMillis: PEER_IDLE_MILLIS,
    options: "-c plan_cache_mode=force_generic_plan -c jit=off -c timezone=UTC"
  }),
  key: Buffer.from(process.env["PEER_KEY"] ?? "", "base64url")
})
export type Place = ReturnType<typeof makePlace>

/** Answers reads with the database and the key that the environment names. */
export const makeReader = ({ key, pool }: Place = makePlace()) => {
  let entries: Array<object> = []
  setInterval(() => {
    if (entries.length === 0) return
    const batch = JSON.stringify(entries)
    entries = []
    pool.query({ name: "audit", text: AUDIT, values: [batch] }).catch(() => process.exit(1))
  }, AUDIT_MILLIS)

  return async (authorization: string | undefined, wanted: Wanted | undefined): Promise<Answer> => {
    const claims = claimsOf(authorization, key)
    if (claims === undefined) return { status: 401, body: '{"code":"UNAUTHENTICATED"}' }
    const who = [claims.instance, claims.user, claims.session]
    const callers = await pool.query({ name: "caller", text: CALLER, values: who })
    if (callers.rows.length === 0) return { status: 401, body: '{"code":"UNAUTHENTICATED"}' }
    if (wanted === undefined) return { status: 400, body: '{"code":"INVALID_REQUEST"}' }
    const { actions: limit, clientId } = wanted
    const values = [...who, clientId, limit]
    const opened = (await pool.query({ name: "open", text: OPEN, values })).rows[0]?.opened as Opened
    const { actions, asOf, enabled, id, ...rest } = opened
    const appealIds = (actions ?? []).flatMap(({ appealId }) => (appealId === null ? [] : [appealId]))
    const shown = [rest.properties.map(({ id }) => id), [...new Set(appealIds)]]
    const confirmed =
      id !== null &&
      (await pool.query({ name: "confirm", text: CONFIRM, values: [...who, clientId, ...shown] })).rows[0]
        ?.confirmed
    entries.push({
      instance_id: claims.instance,
      action: "context.read",
      actor_type: "user",
      actor_id: claims.user,
      entity: "client",
      entity_id: String(clientId),
      decision: confirmed === true ? "allowed" : "denied",
      details: {}
    })
    if (confirmed !== true) return { status: 403, body: '{"code":"ACCESS_DENIED"}' }
    if (!enabled) return { status: 503, body: '{"code":"SEARCH_UNAVAILABLE"}' }
    const sections = { ...rest, ...(actions === null ? {} : { actions }) }
    const content = JSON.stringify(sections)
    const hash = createHash("sha256").update(content).digest("hex")
    return {
      status: 200,
      body: `{"scope":{"entity":"client","id":${id}},"packHash":"sha256:${hash}","asOf":"${asOf}","sections":${content}}`
    }
  }
}
