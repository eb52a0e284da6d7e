// Copies of the demo client that is read: a real load reads many clients, not one again and again.
import { Effect } from "effect"
import { Client } from "pg"
import type { Database } from "../peers/Postgres.ts"

/** The most clients that a run reads alternately. */
const CLIENTS = 2_000
const FIRST_ID = 900_000
const MODEL_ID = 501

/** Only in PostgreSQL and without triggers, because the compared reads do not use the search index. */
const copies = `begin;
  set local session_replication_role = replica;
  insert into clients (instance_id, id, name, emails, phones, language, tags)
    select instance_id, ${FIRST_ID} + n, name || ' ' || n, emails, phones, language, tags
    from clients, generate_series(0, ${CLIENTS - 1}) n where instance_id = 1 and id = ${MODEL_ID};
  insert into client_state (instance_id, client_id, namespace, id, version, state, updated_at)
    select instance_id, ${FIRST_ID} + n, namespace, gen_random_uuid(), version, state, updated_at
    from client_state, generate_series(0, ${CLIENTS - 1}) n where instance_id = 1 and client_id = ${MODEL_ID};
  insert into client_actions (instance_id, client_id, id, type, actor_type, actor_id, occurred_at, recorded_at, summary, payload)
    select instance_id, ${FIRST_ID} + n, gen_random_uuid(), type, actor_type, actor_id, occurred_at, recorded_at, summary, payload
    from client_actions, generate_series(0, ${CLIENTS - 1}) n where instance_id = 1 and client_id = ${MODEL_ID};
  insert into property_values (instance_id, entity, entity_id, definition_id, id, value, updated_at)
    select instance_id, entity, ${FIRST_ID} + n, definition_id, gen_random_uuid(), value, updated_at
    from property_values, generate_series(0, ${CLIENTS - 1}) n
    where instance_id = 1 and entity = 'client' and entity_id = ${MODEL_ID};
  commit;
  vacuum analyze`

/** Makes them in the database of a service. */
export const makeManyClients = ({ environment }: Database): Effect.Effect<void> =>
  Effect.promise(async () => {
    const { PGDATABASE, PGHOST, PGPASSWORD, PGPORT, PGUSER } = environment
    const client = new Client({
      host: PGHOST,
      port: Number(PGPORT),
      user: PGUSER,
      password: PGPASSWORD,
      database: PGDATABASE
    })
    await client.connect()
    for (const text of copies.split(";\n")) await client.query(text)
    await client.end()
  })

/** The client of the demo, or the n-th of its copies, round-robin. */
export const clientId = (n: number, clients: number): number =>
  clients === 1 ? MODEL_ID : FIRST_ID + (n % Math.min(clients, CLIENTS))
