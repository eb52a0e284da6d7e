// PostgreSQL decides over candidates of the search: membership, visibility, quarantine; and brings what is shown of them.
import {
  APPEAL_MESSAGES_INDEXED_MAX,
  FLAGGED_APPEALS_MAX,
  SNIPPET_POINTS_MAX,
  SNIPPET_SOURCE_POINTS_MAX
} from "@rapport/contract/Limits.ts"
import type { AppealRow, MessageRow, Recheck, Rechecked } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inRange, inScope, ofGroupSubject, wireTime, wireTimeOrNull } from "./ContextScope.ts"
import { textWindow } from "../sql/TextWindow.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

/**
 * Named messages are looked up by their ids, one by one: nothing else of a long transcript is read. One row: the ids that
 * are visible, the wanted ones among them with their messages, the long and the quarantined.
 */
export const recheckStatement = (
  sql: SqlClient.SqlClient,
  { caller, candidateIds, flags, from, latestMessages, scope, to, wanted, wordStarts }: Recheck
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const wantedIds = wanted.map(({ appealId }) => appealId)
  const lookedAt = [...new Set([...candidateIds, ...wantedIds])]
  const messageIds = wanted.flatMap(({ messageIds }) => messageIds)
  const latestIds = wanted.filter(({ messageIds }) => messageIds.length === 0).map(({ appealId }) => appealId)
  const belongs = sql`a.instance_id = ${instanceId} and ${inScope(sql, instanceId, scope)} and ${appealVisible(sql)}${inRange(sql, "a.created_at", { from, to })}`
  const quarantined = sql`select q.key from quarantine q where q.instance_id = ${instanceId} and q.kind = 'evidence'`
  const ofSubject =
    scope.entity === "skill_group" ? ofGroupSubject(sql, instanceId, scope.id) : sql.literal("false")
  const long = flags
    ? sql`(select coalesce(json_agg(f.id), '[]') from (select a.id from appeals a, caller u
        where a.message_count > ${sql.literal(String(APPEAL_MESSAGES_INDEXED_MAX))} and ${belongs}
          and a.id not in (${quarantined}) order by a.id desc limit ${FLAGGED_APPEALS_MAX}) f)`
    : sql.literal("'[]'::json")
  const poison = flags
    ? sql`(select coalesce(json_agg(f.id), '[]') from (select a.id from appeals a, caller u
        where a.id in (${quarantined}) and ${belongs} order by a.id desc limit ${FLAGGED_APPEALS_MAX}) f)`
    : sql.literal("'[]'::json")
  return sql`with ${callerOf(sql, caller)},
    visible as materialized (
      select a.id, a.kind, a.status, a.subject_id, a.channel, a.operator_ids, a.created_at, a.closed_at,
        a.message_count, ${ofSubject} as of_subject
      from appeals a, caller u
      where a.id = any(${lookedAt}::int8[]) and ${belongs} and a.id not in (${quarantined}))
    select json_build_array(
      (select coalesce(json_agg(v.id), '[]') from visible v),
      (select coalesce(json_agg(json_build_array(v.id, v.kind, v.status, v.subject_id, s.name, v.channel,
          v.operator_ids, v.created_at, v.closed_at, v.message_count, v.of_subject)), '[]')
        from visible v left join subjects s on s.instance_id = ${instanceId} and s.id = v.subject_id
        where v.id = any(${wantedIds}::int8[])),
      (select coalesce(json_agg(json_build_array(m.appeal_id, m.id, m.sequence, m.author_type, m.text, m.occurred_at)), '[]')
        from (
          select m.appeal_id, m.id, m.sequence, m.author_type,
            ${textWindow(sql, "m.text", { points: SNIPPET_SOURCE_POINTS_MAX, lead: SNIPPET_POINTS_MAX, starts: wordStarts })} as text,
            m.occurred_at
          from unnest(${messageIds}::int8[]) named(id), lateral (
            select * from appeal_messages m where m.instance_id = ${instanceId} and m.id = named.id limit 1) m
          where m.appeal_id = any(array(select v.id from visible v))
          union all
          select l.appeal_id, l.id, l.sequence, l.author_type, left(l.text, ${SNIPPET_SOURCE_POINTS_MAX}::int4), l.occurred_at
          from visible v, lateral (
            select * from appeal_messages m where m.instance_id = ${instanceId} and m.appeal_id = v.id
            order by m.sequence desc limit ${latestMessages}) l
          where v.id = any(${latestIds}::int8[])
            and v.message_count <= ${sql.literal(String(APPEAL_MESSAGES_INDEXED_MAX))}) m),
      ${long}, ${poison}) as rechecked`
}

const Id = Schema.Int
const Ids = Schema.Array(Id)
const Rows = Schema.Tuple([
  Schema.Struct({
    rechecked: Schema.Tuple([
      Ids,
      Schema.Array(
        Schema.Tuple([
          Id,
          Schema.Literals(["chat", "ticket"]),
          Schema.String,
          Schema.NullOr(Id),
          Schema.NullOr(Schema.String),
          Schema.NullOr(Schema.String),
          Ids,
          Schema.String,
          Schema.NullOr(Schema.String),
          Schema.Int,
          Schema.NullOr(Schema.Boolean)
        ])
      ),
      Schema.Array(
        Schema.Tuple([
          Id,
          Id,
          Schema.Int,
          Schema.Literals(["client", "operator", "bot", "system"]),
          Schema.String,
          Schema.String
        ])
      ),
      Ids,
      Ids
    ])
  })
])
const rows = Schema.decodeUnknownEffect(Rows)

export const decodeRechecked = (found: unknown): Effect.Effect<Rechecked> =>
  Effect.map(Effect.orDie(rows(found)), ([{ rechecked }]) => {
    const [visibleIds, appeals, messages, longIds, quarantinedIds] = rechecked
    const ofAppeal = new Map<number, Array<MessageRow>>()
    for (const [appealId, messageId, sequence, authorType, text, occurredAt] of messages) {
      const row = { messageId, sequence, authorType, text, occurredAt: wireTime(occurredAt) }
      const known = ofAppeal.get(appealId)
      if (known === undefined) ofAppeal.set(appealId, [row])
      else known.push(row)
    }
    return {
      visibleIds: new Set(visibleIds),
      appeals: appeals.map(
        ([appealId, appealType, status, subjectId, subject, channel, operatorIds, ...rest]): AppealRow => {
          const [createdAt, closedAt, messageCount, ofSubject] = rest
          return {
            appealId,
            appealType,
            status,
            subjectId,
            subject,
            channel,
            operatorIds,
            createdAt: wireTime(createdAt),
            closedAt: wireTimeOrNull(closedAt),
            messageCount,
            ofSubject: ofSubject === true,
            messages: ofAppeal.get(appealId) ?? []
          }
        }
      ),
      longIds,
      quarantinedIds
    }
  })
