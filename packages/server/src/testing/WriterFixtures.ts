// Requests over HTTP with a token and an Idempotency-Key.
import type { Answer } from "./RestFixtures.ts"

export interface HttpAnswer {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Response["headers"]
  readonly text: string
  readonly replayed: boolean
  readonly body: Answer["body"]
}

export interface HttpRequest {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Logs in. */
export const login = async (
  origin: string,
  name: string,
  password = "rapport-demo"
): Promise<{ readonly accessToken: string; readonly refreshToken: string }> => {
  const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ login: name, password })
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`login ${name}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/** Sends one request; rejects if the connection is lost before the end of the answer. */
export const send = async (
  origin: string,
  token: string,
  { body, headers, key, method, path }: HttpRequest,
  signal?: AbortSignal
): Promise<HttpAnswer> => {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  const parsed = text !== "" && isJson ? JSON.parse(text) : undefined
  return {
    status: response.status,
    headers: response.headers,
    code: response.status >= 400 ? String(parsed?.code) : undefined,
    text,
    replayed: response.headers.get("idempotency-replayed") === "true",
    body: parsed
  }
}
