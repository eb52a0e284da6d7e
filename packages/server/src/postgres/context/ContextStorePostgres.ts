// The context store in PostgreSQL: open, re-check and confirm are one statement each and check the rights again. The re-check decides on
// candidates of the search (membership, visibility, quarantine) and reads their content.
import { Priority } from "@rapport/contract/appeals/Appeal.ts"
import { AuthorType } from "@rapport/contract/appeals/AppealsApi.ts"
import {
  type Confirmation,
  type ContextScope,
  ContextStore,
  type Recheck,
  type RecheckedAppeals
} from "@rapport/core/context/read/ContextStore.ts"
import { phoneForm } from "@rapport/core/clients/Contacts.ts"
import { Effect, Schema, Struct } from "effect"
import type { Statement } from "effect/sql"
import { type Fragment, type Sql, sql } from "../sql/Fragment.ts"
import { conversationRows, conversationStatement } from "./ContextConversation.ts"
import { findStatement } from "./ContextFind.ts"
import { countryOf } from "../clients/ClientContacts.ts"
import { readOpened } from "./ContextOpen.ts"
import { retryOnLostConnection, shortRead } from "../connection/Lanes.ts"
import { query, selectedIds, storeLayer, valuesOf } from "../sql/Query.ts"
import {
  appealReadable,
  appealVisible,
  callerOf,
  openedEntity,
  propertyVisible,
  survivorId
} from "../sql/Visibility.ts"
import { EvidenceAppeal, Operator } from "@rapport/contract/context/ContextPack.ts"
import {
  APPEAL_MESSAGES_INDEXED_MAX,
  FLAGGED_APPEALS_MAX,
  SNIPPET_POINTS_MAX
} from "@rapport/contract/Limits.ts"
import {
  column,
  Id,
  IdOrNull,
  inRange,
  isoRange,
  objectOf,
  shownOf,
  Text,
  TextOrNull,
  timeColumn
} from "../sql/RowColumns.ts"
import { shownText } from "../files/ShownText.ts"
import { displayName } from "../users/UserColumns.ts"
import { textWindow } from "../sql/TextWindow.ts"

/** Code points of a message that are read for its snippet. */
const SNIPPET_SOURCE_POINTS_MAX = 4_096

const snapshotRows = valuesOf(Schema.String)
const confirmedRows = valuesOf(Schema.Boolean)

/** The state of an operator or a skill group counts appeals, which is not a short read. */
const openedIn = ({ entity }: ContextScope) =>
  entity === "operator" || entity === "skill_group" ? retryOnLostConnection : shortRead

export const layer = storeLayer(ContextStore)((sql) => {
  const present = shortRead(snapshotRows.get(sql`select pg_current_snapshot()::text`))
  const confirm = (request: Confirmation) => shortRead(confirmedRows.get(confirmStatement(sql, request)))
  return {
    find: query("ContextStore.find", function* (caller, scope) {
      const { phone } = scope
      const named =
        phone === undefined
          ? scope
          : { ...scope, phone: phoneForm(phone, yield* shortRead(countryOf(sql, caller.instanceId))) }
      return yield* shortRead(selectedIds(findStatement(sql, caller, named)))
    }),
    conversation: query("ContextStore.conversation", (caller, scope, named) =>
      Effect.map(
        shortRead(conversationRows.find(conversationStatement(sql, caller, scope, named))),
        (conversation) => conversation ?? null
      )
    ),
    open: query("ContextStore.open", (caller, scope, needs) =>
      openedIn(scope)(readOpened(sql, caller, scope, needs))
    ),
    recheck: query("ContextStore.recheck", (request) =>
      Effect.map(retryOnLostConnection(recheckedRows.get(recheckStatement(sql, request))), recheckedOf)
    ),
    // Without a commit since the snapshot nothing has changed.
    confirm: query("ContextStore.confirm", (request) =>
      request.snapshot === null
        ? confirm(request)
        : Effect.flatMap(present, (snapshot) =>
            snapshot === request.snapshot ? Effect.succeed(true) : confirm(request)
          )
    )
  }
})

/** The last check of a read (contract §3.3). One row: nothing has changed. */
const confirmStatement = (
  sql: Sql,
  { appealIds, caller, namedAppealIds, openedAppealIds, propertyDefinitionIds, scope }: Confirmation
): Statement.Statement<unknown> => {
  const { instanceId } = caller
  const seen = (ids: ReadonlyArray<number>, more: Fragment) =>
    ids.length === 0
      ? sql.literal("true")
      : sql`(select count(*) from appeals a, caller u where a.instance_id = ${instanceId}
          and a.id = any(${ids}::int8[]) and ${appealVisible}${more}) = ${ids.length}`
  const shown =
    propertyDefinitionIds.length === 0
      ? sql.literal("true")
      : sql`(select count(*) from property_definitions d, caller u where d.instance_id = ${instanceId}
          and d.id = any(${propertyDefinitionIds}::int8[]) and ${propertyVisible}) = ${propertyDefinitionIds.length}`
  return sql`with ${callerOf(caller)}
    select exists (${openedEntity(scope.entity, scope.id)})
      and ${seen(appealIds, sql` and ${inScope(instanceId, scope)}`)}
      and ${seen(openedAppealIds, sql` and ${appealReadable}`)}
      and ${seen(namedAppealIds, sql.literal(""))}
      and ${shown} as confirmed`
}

/** Condition of subject_coverage: the subject of the appeal belongs to the skill group. */
const ofGroupSubject = (instanceId: number, skillGroupId: number): Fragment =>
  sql`(a.subject_id is not null and a.subject_id = any(array(select group_subject.subject_id
    from skill_group_subjects group_subject
    where group_subject.instance_id = ${instanceId} and group_subject.skill_group_id = ${skillGroupId})))`

/** The appeal belongs to the scope (contract §3.1). */
const inScope = (instanceId: number, { entity, id }: ContextScope): Fragment => {
  switch (entity) {
    case "client":
      return sql`a.client_id = ${survivorId(instanceId, id)}`
    case "subject":
      return sql`a.subject_id = ${id}`
    case "operator":
      return sql`a.operator_ids @> array[${id}::int8]`
    case "skill_group":
      return sql`(${ofGroupSubject(instanceId, id)} or a.operator_ids && array(select member.user_id
        from skill_group_members member where member.instance_id = ${instanceId} and member.skill_group_id = ${id}))`
  }
}

/** The members of an appeal in a pack that come from its row. */
const ofRow = Struct.omit(EvidenceAppeal.fields, [
  "customFields",
  "priority",
  "rank",
  "relation",
  "score",
  "searchCoverage",
  "snippets",
  "tags",
  "targets",
  "truncated"
])
const Appeal = shownOf("visible", ofRow, {
  appealId: column("visible.id", Id),
  appealType: column("visible.kind", Schema.Literals(["chat", "ticket"])),
  subject: column("subject.name", TextOrNull),
  priority: column("visible.priority", Priority),
  tags: column("visible.tags", Schema.Array(Text)),
  customFields: column(
    "case when visible.may_open then visible.custom_fields end",
    Schema.NullOr(Schema.Record(Text, Schema.Unknown))
  ),
  operators: column(
    `(select coalesce(json_agg(named), '[]') from (select person.id, ${displayName("person")} as name
      from users person where person.instance_id = visible.instance_id and person.id = any(visible.operator_ids)
        and visible.may_open) named where named.name <> '')`,
    Schema.Array(Operator)
  ),
  ofSubject: column("coalesce(visible.of_subject, false)", Schema.Boolean)
})
const Message = Schema.Struct({
  appealId: column("shown.appeal_id", Id),
  messageId: column("shown.id", IdOrNull),
  sequence: column("shown.sequence", Schema.Int),
  authorType: column("shown.author_type", AuthorType),
  text: column("shown.text", Text),
  cutBefore: column("shown.cut_before", Schema.Boolean),
  cutAfter: column("shown.cut_after", Schema.Boolean),
  occurredAt: timeColumn("shown.occurred_at"),
  isNote: column("shown.is_note", Schema.Boolean),
  version: column("shown.version", Schema.Int)
})
const Flagged = Schema.Struct({
  appealId: column("flagged.id", Id),
  createdAt: timeColumn("flagged.created_at"),
  ofSubject: column("coalesce(flagged.of_subject, false)", Schema.Boolean)
})

/**
 * Reads messages by their ids, so that nothing else of a long transcript is read. One row: the visible ids, the wanted appeals with
 * their messages, the long and the quarantined ones.
 */
const recheckStatement = (sql: Sql, request: Recheck): Statement.Statement<unknown> => {
  const { caller, candidateIds, flags, from, leftOut, scope, to, wanted } = request
  const { instanceId } = caller
  const wantedIds = wanted.map(({ appealId }) => appealId)
  const rereadIds = [...new Set([...candidateIds, ...wantedIds])]
  const belongs = sql`a.instance_id = ${instanceId} and ${inScope(instanceId, scope)}
    and ${appealVisible}${inRange("a.created_at", isoRange({ from, to }))}
    and a.id is distinct from ${leftOut?.appealId ?? null}::int8`
  const quarantined = sql`select quarantine.key from quarantine where quarantine.instance_id = ${instanceId}
    and quarantine.kind = 'evidence'`
  const ofSubject =
    scope.entity === "skill_group" ? ofGroupSubject(instanceId, scope.id) : sql.literal("false")
  // The order of a list of the latest appeals.
  const flaggedAppeals = (condition: Fragment): Fragment =>
    flags
      ? sql`(select coalesce(json_agg(${objectOf(Flagged)}
            order by flagged.of_subject desc, flagged.created_at desc, flagged.id desc), '[]')
          from (select a.id, a.created_at, ${ofSubject} as of_subject from appeals a, caller u
            where ${condition} and ${belongs}
            order by of_subject desc, a.created_at desc, a.id desc limit ${FLAGGED_APPEALS_MAX}) flagged)`
      : sql.literal("'[]'::json")
  return sql`with ${callerOf(caller)},
    visible as materialized (
      select a.instance_id, a.id, a.kind, a.number, a.title, a.description, a.author_type, a.status, a.subject_id, a.channel,
        a.operator_ids, a.priority, a.tags, a.custom_fields, a.created_at, a.closed_at, a.message_count, ${ofSubject} as of_subject,
        ${appealReadable} as may_open
      from appeals a, caller u
      where a.id = any(${rereadIds}::int8[]) and ${belongs} and a.id not in (${quarantined}))
    select json_build_object(
      'visibleIds', (select coalesce(json_agg(visible.id), '[]') from visible),
      'appeals', (select coalesce(json_agg(${objectOf(Appeal)}), '[]')
        from visible left join subjects subject on subject.instance_id = ${instanceId} and subject.id = visible.subject_id
        where visible.id = any(${wantedIds}::int8[])),
      'messages', (select coalesce(json_agg(${objectOf(Message)}), '[]')
        from (${messagesOf(request)}) shown),
      'long', ${flaggedAppeals(sql`a.is_long and a.id not in (${quarantined})`)},
      'quarantined', ${flaggedAppeals(sql`a.id in (${quarantined})`)}) as rechecked`
}

const part = (text: string, starts: ReadonlyArray<string>) =>
  sql`lateral (${textWindow(text, { points: SNIPPET_SOURCE_POINTS_MAX, lead: SNIPPET_POINTS_MAX, starts })}) part`

/** The messages with the given ids, otherwise the latest, and the description of a ticket if it is among them. */
const messagesOf = (request: Recheck): Fragment => {
  const { caller, latestMessages, wanted, wordStarts } = request
  const { instanceId } = caller
  const named = wanted.flatMap(({ messageIds }) => messageIds.flatMap((id) => id ?? []))
  const latest = wanted.filter(({ messageIds }) => messageIds.length === 0).map(({ appealId }) => appealId)
  const begun = wanted
    .filter(({ messageIds }) => messageIds.length === 0 || messageIds.includes(null))
    .map(({ appealId }) => appealId)
  const indexed = sql.literal(`visible.message_count <= ${APPEAL_MESSAGES_INDEXED_MAX}`)
  return sql`select message.appeal_id, message.id, message.sequence, message.author_type, part.*, message.occurred_at,
        message.visibility = 'internal' as is_note, message.version
      from unnest(${named}::int8[]) named(id), lateral (
        select * from appeal_messages message where message.instance_id = ${instanceId}
          and message.id = named.id and message.deleted_at is null limit 1) message, ${part(shownText("message"), wordStarts)}
      where message.appeal_id = any(array(select visible.id from visible))
    union all
    select latest.appeal_id, latest.id, latest.sequence, latest.author_type, part.*, latest.occurred_at,
        latest.visibility = 'internal', latest.version
      from visible, lateral (
        select * from appeal_messages message where message.instance_id = ${instanceId} and message.appeal_id = visible.id
          and message.deleted_at is null
        order by message.sequence desc limit ${latestMessages}) latest, ${part(shownText("latest"), [])}
      where visible.id = any(${latest}::int8[]) and ${indexed}
    union all
    select visible.id, null, 0, visible.author_type, part.*, visible.created_at, false, 1
      from visible, lateral (select concat_ws(E'\\n', visible.title, nullif(visible.description, '')) as text) begun,
        ${part("begun.text", wordStarts)}
      where visible.kind = 'ticket' and visible.id = any(${begun}::int8[]) and ${indexed}`
}

const Rechecked = Schema.Struct({
  visibleIds: Schema.Array(Id),
  appeals: Schema.Array(Appeal),
  messages: Schema.Array(Message),
  long: Schema.Array(Flagged),
  quarantined: Schema.Array(Flagged)
})
const recheckedRows = valuesOf(Rechecked)

const recheckedOf = (rechecked: typeof Rechecked.Type): RecheckedAppeals => {
  const { appeals, long, messages, quarantined, visibleIds } = rechecked
  const byAppeal = Map.groupBy(messages, ({ appealId }) => appealId)
  return {
    visibleIds: new Set(visibleIds),
    appeals: appeals.map((appeal) => ({
      ...appeal,
      messages: byAppeal.get(appeal.appealId) ?? []
    })),
    long,
    quarantined
  }
}
