// The reads of a comparison: what is asked, which peers answer it, and what must be the same in all answers.
import type { Asked } from "../KeptConnection.ts"
import { clientId } from "./ManyClients.ts"
import { asked } from "./Writes.ts"

/** Reads of one client again and again, or of so many in turn; `body` may differ from one to the next. */
const retrieved = (body: object | ((n: number) => object), clients = 1): ComparedRead => ({
  peers: ["fastifyServer.ts", "rawServer.ts"],
  asked: (origin, token, n) =>
    asked(`${origin}/kw/chatrooms/context/retrieve`, token, {
      scope: { entity: "client", id: clientId(n, clients) },
      ...(typeof body === "function" ? body(n) : body)
    }),
  essential: (pack) => essential(pack)
})
/** Chats, with what is asked for besides. */
const listed = (query: string): ComparedRead => ({
  peers: [],
  asked: (origin, token) => ({
    url: `${origin}/kw/api/v1/OpChatRooms/list?limit=20${query}`,
    method: "GET",
    headers: { authorization: `Bearer ${token}` },
    body: ""
  }),
  essential: (page) => ["data", "total", "hasMore", "warnings"].map((name) => member(page, name))
})
/** A prime, so that it is long before a client has the same one again. */
const TIMEOUTS = 997

export const reads: Readonly<Record<string, ComparedRead>> = {
  "state, properties": retrieved({}),
  "state, properties of 500 clients in turn": retrieved({}, 500),
  "state, properties of 2,000 clients in turn": retrieved({}, 2_000),
  "state, properties, 20 actions": retrieved({ actions: {} }),
  "state, properties, 20 actions of 2,000 clients in turn": retrieved({ actions: {} }, 2_000),
  // With another timeout each time nothing is remembered: as if each had changed since it was read last.
  "state, properties, 20 actions of 2,000 clients, each anew": retrieved(
    (n) => ({ actions: {}, timeoutMs: 1_000 + (n % TIMEOUTS) }),
    2_000
  ),
  "20 chats of a list": { ...listed(""), peers: ["fastifyServer.ts"] },
  // Nothing by hand answers these: they are there for another checkout in the same run.
  "20 chats by their last messages, with these and clients": listed(
    "&include=client,lastMessage&order[lastMessageAt]=desc"
  ),
  "20 waiting chats by their last messages, with clients": listed(
    "&filter[status][in]=waiting,active&include=client&order[lastMessageAt]=desc"
  )
}

export interface ComparedRead {
  /** Which peers answer it. */
  readonly peers: ReadonlyArray<"fastifyServer.ts" | "rawServer.ts">
  /** The n-th request. */
  readonly asked: (origin: string, token: string, n: number) => Asked
  /** What must be the same in every answer. */
  readonly essential: (answer: unknown) => unknown
}
export const peerNames = { "fastifyServer.ts": "Fastify + pg", "rawServer.ts": "node:http + pg" }

const member = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value
  )
const picked = (list: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  Array.isArray(list) ? list.map((one) => names.map((name) => member(one, name))) : []

/** State and actions as they were written. Ours may leave out the oldest actions for the budget of tokens: the first ten. */
const essential = (pack: unknown) => {
  const sections = member(pack, "sections")
  const state = member(sections, "state", "namespaces") ?? member(sections, "state")
  const actions = member(sections, "actions", "items") ?? member(sections, "actions")
  return {
    state: picked(state, "namespace", "version", "state"),
    actions: picked(actions, "id", "type", "summary", "payload").slice(0, 10)
  }
}
