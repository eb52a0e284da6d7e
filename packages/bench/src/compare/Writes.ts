// The writes of a comparison: what each connection asks, and the script of pgbench that writes the same.
import { randomUUID } from "node:crypto"
import type { Answered, Asked } from "../KeptConnection.ts"

export interface ComparedWrite {
  /** Behind `peers/`. */
  readonly script: string
  /** Fixed where the writers are the question; else as many as the load has. */
  readonly connections?: number
  readonly asked: (origin: string, token: string, last?: Answered) => Asked
  /** The version that stands, where answers that lost are no failure: then what was won is counted as well. */
  readonly version?: (origin: string, token: string) => Promise<number>
}

const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  "idempotency-key": randomUUID()
})

/** A write under a key of its own. */
export const asked = (url: string, token: string, body: unknown, method: "POST" | "PUT" = "POST"): Asked => ({
  url,
  method,
  headers: headersOf(token),
  body: JSON.stringify(body)
})

const action = {
  type: "order.created",
  occurredAt: "2026-03-01T08:00:00Z",
  actorType: "client",
  summary: "Замовлення 10442, два роутери",
  payload: { total: 3198 }
}
const stateUrl = (origin: string) => `${origin}/kw/clients/501/context/state/bench`
const state = { items: [10_442], note: "два" }

/** Of the state that was written, or of the conflict. */
const versionOf = (last: Answered | undefined): number => {
  const [, found] = /"(?:version|currentVersion)":(\d+)/u.exec(last?.body.toString("utf8") ?? "") ?? []
  return Number(found ?? 0)
}

export const writes: Readonly<Record<string, ComparedWrite>> = {
  "POST action": {
    script: "action.sql",
    asked: (origin, token) => asked(`${origin}/kw/clients/501/context/actions`, token, action)
  },
  "PUT state, 32 writers of one": {
    script: "state.sql",
    connections: 32,
    asked: (origin, token, last) =>
      asked(stateUrl(origin), token, { expectedVersion: versionOf(last), state }, "PUT"),
    version: async (origin, token) => {
      const response = await fetch(stateUrl(origin), { headers: { authorization: `Bearer ${token}` } })
      return versionOf({ status: response.status, body: Buffer.from(await response.arrayBuffer()) })
    }
  }
}
