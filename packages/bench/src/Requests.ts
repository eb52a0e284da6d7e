// HTTP requests that several benchmarks send as the demo administrator.
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"

export interface HttpRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Record<string, string>
  readonly body?: string
}

const decodeLogin = Schema.decodeUnknownPromise(Schema.Struct({ accessToken: Schema.String }))

/** An access token of a user; fails as a defect if the login is refused. */
export const login = (origin: string, user = "administrator", password = "rapport-demo") =>
  Effect.promise(async () => {
    const answer = await fetch(`${origin}/kw/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ login: user, password })
    })
    return (await decodeLogin(await answer.json())).accessToken
  })

/** A read with a JSON body. */
export const query = (url: string, token: string, body: unknown): HttpRequest => ({
  url,
  method: "POST",
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A JSON write under a new Idempotency-Key. */
export const write = (url: string, token: string, body: unknown): HttpRequest => {
  const request = query(url, token, body)
  return { ...request, headers: { ...request.headers, "idempotency-key": randomUUID() } }
}

export const get = (url: string, token: string): HttpRequest => ({
  url,
  method: "GET",
  headers: { authorization: `Bearer ${token}` }
})

const decodeCreated = Schema.decodeUnknownPromise(
  Schema.Union([
    Schema.Struct({ session: Schema.Struct({ id: Schema.String }) }),
    Schema.Struct({ chat: Schema.Struct({ id: Schema.Int }) })
  ])
)

/** Creates a session or a chat and returns its id. */
export const createConversation = async (url: string, token: string, body: unknown): Promise<string> => {
  const { url: address, ...request } = write(url, token, body)
  const answer = await decodeCreated(await (await fetch(address, request)).json())
  return "session" in answer ? answer.session.id : String(answer.chat.id)
}
