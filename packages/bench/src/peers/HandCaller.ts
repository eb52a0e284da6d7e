// The caller of the peer, written by hand: the signature of the token, then a statement for the session and the rights.
import { createHmac, timingSafeEqual } from "node:crypto"
import * as pg from "pg"
import { PEER_IDLE_MILLIS } from "./Postgres.ts"

const CONNECTIONS = 8

/** Fastify answers with the status. */
export class Refusal extends Error {
  readonly statusCode: number

  constructor(statusCode: number, code: string) {
    super(code)
    this.statusCode = statusCode
  }
}

/** Connects to the database that the environment names. */
export const pool = new pg.Pool({
  max: CONNECTIONS,
  idleTimeoutMillis: PEER_IDLE_MILLIS,
  options: "-c plan_cache_mode=force_generic_plan -c jit=off -c timezone=UTC"
})

/** The token key of the service. */
export const key = Buffer.from(process.env["PEER_KEY"] ?? "", "base64url")

interface Claims {
  readonly instance: number
  readonly user: number
  readonly session: string
  readonly exp: number
}

/** HS256 by hand. */
const claimsOf = (authorization: string | undefined): Claims => {
  const [header = "", payload = "", signature = ""] = (authorization ?? "")
    .replace(/^Bearer /u, "")
    .split(".")
  const mac = createHmac("sha256", key).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, "base64url")
  if (given.length !== mac.length || !timingSafeEqual(given, mac)) throw new Refusal(401, "UNAUTHENTICATED")
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims
  if (claims.exp * 1_000 <= Date.now()) throw new Refusal(401, "UNAUTHENTICATED")
  return claims
}

export const CALLER = `select m.instance_id, m.user_id, m.roles, m.subject_ids, m.colleague_ids,
    m.roles && '{administrator,integrator}'::text[] as everything, m.roles && '{qa_lead,qa_specialist}'::text[] as closed,
    m.roles && '{supervisor}'::text[] as supervises, m.roles && '{operator,light_agent}'::text[] as answers
  from user_access m join refresh_families f on f.instance_id = m.instance_id and f.user_id = m.user_id
  where m.instance_id = $1 and m.user_id = $2 and m.status = 'active' and f.id = $3::uuid
    and f.revoked_at is null and f.expires_at > now()`
export const SEEN = `(u.everything or (u.closed and a.status_group = 'done')
  or (u.supervises and (a.subject_id = any(u.subject_ids) or a.operator_ids && u.colleague_ids))
  or (u.answers and (a.operator_ids @> array[u.user_id] or (a.operator_id is null and a.subject_id = any(u.subject_ids))))
  or a.author_id = u.user_id)`

/** The parameters of CALLER and the roles. */
export const authenticate = async (authorization: string | undefined) => {
  const { instance, session, user } = claimsOf(authorization)
  const values = [instance, user, session] as const
  const found = await pool.query<{ roles: ReadonlyArray<string> }>({
    name: "caller",
    text: CALLER,
    values: [...values]
  })
  const [row] = found.rows
  if (row === undefined) throw new Refusal(401, "UNAUTHENTICATED")
  return { instance, user, values, roles: row.roles }
}
