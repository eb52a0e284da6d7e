// The sections of a pack, on a real PostgreSQL with the small demo (contract §3.1, §3.2).
import { assert, layer } from "@effect/vitest"
import {
  APPEAL_MESSAGES_INDEXED_MAX,
  SHOWN_TEXT_POINTS_MAX,
  SNIPPET_POINTS_MAX
} from "@rapport/contract/Limits.ts"
import { pointsOf } from "@rapport/contract/values/Checks.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ContextStore } from "@rapport/core/context/read/ContextStore.ts"
import { randomUUID } from "node:crypto"
import { ContextFixtures, indexInstance, readPack, sessionOf } from "../../testing/ContextFixtures.ts"
import { selectedCount, selectedIds } from "../sql/Query.ts"

const client = { entity: "client", id: 501 } as const
const longClient = { entity: "client", id: 502 } as const

/** What an administrator reads. */
const readAll = (request: object) =>
  Effect.flatMap(sessionOf("administrator"), (session) => readPack(session, request))
const evidenceOf = ({ pack }: Effect.Success<ReturnType<typeof readPack>>) => {
  const { evidence } = pack.sections
  if (evidence === undefined) throw new Error("no evidence")
  return evidence
}
const shownIds = (read: Effect.Success<ReturnType<typeof readPack>>) =>
  evidenceOf(read).appeals.map(({ appealId }) => appealId)

layer(ContextFixtures.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "What a context read shows (contract §3)",
  (it) => {
    it.effect("recent, previous and latest targets show the newest appeals, at most topK", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* selectedIds(
          sql`select id::float8 as id from appeals where client_id = 501 order by created_at desc, id desc`
        )
        const read = yield* readAll({ scope: client, sections: ["evidence"], topK: 5 })
        assert.deepStrictEqual(shownIds(read), all.slice(0, 5))
        const target = evidenceOf(read).targets.previous_client_appeals
        assert.deepStrictEqual(target, { status: "available", returned: 5, candidates: all.length })
        assert.strictEqual(read.pack.budget.candidates.considered, all.length)
        for (const [index, appeal] of evidenceOf(read).appeals.entries()) {
          assert.deepInclude(appeal, { rank: index + 1, score: null, relation: "previous_client_appeal" })
          assert.deepStrictEqual(appeal.targets, ["previous_client_appeals"])
          assert.isAtMost(appeal.snippets.length, 3)
          assert.isTrue(
            appeal.snippets.every(({ highlights, score }) => highlights.length === 0 && score === null)
          )
        }
      })
    )

    it.effect("snippets are verbatim parts of one message, with highlights in code points", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const read = yield* readAll({
          scope: client,
          targets: ["relevant_appeals"],
          query: "рахунок оплата"
        })
        const snippets = evidenceOf(read).appeals.flatMap((appeal) => appeal.snippets)
        assert.isNotEmpty(snippets)
        for (const { highlights, messageId, score, text } of snippets) {
          const found = yield* selectedCount(
            messageId === null
              ? sql`select count(*)::float8 as count from appeals where kind = 'ticket' and client_id = 501
                    and position(${text} in concat_ws(E'\n', title, description)) > 0`
              : sql`select (position(${text} in text) > 0)::int::float8 as count from appeal_messages where id = ${messageId}`
          )
          assert.strictEqual(found, 1)
          assert.isAtMost(pointsOf(text), SNIPPET_POINTS_MAX)
          if (score !== null) assert.isNotEmpty(highlights)
          for (const [from, to] of highlights) assert.isTrue(0 <= from && from < to && to <= pointsOf(text))
        }
      })
    )

    it.effect("an appeal above 5000 messages has no snippets, a quarantined one is not shown", () =>
      Effect.gen(function* () {
        const read = yield* readAll({ scope: longClient, sections: ["evidence"], topK: 20 })
        const byId = new Map(evidenceOf(read).appeals.map((appeal) => [appeal.appealId, appeal]))
        assert.isFalse(byId.has(9005))
        assert.deepInclude(byId.get(9004), { searchCoverage: "incomplete", snippets: [] })
        assert.isAbove(byId.get(9004)?.messageCount ?? 0, APPEAL_MESSAGES_INDEXED_MAX)
        assert.deepInclude(byId.get(9003), { searchCoverage: "delayed" })
        assert.deepInclude(byId.get(9001), { searchCoverage: "delayed", messageCount: 1_001 })
        assert.deepStrictEqual(read.pack.coverage.reasons, ["appeal_quarantined", "conversation_too_long"])
      })
    )

    it.effect("long and quarantined appeals are reported only within from and to", () =>
      Effect.gen(function* () {
        const read = yield* readAll({ scope: longClient, to: "2001-01-01T00:00:00Z" })
        assert.deepStrictEqual(read.pack.coverage.reasons, [])
        assert.deepStrictEqual(evidenceOf(read).appeals, [])
      })
    )

    it.effect("actions are newest first, filtered by actorTypes, and truncated at their limit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const count = yield* selectedCount(
          sql`select count(*)::float8 as count from client_actions where client_id = 501 and actor_type = 'client'`
        )
        const actionsOf = Effect.fnUntraced(function* (limit: number) {
          const { pack } = yield* readAll({
            scope: client,
            sections: ["actions"],
            actions: { limit, actorTypes: ["client"] }
          })
          if (pack.sections.actions?.status !== "available") throw new Error("no actions")
          return pack.sections.actions
        })
        const some = yield* actionsOf(2)
        assert.strictEqual(some.items.length, 2)
        assert.strictEqual(some.truncated, count > 2)
        assert.isTrue(some.items.every(({ actorType }) => actorType === "client"))
        const all = yield* actionsOf(Math.min(100, count))
        assert.isFalse(all.truncated)
        const times = all.items.map(({ occurredAt }) => occurredAt)
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => b - a)
        )
      })
    )

    it.effect("conversations, interactions and memories show at most 2,000 code points of a text", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ContextStore
        const session = yield* sessionOf("administrator")
        const sessionId = randomUUID()
        const texts = [..."aї語😀"].map((letter) => letter.repeat(SHOWN_TEXT_POINTS_MAX + 1))
        const whole = "є".repeat(SHOWN_TEXT_POINTS_MAX)
        yield* sql`insert into clients (instance_id, id, name) values (1, 900503, 'Ольга')`
        yield* sql`insert into context_sessions (instance_id, id, client_id, status, created_at, message_count)
            values (1, ${sessionId}::uuid, 900503, 'open', now(), 5)`
        for (const [place, text] of [...texts, whole].entries())
          yield* sql`insert into session_messages
                (instance_id, session_id, sequence, id, client_id, role, content, occurred_at, recorded_at)
              values (1, ${sessionId}::uuid, ${place + 1}, ${randomUUID()}::uuid, 900503, 'client', ${text}, now(), now())`
        const opened = yield* store.open(
          session,
          { entity: "client", id: 900503 },
          {
            state: false,
            actions: null,
            properties: false,
            maxResponseBytes: 65_536,
            memories: false,
            conversations: 1,
            interactions: 5,
            group: false,
            leftOut: null,
            from: null,
            to: null
          }
        )
        for (const shown of [
          opened.parts.conversations?.[0]?.messages ?? [],
          opened.parts.interactions ?? []
        ]) {
          assert.lengthOf(shown, 5)
          for (const { cutAfter, text } of shown) {
            assert.strictEqual(pointsOf(text), SHOWN_TEXT_POINTS_MAX)
            assert.strictEqual(cutAfter, text !== whole)
          }
        }
      })
    )

    it.effect("properties show the record's own members with a value first, cited to the record", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into clients (instance_id, id, name, emails, language, tags, updated_at)
          values (1, 900601, 'Ірина', '{iryna@example.com}', 'uk', '{}', '2026-01-02T03:04:05.678Z')`
        const { pack } = yield* readAll({
          scope: { entity: "client", id: 900601 },
          sections: ["properties"]
        })
        const { properties } = pack.sections
        if (properties?.status !== "available") throw new Error("no properties")
        assert.deepStrictEqual(
          Object.entries(properties.values).map(([name, { label, value }]) => [name, label, value]),
          [
            ["name", "Name", "Ірина"],
            ["email", "E-mail", "iryna@example.com"],
            ["language", "Language", "uk"]
          ]
        )
        assert.deepInclude(pack.citations[0], {
          sourceType: "property",
          sourceId: "900601",
          path: "sections.properties.values.name",
          occurredAt: Date.parse("2026-01-02T03:04:05.678Z"),
          url: "/kw/api/v1/clients/900601"
        })
        for (const [entity, id, names] of [
          ["subject", 12, ["name", "alias"]],
          ["operator", 31, ["displayName", "language", "timezone", "status"]],
          ["skill_group", 3, ["name", "active"]]
        ] as const) {
          const read = yield* readAll({ scope: { entity, id }, sections: ["properties"] })
          const shown = read.pack.sections.properties
          if (shown?.status !== "available") throw new Error("no properties")
          const all = Object.keys(shown.values)
          assert.deepStrictEqual(all.slice(0, names.length), [...names])
          assert.deepStrictEqual(all.slice(names.length), all.slice(names.length).toSorted())
        }
      })
    )

    it.effect("a ticket's title and description are its first message, found by words and by time", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into clients (instance_id, id, name) values (1, 900602, 'Сергій')`
        yield* sql`insert into appeals (instance_id, id, kind, client_id, number, title, description, status, status_group, created_at)
          values (1, 900602, 'ticket', 900602, 77, 'Сканер не вмикається', 'Ми змінили кабель і батарею. Щось дивне: бурундуки.', 'new', 'new', now())`
        yield* indexInstance(1)
        const scope = { entity: "client", id: 900602 } as const
        const latest = yield* readAll({ scope, sections: ["evidence"] })
        const found = yield* readAll({ scope, targets: ["relevant_appeals"], query: "бурундуки" })
        for (const read of [latest, found]) {
          const [appeal] = evidenceOf(read).appeals
          assert.deepInclude(appeal, { appealId: 900602, number: 77, title: "Сканер не вмикається" })
          const [snippet] = appeal?.snippets ?? []
          assert.deepInclude(snippet, { messageId: null, authorType: "client" })
          assert.include(snippet?.text, "бурундуки")
          const cited = read.pack.citations.find(({ id }) => id === snippet?.citationIds[0])
          assert.deepInclude(cited, {
            sourceType: "ticket",
            sourceId: "900602",
            appealId: 900602,
            url: "/kw/api/v1/Ticket/900602"
          })
          assert.deepInclude(
            read.pack.citations.find(({ id }) => id === appeal?.citationIds[0]),
            { sourceType: "appeal", sourceId: "900602", url: "/kw/api/v1/Ticket/900602" }
          )
        }
        assert.isNotEmpty(evidenceOf(found).appeals[0]?.snippets[0]?.highlights)
      })
    )

    it.effect("tags and custom fields show their first 1,000 code points, and more of them is reported", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tags = Array.from({ length: 9 }, (_, i) => `${i}`.repeat(198))
        const fields = { 2: "два", 10: "десять", коментар: "є".repeat(980), лист: ["a", { b: null }] }
        yield* sql`insert into clients (instance_id, id, name) values (1, 900604, 'Ганна')`
        yield* sql`insert into appeals (instance_id, id, kind, client_id, number, title, status, status_group, tags, custom_fields)
          values (1, 900604, 'ticket', 900604, 79, 'Список', 'new', 'new', ${tags}, ${JSON.stringify(fields)}::json)`
        yield* indexInstance(1)
        const scope = { entity: "client", id: 900604 } as const
        const [appeal] = evidenceOf(yield* readAll({ scope, sections: ["evidence"] })).appeals
        assert.deepStrictEqual(appeal?.tags, tags.slice(0, 5))
        assert.deepStrictEqual(appeal?.customFields, { 2: "два", 10: "десять" })
        assert.isTrue(appeal?.truncated)
      })
    )

    it.effect("64 namespaces of 64 KiB are chosen by their bytes in the database", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into clients (instance_id, id, name) values (1, 900603, 'Багатий')`
        // Words that are in no encoding are the most expensive to count.
        yield* sql`insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
          select 1, 900603, 'n' || lpad(n::text, 2, '0'), gen_random_uuid(), 1, json_build_object('note',
            (select string_agg(md5(n || '.' || m) || md5(m || ',' || n), ' ') from generate_series(1, 1000) m)), now()
          from generate_series(1, 64) n`
        const scope = { entity: "client", id: 900603 } as const
        const refusal = yield* Effect.flip(readAll({ scope }))
        assert.strictEqual(refusal._tag, "QueryBudgetExceeded")
        if (refusal._tag !== "QueryBudgetExceeded") return
        assert.strictEqual(refusal.errors?.[0]?.path, "sections.state")
        assert.match(
          refusal.errors?.[1]?.message ?? "",
          /^namespace n\d\d takes 6\d{4} bytes, about \d+ tokens$/u
        )
        assert.lengthOf(refusal.errors ?? [], 66)
        yield* sql`delete from client_state where client_id = 900603 and namespace > 'n08'`
        const partial = yield* readAll({ scope, allowPartial: true })
        const { state } = partial.pack.sections
        if (state === undefined || !("namespaces" in state)) throw new Error("no namespaces")
        assert.lengthOf(
          state.namespaces.filter((one) => one.state === null),
          8
        )
        assert.lengthOf(
          partial.pack.coverage.details.filter(
            ({ bytes = 0, namespace }) => namespace !== undefined && bytes > 60_000
          ),
          8
        )
      })
    )

    it.effect("the state of an operator has presence, openAppeals, capacity and skillGroupIds", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const open = yield* selectedCount(
          sql`select count(*)::float8 as count from appeals where operator_id = 31 and status_group <> 'done'`
        )
        const { pack } = yield* readAll({ scope: { entity: "operator", id: 31 } })
        assert.deepInclude(pack.sections.state, {
          status: "available",
          openAppeals: open,
          citationIds: ["c1"]
        })
        assert.deepInclude(pack.citations[0], {
          sourceType: "operator",
          sourceId: "31",
          path: "sections.state",
          url: "/kw/api/v1/users/31"
        })
        assert.isTrue(
          pack.sections.state !== undefined &&
            "skillGroupIds" in pack.sections.state &&
            pack.sections.state.skillGroupIds.includes(3)
        )
      })
    )

    it.effect("the state of a skill group has queueLength and oldestWaitingSince of waiting appeals", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const queue =
          yield* selectedCount(sql`select count(*)::float8 as count from appeals a where a.operator_id is null
          and (a.kind = 'chat' and a.status = 'waiting' or a.kind = 'ticket' and a.status_group in ('new', 'open'))
          and a.subject_id in (select subject_id from skill_group_subjects where skill_group_id = 3)`)
        const { pack } = yield* readAll({ scope: { entity: "skill_group", id: 3 } })
        assert.deepInclude(pack.sections.state, { status: "available", active: true, queueLength: queue })
        assert.deepInclude(pack.citations[0], {
          sourceType: "skill_group",
          sourceId: "3",
          url: "/kw/api/v1/skill-groups/3"
        })
      })
    )

    it.effect("the operator scope uses recorded_participation, the latest appeals without targets", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const latest = yield* selectedIds(
          sql`select id::float8 as id from appeals where 31 = any(operator_ids) order by created_at desc, id desc limit 8`
        )
        const read = yield* readAll({
          scope: { entity: "operator", id: 31 },
          sections: ["evidence"]
        })
        assert.deepStrictEqual(shownIds(read), latest)
        assert.deepStrictEqual(evidenceOf(read).targets, {})
        assert.isTrue(
          evidenceOf(read).appeals.every(
            ({ relation, targets }) => relation === "recorded_participation" && targets.length === 0
          )
        )
      })
    )

    it.effect("the skill group scope shows subject_coverage before member_participation", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows =
          (yield* sql`select id, own, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
            from (select a.id::float8 as id, a.created_at, a.subject_id in (select subject_id from skill_group_subjects
                where instance_id = 1 and skill_group_id = 3) as own, a.operator_ids && array(
                  select user_id from skill_group_members where instance_id = 1 and skill_group_id = 3) as of_members
              from appeals a where a.instance_id = 1) appeal
            where own or of_members order by created_at desc, id desc`) as ReadonlyArray<{
            id: number
            own: boolean
            at: string
          }>
        // Nine appeals before and after the newest appeal that the group sees only through its members.
        const byMember = rows.findIndex(({ own }) => !own)
        const first = Math.max(1, byMember - 9)
        const range = rows.slice(first, byMember + 10)
        const own = range.filter((appeal) => appeal.own)
        const others = range.filter((appeal) => !appeal.own)
        assert.isTrue(own.length > 0 && others.length > 0)
        const read = yield* readAll({
          scope: { entity: "skill_group", id: 3 },
          from: range.at(-1)?.at,
          to: rows[first - 1]?.at,
          topK: 20
        })
        assert.deepStrictEqual(
          evidenceOf(read).appeals.map(({ appealId, relation }) => [appealId, relation]),
          [
            ...own.map(({ id }) => [id, "subject_coverage"]),
            ...others.map(({ id }) => [id, "member_participation"])
          ]
        )
      })
    )

    it.effect("conversations show their latest 10 messages oldest first, interactions newest first", () =>
      Effect.gen(function* () {
        const read = yield* readAll({
          scope: client,
          sections: ["evidence"],
          targets: ["previous_client_conversations", "recent_client_interactions"],
          topK: 5
        })
        const { conversations, interactions, targets } = evidenceOf(read)
        assert.isNotEmpty(conversations)
        for (const { messages } of conversations) {
          assert.isAtMost(messages.length, 10)
          const times = messages.map(({ occurredAt }) => occurredAt)
          assert.deepStrictEqual(
            times,
            times.toSorted((a, b) => a - b)
          )
        }
        const times = interactions.map(({ occurredAt }) => occurredAt)
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => b - a)
        )
        assert.strictEqual(targets.recent_client_interactions?.returned, interactions.length)
        assert.deepStrictEqual(read.pack.coverage.asOf.index, null)
      })
    )

    it.effect("payloads, state and texts of any JSON are returned as they were stored", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const payload = { "🦊": ["ї", "\u2028", { deep: [[null, 1e-7, -0.5, true]] }], "": "порожнє" }
        yield* sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, payload)
          values (1, ${randomUUID()}, 502, 'test.json', 'system', now(), ${JSON.stringify(payload)}::json)`
        const { pack } = yield* readAll({
          scope: longClient,
          sections: ["actions"]
        })
        if (pack.sections.actions?.status !== "available") throw new Error("no actions")
        assert.deepStrictEqual(pack.sections.actions.items[0]?.payload, payload)
      })
    )
  }
)
