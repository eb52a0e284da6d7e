// The first statement of a context read: the right to open the entity and, in the same snapshot, its sections.
import { CONVERSATION_MESSAGES_MAX, SHOWN_TEXT_POINTS_MAX } from "@rapport/contract/Limits.ts"
import type { Caller } from "@rapport/core/access/Caller.ts"
import type { ContextScope, OpenNeeds } from "@rapport/core/context/read/ContextStore.ts"
import type { SqlClient, Statement } from "effect/sql"
import { inRange, namedVisible } from "./ContextScope.ts"
import { isLonger, textWindow } from "../sql/TextWindow.ts"
import { callerOf, openedEntity, propertyVisible } from "../sql/Visibility.ts"

export { decodeOpened } from "./ContextOpenedRows.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** One row with one JSON array; what is not needed is null. Its order is that of `decodeOpened`. */
export const openStatement = (
  sql: Sql,
  caller: Caller,
  scope: ContextScope,
  needs: OpenNeeds
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const when = (needed: boolean, part: () => Fragment): Fragment => (needed ? part() : sql.literal("null"))
  return sql`with ${callerOf(sql, caller)},
    target as materialized (${openedEntity(sql, scope.entity, scope.id)})
    select json_build_array(now(), i.capability_enabled, i.context_store_ready, (select id from target),
      ${when(needs.state, () => statePart(sql, instanceId, scope))},
      ${when(needs.actions !== null, () => actionsPart(sql, instanceId, needs))},
      ${when(needs.properties, () => propertiesPart(sql, instanceId, scope))},
      ${when(needs.conversations !== null, () => conversationsPart(sql, instanceId, needs))},
      ${when(needs.interactions !== null, () => interactionsPart(sql, instanceId, needs))},
      ${when(needs.group, () => groupPart(sql, instanceId))}) as opened
    from instances i where i.id = ${instanceId}`
}

const statePart = (sql: Sql, instanceId: number, { entity }: ContextScope): Fragment => {
  switch (entity) {
    case "client":
      return sql`(select coalesce(json_agg(json_build_array(s.id, s.namespace, s.version, s.state, s.updated_at)
          order by s.namespace collate "C"), '[]')
        from client_state s where s.instance_id = ${instanceId} and s.client_id = (select id from target))`
    case "operator":
      return sql`(select json_build_array(o.presence,
          (select count(*) from appeals a where a.instance_id = ${instanceId} and a.operator_id = o.id
            and a.status_group <> 'done'),
          o.capacity,
          (select coalesce(json_agg(m.skill_group_id order by m.skill_group_id), '[]') from skill_group_members m
            where m.instance_id = ${instanceId} and m.user_id = o.id))
        from users o where o.instance_id = ${instanceId} and o.id = (select id from target))`
    case "skill_group":
      return sql`(select json_build_array(g.active, m.online, m.total, q.length, q.oldest)
        from skill_groups g,
          (select count(*) filter (where o.presence = 'online') as online, count(*) as total
            from skill_group_members m join users o on o.instance_id = m.instance_id and o.id = m.user_id
            where m.instance_id = ${instanceId} and m.skill_group_id = (select id from target)
              and o.status = 'active') m,
          (select count(*) as length, min(case a.kind when 'ticket' then a.created_at else a.waiting_since end) as oldest
            from appeals a where a.instance_id = ${instanceId} and a.operator_id is null
              and a.status_group in ('new', 'open') and (a.kind = 'ticket' or a.status = 'waiting')
              and a.subject_id = any(array(select s.subject_id from skill_group_subjects s
                where s.instance_id = ${instanceId} and s.skill_group_id = (select id from target)))) q
        where g.instance_id = ${instanceId} and g.id = (select id from target))`
    case "subject":
      return sql.literal("null")
  }
}

/** One more than the limit tells whether there are older ones. */
const actionsPart = (sql: Sql, instanceId: number, { actions }: OpenNeeds): Fragment => {
  const ofActors =
    actions === null || actions.actorTypes === null
      ? sql.literal("")
      : sql` and k.actor_type = any(${actions.actorTypes}::text[])`
  return sql`(select coalesce(json_agg(json_build_array(k.id, k.type, k.actor_type, k.actor_id, k.occurred_at,
      k.recorded_at, k.summary, k.payload, k.appeal_id)), '[]')
    from (select * from client_actions k where k.instance_id = ${instanceId}
      and k.client_id = (select id from target)${ofActors} and ${namedVisible(sql, "k")}
      order by k.occurred_at desc, k.id desc limit ${(actions?.limit ?? 0) + 1}) k)`
}

const propertiesPart = (sql: Sql, instanceId: number, { entity }: ContextScope): Fragment =>
  sql`(select coalesce(json_agg(json_build_array(v.id, d.id, d.name, d.label, v.value, v.updated_at)
      order by d.name collate "C"), '[]')
    from property_values v join property_definitions d on d.instance_id = v.instance_id and d.id = v.definition_id,
      caller u
    where v.instance_id = ${instanceId} and v.entity = ${entity} and v.entity_id = (select id from target)
      and ${propertyVisible(sql)})`

const conversationsPart = (sql: Sql, instanceId: number, needs: OpenNeeds): Fragment =>
  sql`(select coalesce(json_agg(json_build_array(x.id, x.status, x.channel, x.created_at, x.closed_at, x.appeal_id,
      (select coalesce(json_agg(json_build_array(m.id, m.role, ${shown(sql, "m.content")},
          m.occurred_at, ${isLonger(sql, "m.content", SHOWN_TEXT_POINTS_MAX)}) order by m.sequence), '[]')
        from (select * from session_messages m where m.instance_id = ${instanceId} and m.session_id = x.id
          order by m.sequence desc limit ${CONVERSATION_MESSAGES_MAX}) m))), '[]')
    from (select * from context_sessions x where x.instance_id = ${instanceId}
      and x.client_id = (select id from target)${inRange(sql, "x.created_at", needs)} and ${namedVisible(sql, "x")}
      order by x.created_at desc, x.id desc limit ${needs.conversations}) x)`

const interactionsPart = (sql: Sql, instanceId: number, needs: OpenNeeds): Fragment =>
  sql`(select coalesce(json_agg(json_build_array(r.kind, r.id, r.text, r.occurred_at, r.session_id, r.appeal_id, r.truncated)), '[]')
    from (
      (select 'action' as kind, k.id, ${shown(sql, "coalesce(k.summary, k.type)")} as text, k.occurred_at,
          null::uuid as session_id, k.appeal_id,
          ${isLonger(sql, "coalesce(k.summary, k.type)", SHOWN_TEXT_POINTS_MAX)} as truncated
        from client_actions k where k.instance_id = ${instanceId} and k.client_id = (select id from target)${inRange(sql, "k.occurred_at", needs)} and ${namedVisible(sql, "k")}
        order by k.occurred_at desc, k.id desc limit ${needs.interactions})
      union all
      (select 'message', m.id, ${shown(sql, "m.content")}, m.occurred_at, m.session_id, x.appeal_id,
          ${isLonger(sql, "m.content", SHOWN_TEXT_POINTS_MAX)}
        from session_messages m join context_sessions x on x.instance_id = m.instance_id and x.id = m.session_id
        where m.instance_id = ${instanceId} and m.client_id = (select id from target)${inRange(sql, "m.occurred_at", needs)} and ${namedVisible(sql, "x")}
        order by m.occurred_at desc, m.id desc limit ${needs.interactions})
      order by 4 desc, 2 desc limit ${needs.interactions}) r)`

const shown = (sql: Sql, text: string): Fragment =>
  textWindow(sql, text, { points: SHOWN_TEXT_POINTS_MAX, lead: 0, starts: [] })

const groupPart = (sql: Sql, instanceId: number): Fragment =>
  sql`json_build_array(
    (select coalesce(json_agg(s.subject_id order by s.subject_id), '[]') from skill_group_subjects s
      where s.instance_id = ${instanceId} and s.skill_group_id = (select id from target)),
    (select coalesce(json_agg(m.user_id order by m.user_id), '[]') from skill_group_members m
      where m.instance_id = ${instanceId} and m.skill_group_id = (select id from target)))`
