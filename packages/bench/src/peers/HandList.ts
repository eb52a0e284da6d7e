// The list of chats, written by hand: a statement for the caller, then one that returns the JSON of the page.
import { createHmac } from "node:crypto"
import { authenticate, CALLER, key, pool, Refusal, SEEN } from "./HandCaller.ts"

const TOTAL_MAX = 10_000
const time = (column: string) => `to_char(a.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const MEMBERS = `'id', a.id, 'clientId', a.client_id, 'operatorId', a.operator_id, 'subjectId', a.subject_id,
  'skillGroupIds', array(select l.skill_group_id from skill_group_subjects l where l.instance_id = a.instance_id
    and l.subject_id = a.subject_id order by 1), 'priority', a.priority, 'channel', a.channel, 'tags', a.tags,
  'createdAt', ${time("created_at")}, 'updatedAt', ${time("updated_at")}, 'closedAt', ${time("closed_at")},
  'version', a.version, 'chatId', a.chat_id, 'botId', a.bot_id, 'operatorIds', a.operator_ids, 'status', a.status,
  'isOutgoing', a.is_outgoing, 'comment', a.comment, 'messageCount', a.message_count, 'searchCoverage',
  case when a.message_count > 5000 then 'incomplete' when a.message_count > 1000 then 'delayed' else 'complete' end,
  'waitingSince', ${time("waiting_since")}, 'firstResponseAt', ${time("first_response_at")},
  'lastMessageAt', ${time("last_message_at")}, 'closedBy', a.closed_by, 'postponedUntil', case when a.status = 'postponed' then ${time("postponed_until")} end,
  'externalId', a.external_id, 'source', a.source, 'customFields', a.custom_fields`
const WHERE = `a.instance_id = $1 and a.kind = 'chat' and ${SEEN}`
const LIST = `with u as materialized (${CALLER}),
  page as materialized (select a.* from appeals a, u where ${WHERE} order by a.created_at desc, a.id desc limit $4 + 1),
  shown as (select a.* from page a order by a.created_at desc, a.id desc limit $4)
  select (select coalesce(json_agg(json_build_object(${MEMBERS}) order by a.created_at desc, a.id desc), '[]')
      from shown a)::text as data,
    (select count(*) from page)::int4 as found,
    (select coalesce(json_agg(json_build_object('code', case when a.message_count > 5000 then 'SEARCH_COVERAGE_INCOMPLETE'
        else 'POSSIBLE_DELAY' end, 'appealId', a.id, 'messageCount', a.message_count)), '[]')
      from shown a where a.message_count > 1000)::text as warnings,
    (select json_build_array(${time("created_at")}, a.id) from shown a order by a.created_at, a.id limit 1)::text as last,
    (select count(*) from (select 1 from appeals a, u where ${WHERE} limit ${TOTAL_MAX + 1}) counted)::int4 as total`
const READERS = [
  "administrator",
  "supervisor",
  "operator",
  "light_agent",
  "integrator",
  "qa_lead",
  "qa_specialist"
]

interface Listed {
  readonly data: string
  readonly found: number
  readonly warnings: string
  readonly last: string | null
  readonly total: number
}

/** The JSON of the first page. */
export const listChats = async (authorization: string | undefined, limit: number) => {
  const { roles, values } = await authenticate(authorization)
  if (!roles.some((role) => READERS.includes(role))) throw new Refusal(403, "ACCESS_DENIED")
  const listed = await pool.query<Listed>({ name: "list", text: LIST, values: [...values, limit] })
  const [page] = listed.rows
  if (page === undefined) throw new Refusal(500, "INTERNAL_ERROR")
  const { data, found, last, total, warnings } = page
  const hasMore = found > limit
  const cursor = hasMore && last !== null ? JSON.stringify(seal(last)) : "null"
  return `{"data":${data},"total":${Math.min(total, TOTAL_MAX)},"totalIsLowerBound":${total > TOTAL_MAX},"limit":${limit},"offset":0,"hasMore":${hasMore},"nextCursor":${cursor},"warnings":${warnings}}`
}

const seal = (last: string): string => {
  const content = Buffer.from(last).toString("base64url")
  return `${content}.${createHmac("sha256", key).update(content).digest("base64url")}`
}
