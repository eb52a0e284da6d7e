// The list of chats, written by hand: a statement for the caller, then one that returns the JSON of the page.
import { createHmac } from "node:crypto"
import { type Answer, CALLER, claimsOf, type Place, SEEN } from "./HandRead.ts"

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

interface Caller {
  readonly roles: ReadonlyArray<string>
}
interface Listed {
  readonly data: string
  readonly found: number
  readonly warnings: string
  readonly last: string | null
  readonly total: number
}

export const makeLister =
  ({ key, pool }: Place) =>
  async (authorization: string | undefined, limit: number): Promise<Answer> => {
    const claims = claimsOf(authorization, key)
    if (claims === undefined) return { status: 401, body: '{"code":"UNAUTHENTICATED"}' }
    const who = [claims.instance, claims.user, claims.session]
    const caller = (await pool.query<Caller>({ name: "caller", text: CALLER, values: who })).rows[0]
    if (caller === undefined) return { status: 401, body: '{"code":"UNAUTHENTICATED"}' }
    if (!caller.roles.some((role) => READERS.includes(role)))
      return { status: 403, body: '{"code":"ACCESS_DENIED"}' }
    const listed = (await pool.query<Listed>({ name: "list", text: LIST, values: [...who, limit] })).rows[0]
    if (listed === undefined) return { status: 500, body: '{"code":"INTERNAL_ERROR"}' }
    const { data, found, last, total, warnings } = listed
    const hasMore = found > limit
    const cursor = hasMore && last !== null ? JSON.stringify(sealed(key, last)) : "null"
    return {
      status: 200,
      body: `{"data":${data},"total":${Math.min(total, TOTAL_MAX)},"totalIsLowerBound":${total > TOTAL_MAX},"limit":${limit},"offset":0,"hasMore":${hasMore},"nextCursor":${cursor},"warnings":${warnings}}`
    }
  }

const sealed = (key: Buffer, last: string): string => {
  const content = Buffer.from(last).toString("base64url")
  return `${content}.${createHmac("sha256", key).update(content).digest("base64url")}`
}
