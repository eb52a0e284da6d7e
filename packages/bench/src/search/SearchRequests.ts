// The requests of a search benchmark: evidence by query of every scope in three languages, a different query each time.
import { type HttpRequest, query } from "../Requests.ts"
import type { SearchedService } from "./SearchData.ts"

/** Ukrainian, Russian and English alternately. */
const queries = [
  "не прийшов рахунок",
  "возврат денег на карту",
  "refund for the wrong invoice",
  "повернення коштів за замовлення",
  "задержка доставки заказа",
  "the parcel is late",
  "коли приїде кур'єр",
  "сломался товар по гарантии",
  "change of the delivery address",
  "не працює інтернет після оплати",
  "не работает интернет после оплаты",
  "internet does not work after the payment"
]

/** Ids of the demo. */
const entities = {
  client: { ids: Array.from({ length: 500 }, (_, n) => n + 1), target: "relevant_appeals" },
  subject: { ids: [1, 2, 3, 7, 8, 9, 11, 12], target: "relevant_subject_appeals" },
  operator: { ids: [20, 21, 22, 23, 26, 27, 28, 31], target: "relevant_appeals" },
  skill_group: { ids: [1, 2, 3], target: "relevant_appeals" }
} as const
export type Entity = keyof typeof entities
export const entityNames = ["client", "subject", "operator", "skill_group"] as const

const pick = <A>(list: ReadonlyArray<A>, n: number): A | undefined => list[n % list.length]

const retrieve = ({ origin, token }: SearchedService, body: unknown): HttpRequest =>
  query(`${origin}/kw/chatrooms/context/retrieve`, token, body)

/** The n-th of a scope. */
export const searchOf = (service: SearchedService, entity: Entity, n: number): HttpRequest => {
  const { ids, target } = entities[entity]
  return retrieve(service, {
    scope: { entity, id: pick(ids, n) },
    targets: [target],
    query: pick(queries, Math.floor(n / ids.length) + n)
  })
}

/** Every section of the client with the most, and of all limits the highest. */
export const largestPack = (service: SearchedService, n: number): HttpRequest =>
  retrieve(service, {
    scope: { entity: "client", id: 501 },
    sections: ["state", "properties", "actions", "evidence"],
    targets: [
      "previous_client_appeals",
      "previous_client_conversations",
      "recent_client_interactions",
      "relevant_client_memory",
      "relevant_appeals"
    ],
    query: pick(queries, n),
    actions: { limit: 100 },
    topK: 20,
    candidateLimit: 200,
    maxSnippetsPerAppeal: 5,
    maxResponseBytes: 262_144,
    tokenBudget: 8_000,
    timeoutMs: 5_000
  })
