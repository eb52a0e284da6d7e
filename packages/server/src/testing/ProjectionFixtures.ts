// Instances with a client and appeals in a real PostgreSQL, and the evidence index that follows them.
import { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import { type DocumentQuery, everyDocument } from "@rapport/core/search/DocumentIndex.ts"
import { Clock, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { insertedId } from "../postgres/sql/Query.ts"
import { embeddedSearchLayer } from "./SearchLayers.ts"
import { EvidenceProjector } from "../projection/ProjectorLayers.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { insertInstance } from "./StoreFixtures.ts"

/** The index of one process in a temporary folder. */
export const followingAnywhere = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => embeddedSearchLayer(folder))
)

export interface World {
  readonly instanceId: number
  readonly clientId: number
}

/** An instance with one client. */
export const newWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const instanceId = yield* insertInstance
  const clientId = yield* insertedId(
    sql`insert into clients (instance_id, name) values (${instanceId}, 'Olena') returning id::float8 as id`
  )
  return { instanceId, clientId } satisfies World
})

/** Writes a closed chat of the client with these messages in one transaction. Returns its id. */
export const addAppeal = Effect.fnUntraced(function* (
  { clientId, instanceId }: World,
  texts: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const id =
        yield* insertedId(sql`insert into appeals (instance_id, kind, client_id, status, status_group, message_count)
          values (${instanceId}, 'chat', ${clientId}, 'closed', 'done', ${texts.length}::int4) returning id::float8 as id`)
      yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
        select ${instanceId}, ${id}, n, 'client', t, now()
        from unnest(${[...texts]}::text[]) with ordinality as m (t, n)`
      return id
    })
  )
})

/** One more message of an appeal. */
export const addMessage = Effect.fnUntraced(function* (
  { instanceId }: World,
  appealId: number,
  text: string
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`update appeals set message_count = message_count + 1
        where instance_id = ${instanceId} and id = ${appealId}`
      yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
        select ${instanceId}, ${appealId}, message_count, 'client', ${text}, now() from appeals
        where instance_id = ${instanceId} and id = ${appealId}`
    })
  )
})

/** An appeal with more messages than are indexed. */
export const addLongAppeal = (world: World) =>
  addAppeal(
    world,
    Array.from({ length: APPEAL_MESSAGES_INDEXED_MAX + 1 }, () => "refund")
  )

/** Ids of the client's appeals that the index returns now. */
export const search = Effect.fnUntraced(function* (
  { clientId, instanceId }: World,
  query: string | null,
  over: Partial<DocumentQuery> = {}
) {
  const index = yield* AppealIndex
  const { candidates } = yield* index.search({
    instanceId,
    scope: { _tag: "Client", clientId },
    visibility: everyDocument,
    query,
    from: null,
    to: null,
    limit: 20,
    passagesPerDocument: 3,
    deadline: (yield* Clock.currentTimeMillis) + 5_000,
    ...over
  })
  return candidates.map((one) => one.documentId)
})

/**
 * Repeats the effect until its answer is the wanted one. Fails with the last answer after three minutes, so that no test hangs.
 * A minute of requests is less than a caller may send.
 */
export const eventually = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  wanted: (answer: A) => boolean
): Effect.Effect<A, E | Error, R> =>
  effect.pipe(
    Effect.flatMap((answer) =>
      wanted(answer) ? Effect.succeed(answer) : Effect.fail(new Error(`still ${JSON.stringify(answer)}`))
    ),
    Effect.retry({ schedule: Schedule.spaced("125 millis"), times: 1_440 })
  )

/** Waits until everything committed so far is indexed. */
export const caughtUp = Effect.flatMap(EvidenceProjector, (projector) =>
  projector.caughtUp(() => Effect.void)
)
