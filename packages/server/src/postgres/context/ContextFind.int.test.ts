// A context read that names its entity by a key instead of an id, on a real PostgreSQL (contract §3.1, "The entity").
import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { markErased } from "../clients/ClientErasurePostgres.ts"
import { writeContacts } from "../clients/ClientContacts.ts"
import { moveClient } from "../clients/ClientMerge.ts"
import { selectedIds } from "../sql/Query.ts"
import { Audited, ContextFixtures, logins, readPack, sessionOf } from "../../testing/ContextFixtures.ts"

const decodeClients = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Int, instanceId: Schema.Int }))
)

/** The observable result of a read: the pack, or the members of the error. */
const outcome = (session: AuthorizedSession, scope: object) =>
  Effect.match(readPack(session, { scope, sections: ["properties"] }), {
    onSuccess: ({ pack }) => ({ id: pack.scope.id, packHash: pack.packHash }),
    onFailure: (error) => ({ ...error })
  })
const scopeIdOf = (session: AuthorizedSession, scope: object) =>
  Effect.map(readPack(session, { scope, sections: ["properties"] }), ({ pack }) => pack.scope.id)
const refusalOf = (session: AuthorizedSession, scope: object) =>
  Effect.flip(readPack(session, { scope, sections: ["properties"] }))

interface NewClient {
  readonly name: string
  readonly phone?: string
  readonly email?: string
  readonly externalId?: string
  readonly instanceId?: number
}
const newClient = Effect.fnUntraced(function* (client: NewClient) {
  const sql = yield* SqlClient.SqlClient
  const [id = 0] = yield* selectedIds(sql`insert into clients (instance_id, name, external_id)
      values (${client.instanceId ?? 1}, ${client.name}, ${client.externalId ?? null}) returning id::float8 as id`)
  yield* writeContacts(sql, client.instanceId ?? 1, id, {
    phones: client.phone === undefined ? [] : [client.phone],
    emails: client.email === undefined ? [] : [client.email]
  })
  return id
})

/** Keys of different kinds, each shared by a few clients of both instances, some of which a caller sees. */
const sharedKeys = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const clients = decodeClients(
    yield* sql`(select c.id::float8 as id, 1 as "instanceId" from clients c where c.instance_id = 1 and c.merged_into_id is null order by c.id limit 60)
      union all (select c.id::float8, 2 from clients c where c.instance_id = 2 and c.merged_into_id is null order by c.id limit 12)`
  )
  for (const { id, instanceId } of clients)
    yield* writeContacts(sql, instanceId, id, {
      phones: [`+380 67 555-01-${10 + (id % 16)}`],
      emails: [`Пошта${id % 16}@example.com`]
    })
  const groups = Map.groupBy(clients, ({ id }) => id % 16)
  return [...groups].flatMap(([key, found]) => {
    const ids = found.map(({ id }) => id)
    return [
      { ids, scope: { entity: "client", phone: `067 55501${10 + key}` } },
      { ids, scope: { entity: "client", email: `пошта${key}@EXAMPLE.com` } }
    ]
  })
})

layer(ContextFixtures.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "A context read by a key (contract §3.1)",
  (it) => {
    it.effect.each([...logins, "other.administrator"])(
      "a read by a key shows %s only clients that they may open by id",
      (login) =>
        Effect.gen(function* () {
          const session = yield* sessionOf(login)
          const keys = yield* sharedKeys()
          const byId = new Map<number, object>()
          for (const id of new Set(keys.flatMap(({ ids }) => ids)))
            byId.set(id, yield* outcome(session, { entity: "client", id }))
          const unknown = yield* outcome(session, { entity: "client", id: 999_999_999 })
          for (const { ids, scope } of keys) {
            const found = yield* outcome(session, scope)
            const visible = ids.filter((id) => "packHash" in (byId.get(id) ?? {})).toSorted((a, b) => a - b)
            if (visible.length === 0) assert.deepStrictEqual(found, unknown)
            if (visible.length === 1) assert.deepStrictEqual(found, byId.get(visible[0] ?? 0))
            if (visible.length > 1) {
              const {
                code,
                ids: matches,
                status,
                ...more
              } = { ids: null, code: null, status: null, ...found }
              assert.deepStrictEqual([code, status, matches], ["AMBIGUOUS", 409, visible])
              assert.notInclude(JSON.stringify(more), "555")
            }
          }
        })
    )

    it.effect("e-mails are compared without case, external ids and identities exactly", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const session = yield* sessionOf("administrator")
        const id = yield* newClient({ name: "Їжак", email: "Олена@Приклад.укр", externalId: "КРМ-Ї1" })
        yield* sql`insert into client_identities (instance_id, channel, chat_id, client_id)
          values (1, 'telegram', '380Ab', ${id})`
        for (const key of [
          { email: "оЛЕНА@приклад.УКР" },
          { externalId: "КРМ-Ї1" },
          { externalId: "КРМ-Ї1".normalize("NFD") },
          { identity: { channel: "telegram", chatId: "380Ab" } }
        ])
          assert.strictEqual(yield* scopeIdOf(session, { entity: "client", ...key }), id)
        for (const key of [
          { email: "олен@приклад.укр" },
          { externalId: "крм-ї1" },
          { identity: { channel: "telegram", chatId: "380ab" } },
          { identity: { channel: "viber", chatId: "380Ab" } }
        ])
          assert.strictEqual((yield* refusalOf(session, { entity: "client", ...key })).code, "ACCESS_DENIED")
      })
    )

    it.effect(
      "names are compared without case, of a subject also its alias, of an operator in either order",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const session = yield* sessionOf("administrator")
          const [subject] = yield* selectedIds(
            sql`insert into subjects (instance_id, name, alias) values (1, 'Зв’язок і Інтернет', 'net-їжак') returning id::float8 as id`
          )
          const [group] = yield* selectedIds(
            sql`insert into skill_groups (instance_id, name) values (1, 'Вторая Линия') returning id::float8 as id`
          )
          const [operator] =
            yield* selectedIds(sql`insert into users (instance_id, login, first_name, last_name, roles, status)
            values (1, 'D.Single', 'Дар’я', 'Єдина', '{operator}', 'active') returning id::float8 as id`)
          for (const [scope, expected] of [
            [{ entity: "subject", name: "зв'язок і інтернет" }, subject],
            [{ entity: "subject", name: "NET-ЇЖАК" }, subject],
            [{ entity: "skill_group", name: "вторая линия" }, group],
            [{ entity: "operator", name: "дар'я єдина" }, operator],
            [{ entity: "operator", name: "Єдина Дар’я" }, operator],
            [{ entity: "operator", login: " d.single " }, operator]
          ] as const)
            assert.strictEqual(yield* scopeIdOf(session, scope), expected)
          const other = yield* sessionOf("other.administrator")
          const colleague = yield* sessionOf("light_agent")
          for (const scope of [
            { entity: "subject", name: "NET-ЇЖАК" },
            { entity: "skill_group", name: "Вторая Линия" },
            { entity: "operator", login: "d.single" },
            { entity: "operator", name: "Дар’я Єдина" }
          ])
            for (const caller of [other, colleague])
              assert.deepStrictEqual(
                yield* outcome(caller, scope),
                yield* outcome(caller, { entity: scope.entity, id: 999_999_999 })
              )
        })
    )

    it.effect("a merged client is found as its survivor, and an erased client is not found", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const session = yield* sessionOf("administrator")
        const survivor = yield* newClient({ name: "Одна", phone: "+380501010101" })
        const merged = { phones: ["+380502020202"], emails: ["one@example.com"] }
        yield* moveClient(sql, 1, yield* newClient({ name: "Одна", phone: "+380502020202" }), survivor)
        yield* writeContacts(sql, 1, survivor, { ...merged, phones: ["+380501010101", ...merged.phones] })
        for (const key of [{ phone: "0502020202" }, { email: "ONE@example.com" }])
          assert.strictEqual(yield* scopeIdOf(session, { entity: "client", ...key }), survivor)
        yield* markErased(sql, { id: survivor, ids: [survivor], instanceId: 1 }, "[erased]")
        const { code } = yield* refusalOf(session, { entity: "client", phone: "0501010101" })
        assert.strictEqual(code, "ACCESS_DENIED")
      })
    )

    it.effect("at most 10 of many matches are named, the lowest ids", () =>
      Effect.gen(function* () {
        const session = yield* sessionOf("administrator")
        const ids: Array<number> = []
        for (let n = 0; n < 12; n++)
          ids.push(yield* newClient({ name: "Family", email: "family@example.com" }))
        const found = yield* outcome(session, { entity: "client", email: "family@example.com" })
        assert.deepInclude(found, { code: "AMBIGUOUS", ids: ids.slice(0, 10) })
      })
    )

    it.effect("the audit log names the entity that was found, never its key", () =>
      Effect.gen(function* () {
        const audited = yield* Audited
        const session = yield* sessionOf("administrator")
        const id = yield* newClient({ name: "Журнал", phone: "+380503030303" })
        audited.length = 0
        yield* scopeIdOf(session, { entity: "client", phone: "0503030303" })
        yield* refusalOf(session, { entity: "client", phone: "0503030304" })
        assert.deepStrictEqual(
          audited.map(({ decision, details, entityId }) => [decision, entityId, details]),
          [
            ["allowed", String(id), {}],
            ["denied", null, {}]
          ]
        )
      })
    )
  }
)
