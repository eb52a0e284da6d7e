// Sends a valid write as callers that must not make it: a token that lacks only the permission of the route, and an administrator of
// another instance (contract §1.1, §2).
import { assert } from "@effect/vitest"
import { permissions } from "@rapport/contract/Authorization.ts"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { endpointsOf } from "../config/RouterConfig.ts"
import { rowsOf } from "../postgres/sql/Query.ts"
import { member, newInstance, Rest, type RestCaller } from "./RestFixtures.ts"
import { rows } from "./RestMatrix.ts"

const textRows = rowsOf(Schema.Struct({ text: Schema.String }))

/** The endpoint of a path as `RestCaller` takes it. */
export const endpointOf = (method: string, path: string) => {
  const [route = ""] = (path.startsWith("/kw/") ? path : `/kw/api/v1${path}`).split("?")
  const endpoint = endpointsOf(route)?.get(method)
  assert.isDefined(endpoint, `${method} ${path}`)
  return endpoint
}

/** Reads all rows of an instance as one value. Denials and the last use of a token change with every request. */
export const makeSnapshot = Effect.fnUntraced(function* (instanceId: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* textRows.all(sql`select table_name::text as text from information_schema.columns
    where table_schema = current_schema() and column_name = 'instance_id' order by 1`)
  const hashes = tables.map(
    ({ text }) => `select '${text}' || coalesce(sum(hashtextextended(fields::text, 0)), 0) as text
      from (select to_jsonb(t) - 'last_used_at' as fields from ${text} t where instance_id = ${instanceId}) of_instance
      where fields->>'decision' is distinct from 'denied'`
  )
  return textRows.all(sql`${sql.literal(hashes.join(" union all "))}`)
})

/** Whether a member of the body is the id of a record. */
const hasId = (body: object | undefined) => /ids?":\[?\d/iu.test(JSON.stringify(body ?? {}))

/** Sends a write of `admin` as both callers: their answers are the contract's, and no row of the instance changes. */
export const makeRefusedWrite = Effect.fnUntraced(function* (admin: RestCaller) {
  const rest = yield* Rest
  const { admin: foreigner } = yield* newInstance
  const snapshot = yield* makeSnapshot(admin.instanceId)
  return Effect.fnUntraced(function* (method: string, path: string, body?: object) {
    const { identifier, path: route } = endpointOf(method, path)
    const row = rows[identifier]
    assert.isDefined(row, `${identifier} has no row in RestMatrix`)
    const send = Effect.fnUntraced(function* (who: RestCaller) {
      const answer = yield* who.call(method, path, body, { "idempotency-key": randomUUID() })
      return { answer, what: `${identifier}: ${answer.status} ${answer.text}` }
    })
    const others = permissions.filter((permission) => !row.needs.includes(permission))
    const token = yield* rest.token(admin, others)
    const before = yield* snapshot

    assert.isNotEmpty(row.needs, `${identifier} needs no permission`)
    const denied = yield* send(token)
    assert.strictEqual(denied.answer.status, 403, denied.what)
    assert.strictEqual(denied.answer.body.code, "ACCESS_DENIED", denied.what)
    for (const permission of row.needs) assert.include(denied.answer.body.detail, permission, denied.what)

    const namesRecord = route.includes(":") || hasId(body)
    // A create without an id makes a record of the other instance. Any other write without one changes only that instance.
    if (namesRecord || method !== "POST") {
      const { answer, what } = yield* send(foreigner)
      const refused = row.unseen ?? (row.kind === null ? 400 : 404)
      if (namesRecord) assert.strictEqual(answer.status, refused, what)
      else assert.isBelow(answer.status, 300, what)
      if (answer.status === 400) {
        const messages = new Set(answer.body.errors.map(member("message")))
        assert.deepStrictEqual([...messages], ["names no record that you may use"], what)
      }
      // A bulk change and an import refuse each item.
      const items = answer.body.results ?? answer.body.batch?.items ?? [answer.body]
      assert.isNotEmpty(items, what)
      for (const { code, error } of items)
        if (namesRecord) assert.include(["INVALID_REQUEST", "NOT_FOUND"], error?.code ?? code, what)
    }
    assert.deepStrictEqual(yield* snapshot, before, identifier)
  })
})
