// At every start, encrypts secrets with the newest key that were stored without a seal or with an older key (docs/operations.md,
// "Changing keys").
import { Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ConnectorSeal, SEALED_PREFIX, type SealedPlace } from "../../access/ConnectorSeal.ts"
import { rowsOf, selectedCount } from "../sql/Query.ts"

const CONNECTORS_BATCH = 500

const rows = rowsOf(
  Schema.Struct({
    instanceId: Schema.Int,
    botId: Schema.Int,
    channel: Schema.String,
    secret: Schema.NullOr(Schema.String),
    previousSecret: Schema.NullOr(Schema.String),
    token: Schema.NullOr(Schema.String)
  })
)
type Row = Effect.Success<ReturnType<typeof rows.get>>

/** Skips secrets that are changed at the same time, because their writer seals them. */
export const sealConnectors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* ConnectorSeal
  const reseal = (row: Row, member: SealedPlace["member"]): string | null => {
    const stored = row[member]
    if (stored === null || seal.isCurrent(stored)) return stored
    const opened = seal.open({ ...row, member }, stored)
    return opened === undefined ? stored : seal.seal({ ...row, member }, opened)
  }
  let unreadable = 0
  let after: Pick<Row, "instanceId" | "botId" | "channel"> = { instanceId: 0, botId: 0, channel: "" }
  for (;;) {
    const found: ReadonlyArray<Row> = yield* rows.all(sql`select instance_id::float8 as "instanceId",
        bot_id::float8 as "botId", channel, secret, previous_secret as "previousSecret", token
      from bot_connectors where (instance_id, bot_id, channel)
        > (${after.instanceId}::int8, ${after.botId}::int8, ${after.channel}::text collate "C")
      order by instance_id, bot_id, channel collate "C" limit ${CONNECTORS_BATCH}`)
    for (const row of found) {
      const secret = reseal(row, "secret")
      const previousSecret = reseal(row, "previousSecret")
      const token = reseal(row, "token")
      unreadable += [secret, previousSecret, token].filter(
        (one) => one !== null && !seal.isCurrent(one)
      ).length
      if (secret === row.secret && previousSecret === row.previousSecret && token === row.token) continue
      yield* sql`update bot_connectors set secret = ${secret}, previous_secret = ${previousSecret}, token = ${token}
        where instance_id = ${row.instanceId} and bot_id = ${row.botId} and channel = ${row.channel}
          and secret is not distinct from ${row.secret}
          and previous_secret is not distinct from ${row.previousSecret} and token is not distinct from ${row.token}`
    }
    const last = found.at(-1)
    if (last === undefined || found.length < CONNECTORS_BATCH) break
    after = last
  }
  if (unreadable > 0)
    yield* Effect.logError(
      `${unreadable} secrets of connectors are sealed with a key that is missing in RAPPORT_TOKEN_KEYS: add the key, or set new secrets`
    )
})

/** Counts connectors whose secret or token is sealed with another key, so that they neither send nor receive. */
export const countUnreadable = (keyIds: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    selectedCount(sql`select count(*)::float8 as count from bot_connectors where exists (
      select 1 from unnest(array[secret, previous_secret, token]) stored where starts_with(stored, ${SEALED_PREFIX})
        and split_part(substr(stored, length(${SEALED_PREFIX}) + 1), '.', 1) <> all(${keyIds}::text[]))`)
  )

/** The valid secrets, the newest first; undefined if no key opens the newest. */
export const openSecrets = (
  seal: (typeof ConnectorSeal)["Service"],
  place: Omit<SealedPlace, "member">,
  { previousSecret, secret }: { readonly secret: string; readonly previousSecret: string | null }
): ReadonlyArray<Redacted.Redacted> | undefined => {
  const newest = seal.open({ ...place, member: "secret" }, secret)
  const previous =
    previousSecret === null ? undefined : seal.open({ ...place, member: "previousSecret" }, previousSecret)
  if (newest === undefined) return undefined
  return previous === undefined ? [newest] : [newest, previous]
}
