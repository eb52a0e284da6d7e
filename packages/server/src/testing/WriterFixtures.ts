// A client of the writing routes over HTTP, as an integrator writes one: a key for every command, sent again until answered.
import { Schema } from "effect"

/** What a command got in the end. */
export interface Got {
  readonly status: number
  readonly code: string | undefined
  readonly text: string
  readonly replayed: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members that they then assert
  readonly body: any
}

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string
}

const Tokens = Schema.Struct({ accessToken: Schema.String })

/** An access token of a demo login. */
export const tokenOf = async (origin: string, login: string): Promise<string> => {
  const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ login, password: "rapport-demo" })
  })
  if (answer.status !== 200) throw new Error(`login ${login}: ${answer.status} ${await answer.text()}`)
  return Schema.decodeUnknownSync(Tokens)(await answer.json()).accessToken
}

/** One request; rejects when the connection is lost before the whole answer is there. */
export const send = async (
  origin: string,
  token: string,
  { body, key, method, path }: Sent,
  signal?: AbortSignal
): Promise<Got> => {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  const text = await response.text()
  const parsed = text === "" ? undefined : JSON.parse(text)
  return {
    status: response.status,
    code: response.status >= 400 ? String(parsed.code) : undefined,
    text,
    replayed: response.headers.get("idempotency-replayed") === "true",
    body: parsed
  }
}
