// Instances with a client and appeals in a real PostgreSQL, and the evidence index that follows them.
import { AppealIndex } from "@rapport/core/appeals/AppealIndex.ts"
import { APPEAL_MESSAGES_INDEXED_MAX } from "@rapport/contract/Limits.ts"
import { type DocumentQuery, everyDocument } from "@rapport/core/search/DocumentIndex.ts"
import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { embeddedSearchLayer } from "./SearchLayers.ts"
import { EvidenceProjector } from "../projection/ProjectorLayers.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"

/** The index of one process in a folder that goes with the scope. */
export const followingAnywhere = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => embeddedSearchLayer(folder))
)

const decodeId = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ id: Schema.Finite })]))
const idOf = (rows: unknown) => Effect.map(Effect.orDie(decodeId(rows)), ([{ id }]) => id)

export interface World {
  readonly instanceId: number
  readonly clientId: number
}

/** An instance with one client. */
export const newWorld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const instanceId = yield* idOf(
    yield* sql`insert into instances (name) values ('test') returning id::float8 as id`
  )
  const clientId = yield* idOf(
    yield* sql`insert into clients (instance_id, name) values (${instanceId}, 'Olena') returning id::float8 as id`
  )
  return { instanceId, clientId } satisfies World
})

/** A closed chat of the client with these messages, written in one transaction; gives its id. */
export const addAppeal = Effect.fnUntraced(function* (
  { clientId, instanceId }: World,
  texts: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const id = yield* idOf(
        yield* sql`insert into appeals (instance_id, kind, client_id, status, status_group, message_count)
          values (${instanceId}, 'chat', ${clientId}, 'closed', 'done', ${texts.length}::int4) returning id::float8 as id`
      )
      yield* insertTexts(instanceId, id, 0, texts)
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

const insertTexts = Effect.fnUntraced(function* (
  instanceId: number,
  appealId: number,
  after: number,
  texts: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into appeal_messages (instance_id, appeal_id, sequence, author_type, text, occurred_at)
    select ${instanceId}, ${appealId}, ${after}::int4 + n, 'client', t, now()
    from unnest(${[...texts]}::text[]) with ordinality as m (t, n)`
})

/** An appeal with more messages than are indexed. */
export const addLongAppeal = (world: World) =>
  addAppeal(
    world,
    Array.from({ length: APPEAL_MESSAGES_INDEXED_MAX + 1 }, () => "refund")
  )

/** Appeals of the client, as the index has them now. */
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

/** Asks until the answer is the wanted one; fails with the last answer after `seconds`. */
export const eventually = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  wanted: (answer: A) => boolean,
  seconds = 5
): Effect.Effect<A, E | Error, R> =>
  effect.pipe(
    Effect.flatMap((answer) =>
      wanted(answer) ? Effect.succeed(answer) : Effect.fail(new Error(`still ${JSON.stringify(answer)}`))
    ),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: seconds * 50 })
  )

/** Everything committed so far is searchable. */
export const caughtUp = Effect.flatMap(EvidenceProjector, (projector) =>
  projector.caughtUp(() => Effect.void)
)
