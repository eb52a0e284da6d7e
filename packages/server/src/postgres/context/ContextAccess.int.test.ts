// Access to context reads, and access that changes during a read, on a real PostgreSQL (contract §2, §3.3).
import { assert, layer } from "@effect/vitest"
import { recordMembers } from "@rapport/contract/directory/PropertiesApi.ts"
import { type AuthorizedSession, permissions } from "@rapport/contract/Authorization.ts"
import { admits, appealVisibilityOf } from "@rapport/core/search/EvidenceFilter.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { ContextStore } from "@rapport/core/context/read/ContextStore.ts"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import {
  ContextFixtures,
  documentsOf,
  indexInstance,
  logins,
  readPack,
  sessionOf
} from "../../testing/ContextFixtures.ts"
import { insertUser, newSessionOf } from "../../testing/StoreFixtures.ts"
import { selectedIds } from "../sql/Query.ts"
import { appealVisible, callerOf } from "../sql/Visibility.ts"

const client = { entity: "client", id: 501 } as const
/** An external token with this list of permissions, created by the user or, to act as the user, by an administrator. */
const tokenOf = Effect.fnUntraced(function* (
  user: AuthorizedSession,
  list: ReadonlyArray<string>,
  maker: AuthorizedSession = user
) {
  const sql = yield* SqlClient.SqlClient
  const [tokenId = 0] =
    yield* selectedIds(sql`insert into external_tokens (instance_id, user_id, acts_as, name, prefix, hash, permissions)
    values (${maker.instanceId}, ${maker.userId}, ${maker === user ? null : user.userId}, 't', 't', ${Buffer.from(randomUUID())}, ${[...list]}) returning id::float8 as id`)
  return {
    ...user,
    sessionId: null,
    tokenId,
    seesAsUser: maker !== user,
    permissions: new Set(permissions.filter((permission) => list.includes(permission)))
  } satisfies AuthorizedSession
})

/** A reader with a change between its reads and their confirmation. */
const withChange = <E>(change: Effect.Effect<unknown, E, SqlClient.SqlClient>) =>
  Effect.provide(
    ContextReader.layer.pipe(
      Layer.provide(
        Layer.effect(
          ContextStore,
          Effect.gen(function* () {
            const store = yield* ContextStore
            const sql = yield* SqlClient.SqlClient
            return ContextStore.of({
              ...store,
              confirm: (request) =>
                Effect.andThen(
                  Effect.orDie(Effect.provideService(change, SqlClient.SqlClient, sql)),
                  store.confirm(request)
                )
            })
          })
        )
      )
    ),
    { local: true }
  )

/** A session of a new operator, who has one chat of the client and sees others through groups. */
const newOperator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const id = yield* insertUser(1, ["operator"])
  yield* sql`insert into skill_group_members (instance_id, skill_group_id, user_id)
    select instance_id, skill_group_id, ${id}::int8 from skill_group_members where user_id = 31`
  yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group, operator_id, operator_ids)
    values (1, 'chat', ${client.id}, 'active', 'open', ${id}, ${[id]}::int8[])`
  yield* indexInstance(1)
  return yield* newSessionOf(1, id)
})

/** Statements that revoke access of the operator `$user` with the session `$session` during the read. */
const revocations = {
  "the session is revoked": "update refresh_families set revoked_at = now() where id = '$session'",
  "the user is blocked": "update users set status = 'blocked' where id = $user",
  "the role is removed": "update users set roles = '{analyst}' where id = $user",
  "the groups are left": "delete from skill_group_members where user_id = $user",
  "an appeal becomes hidden":
    "update appeals set operator_ids = '{}', operator_id = null where operator_id = $user",
  // The last one, because it concerns every operator.
  "a property becomes hidden":
    "update property_definitions set visible_to = '{analyst}' where entity = 'client' and visible_to = '{}'"
}

layer(ContextFixtures.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "Access of a context read (contract §2, §3.3)",
  (it) => {
    it.effect.each(logins)(
      "the search filter admits exactly the appeals that are visible in SQL to %s",
      (login) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* sessionOf(login)
          const acting = yield* tokenOf(session, ["context.read"], yield* sessionOf("administrator"))
          for (const caller of [session, acting, yield* tokenOf(session, ["context.read"])]) {
            const visible =
              yield* selectedIds(sql`with ${callerOf(caller)} select a.id::float8 as id from appeals a, caller u
              where a.instance_id = u.instance_id and ${appealVisible}
                and a.id not in (select key from quarantine) order by a.id`)
            const admitted = (yield* documentsOf(1))
              .filter(admits(appealVisibilityOf(caller)))
              .map(({ documentId }) => documentId)
            assert.deepStrictEqual(
              admitted.toSorted((a, b) => a - b),
              visible
            )
          }
        })
    )

    it.effect("operators may read their own context", () =>
      Effect.flatMap(sessionOf("operator"), (operator) =>
        readPack(operator, { scope: { entity: "operator", id: operator.userId } })
      )
    )

    it.effect.each(["operator", "light_agent", "supervisor", "qa_specialist"] as const)(
      "hidden appeals are missing from everything that %s reads, and are not counted",
      (login) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* sessionOf(login)
          const visible = new Set(
            yield* selectedIds(sql`with ${callerOf(session)} select a.id::float8 as id from appeals a, caller u
              where a.instance_id = u.instance_id and a.client_id = 501 and ${appealVisible}`)
          )
          const all = yield* selectedIds(sql`select id::float8 as id from appeals where client_id = 501`)
          assert.isBelow(visible.size, all.length)
          const named = new Set(
            (yield* Effect.forEach(
              all.filter((id) => !visible.has(id)),
              (appealId) => {
                const id = randomUUID()
                return Effect.as(
                  sql`insert into client_actions (instance_id, id, client_id, type, actor_type, occurred_at, appeal_id, summary)
                  values (1, ${id}, 501, 'test.hidden', 'system', now(), ${appealId}, 'hidden')`,
                  id
                )
              }
            )).slice()
          )
          const { pack, text } = yield* readPack(session, {
            scope: client,
            targets: [
              "previous_client_appeals",
              "relevant_appeals",
              "previous_client_conversations",
              "recent_client_interactions"
            ],
            query: "рахунок інтернет invoice",
            actions: { limit: 100 },
            topK: 20,
            maxResponseBytes: 262_144
          })
          for (const appeal of pack.sections.evidence?.appeals ?? [])
            assert.isTrue(visible.has(appeal.appealId))
          assert.isAtMost(pack.budget.candidates.considered, visible.size)
          for (const id of named) assert.notInclude(text, id)
        })
    )

    it.effect("properties in a pack are shown only to holders of a role in visibleTo", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const namesOf = Effect.fnUntraced(function* (session: AuthorizedSession) {
          const { pack } = yield* readPack(session, { scope: client, sections: ["properties"] })
          return pack.sections.properties?.status === "available"
            ? Object.keys(pack.sections.properties.values).filter((name) => !(name in recordMembers.client))
            : []
        })
        const open = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))(
          yield* sql`select d.name from property_values v join property_definitions d on d.id = v.definition_id
            where v.entity = 'client' and v.entity_id = 501 and d.visible_to = '{}' order by d.name collate "C"`
        ).map(({ name }) => name)
        const administrator = yield* sessionOf("administrator")
        assert.deepStrictEqual(yield* namesOf(yield* tokenOf(administrator, ["context.read"])), open)
        const operator = yield* namesOf(yield* sessionOf("operator"))
        const everything = new Set([
          ...(yield* namesOf(administrator)),
          ...(yield* namesOf(yield* sessionOf("supervisor"))),
          ...operator
        ])
        assert.isAbove(everything.size, open.length)
        assert.isBelow(operator.length, everything.size)
      })
    )

    it.effect("url in a pack is null where the caller lacks the permission of the route", () =>
      Effect.gen(function* () {
        const token = yield* tokenOf(yield* sessionOf("administrator"), ["context.read"])
        const { pack } = yield* readPack(token, {
          scope: client,
          sections: ["state", "properties", "evidence"],
          topK: 2
        })
        for (const { sourceType, url } of pack.citations) {
          // A property has its own route, a member of the record that of the record.
          const open = sourceType === "state" || (url?.endsWith("/properties") ?? false)
          assert.strictEqual(url === null, !open, `${sourceType} ${url}`)
        }
        const operator = yield* readPack(token, { scope: { entity: "operator", id: 31 } })
        assert.deepInclude(operator.pack.citations[0], { sourceType: "operator", url: null })
      })
    )

    it.effect(
      "operators have names and tickets custom fields only for callers who may open the chat or ticket",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const administrator = yield* sessionOf("administrator")
          yield* sql`insert into clients (instance_id, id, name) values (1, 900901, 'Łukasz')`
          yield* sql`insert into appeals (instance_id, id, kind, client_id, number, title, status, status_group, operator_ids,
              priority, tags, custom_fields)
            values (1, 900901, 'ticket', 900901, 901, 'Возврат', 'new', 'new', '{31}', 'urgent', '{refund}',
              '{"order":10245,"empty":"","none":null}'),
            (1, 900902, 'chat', 900901, null, null, 'waiting', 'open', '{32}', 'normal', '{}', '{}')`
          yield* indexInstance(1)
          const request = { scope: { entity: "client", id: 900901 }, sections: ["evidence"] }
          const shownTo = Effect.fnUntraced(function* (session: AuthorizedSession) {
            const { evidence } = (yield* readPack(session, request)).pack.sections
            const labels = (evidence?.appeals ?? []).map(({ customFields, priority, tags }) => ({
              customFields,
              priority,
              tags
            }))
            return { labels, names: evidence?.operators ?? [] }
          })
          const nameOf = (id: number) =>
            Effect.map(
              sql`select concat_ws(' ', first_name, last_name) as name from users where id = ${id}`,
              ([row]) => ({ id, name: String(row?.["name"]) })
            )
          const names = [yield* nameOf(31), yield* nameOf(32)]
          const chat = { customFields: undefined, priority: undefined, tags: undefined }
          const ticket = { customFields: { order: 10245 }, priority: "urgent" as const, tags: ["refund"] }
          assert.deepStrictEqual(yield* shownTo(administrator), { labels: [chat, ticket], names })

          const reads = (...list: ReadonlyArray<string>) => tokenOf(administrator, ["context.read", ...list])
          const hidden = { ...ticket, customFields: undefined }
          assert.deepStrictEqual(yield* shownTo(yield* reads()), { labels: [chat, hidden], names: [] })
          assert.deepStrictEqual(yield* shownTo(yield* reads("chats.read")), {
            labels: [chat, hidden],
            names: names.slice(1)
          })
          assert.deepStrictEqual(yield* shownTo(yield* reads("tickets.read")), {
            labels: [chat, ticket],
            names: names.slice(0, 1)
          })

          const token = yield* reads("chats.read", "tickets.read")
          const narrowed = sql`update external_tokens set permissions = '{context.read}' where id = ${token.tokenId}`
          const error = yield* Effect.flip(readPack(token, request).pipe(withChange(narrowed)))
          assert.strictEqual(error.code, "ACCESS_DENIED")
        })
    )

    it.effect("PostgreSQL checks again what the index still shows as visible, and the search continues", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const session = yield* sessionOf("administrator")
        const latest = yield* selectedIds(
          sql`select id::float8 as id from appeals where subject_id = 12 order by created_at desc, id desc limit 30`
        )
        yield* sql`update appeals set subject_id = 11 where id = any(${latest.slice(0, 20)}::int8[])`
        const { pack } = yield* readPack(session, {
          scope: { entity: "subject", id: 12 },
          sections: ["evidence"],
          topK: 3,
          candidateLimit: 5
        })
        assert.deepStrictEqual(
          pack.sections.evidence?.appeals.map(({ appealId }) => appealId),
          latest.slice(20, 23)
        )
        yield* sql`update appeals set subject_id = 12 where id = any(${latest.slice(0, 20)}::int8[])`
      })
    )

    it.effect.each(Object.entries(revocations))(
      "access that changed during the request is 403 when %s",
      ([, revocation]) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* newOperator
          const statement = revocation
            .replace("$session", session.sessionId ?? "")
            .replace("$user", String(session.userId))
          const request = { scope: client, targets: ["previous_client_appeals"], topK: 20 }
          yield* readPack(session, request)
          const error = yield* Effect.flip(readPack(session, request).pipe(withChange(sql.unsafe(statement))))
          assert.strictEqual(error.code, "ACCESS_DENIED")
        })
    )

    it.effect(
      "a conversation that is hidden during the request is 403, because its words are the query",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* sessionOf("operator")
          const [appealId = 0] =
            yield* selectedIds(sql`select id::float8 as id from appeals where instance_id = 1 and operator_id = ${session.userId}
            and client_id <> 501 and kind = 'chat' order by id limit 1`)
          // The pack shows nothing else of the appeal.
          const request = {
            scope: client,
            targets: ["previous_client_conversations"],
            conversation: { appealId }
          }
          yield* sql`update appeals set client_id = 501 where id = ${appealId}`
          const { pack } = yield* readPack(session, request)
          assert.isDefined(pack.sections.evidence?.query)
          const hide = sql`update appeals set operator_id = 33, operator_ids = '{33}', author_id = null, subject_id = null where id = ${appealId}`
          const error = yield* Effect.flip(readPack(session, request).pipe(withChange(hide)))
          assert.strictEqual(error.code, "ACCESS_DENIED")
        })
    )

    it.effect.each([
      ["nothing changed", "select 1"],
      ["an unrelated record changed", "update clients set name = name where id = 502"]
    ] as const)("a change that removes no access confirms the pack: %s", ([, change]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const session = yield* sessionOf("operator")
        yield* readPack(session, { scope: client, targets: ["previous_client_appeals"] }).pipe(
          withChange(sql.unsafe(change))
        )
      })
    )
  }
)
