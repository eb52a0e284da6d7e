// The reads that `pnpm bench compare` measures, and which members must be equal in all answers.
import { get, type HttpRequest, query } from "../Requests.ts"
import { clientId } from "./ManyClients.ts"

export interface ComparedRead {
  /** Whether the hand-written peer answers it too. */
  readonly hasPeer: boolean
  /** The n-th request. */
  readonly request: (origin: string, token: string, n: number) => HttpRequest
  /** The part that must be equal in every answer. */
  readonly essential: (answer: unknown) => unknown
}

const member = (value: unknown, ...names: ReadonlyArray<string>): unknown =>
  names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value
  )
const members = (list: unknown, ...names: ReadonlyArray<string>): ReadonlyArray<unknown> =>
  Array.isArray(list) ? list.map((one) => names.map((name) => member(one, name))) : []

/** State and actions. The service may trim the oldest actions for its token budget, so only ten are compared. */
const essentialOfPack = (pack: unknown) => {
  const sections = member(pack, "sections")
  const state = member(sections, "state", "namespaces") ?? member(sections, "state")
  const actions = member(sections, "actions", "items") ?? member(sections, "actions")
  return {
    state: members(state, "namespace", "version", "state"),
    actions: members(actions, "id", "type", "summary", "payload").slice(0, 10)
  }
}

const retrieve = (body: object, clients = 1): ComparedRead => ({
  hasPeer: true,
  request: (origin, token, n) =>
    query(`${origin}/kw/chatrooms/context/retrieve`, token, {
      scope: { entity: "client", id: clientId(n, clients) },
      ...body
    }),
  essential: essentialOfPack
})

const list = (query: string, hasPeer = false): ComparedRead => ({
  hasPeer,
  request: (origin, token) => get(`${origin}/kw/api/v1/OpChatRooms/list?limit=20${query}`, token),
  essential: (page) => ["data", "total", "hasMore", "warnings"].map((name) => member(page, name))
})

export const reads: Readonly<Record<string, ComparedRead>> = {
  "state, properties of one client": retrieve({}),
  "state, properties of 2,000 clients": retrieve({}, 2_000),
  "state, properties, 20 actions of 2,000 clients": retrieve({ actions: {} }, 2_000),
  "20 chats of a list": list("", true),
  "20 waiting chats with their clients": list(
    "&filter[status][in]=waiting,active&include=client&order[lastMessageAt]=desc"
  )
}
