// Pages that are asked for most are those of any other way to ask for the same (contract §1.2, §2).
import { assert, layer } from "@effect/vitest"
import type { AuthorizedSession, Role } from "@rapport/contract/Authorization.ts"
import { AppealStore } from "@rapport/core/appeals/AppealStore.ts"
import type { ListFilter, ListOrder, ListRequest } from "@rapport/core/lists/ListRequest.ts"
import { DeliverySignal } from "@rapport/core/delivery/DeliverySignal.ts"
import { OutboxSignal } from "@rapport/core/search/OutboxSignal.ts"
import { Effect, Layer } from "effect"
import { sessionOf } from "../../testing/ContextFixtures.ts"
import { PostgresFixtures } from "../../testing/PostgresFixtures.ts"
import * as AppealStorePostgres from "./AppealStorePostgres.ts"

const stores = AppealStorePostgres.layer.pipe(
  Layer.provide([
    Layer.mock(OutboxSignal, { notify: Effect.void }),
    Layer.mock(DeliverySignal, { notify: Effect.void })
  ]),
  Layer.provideMerge(PostgresFixtures.small)
)

const ordersBy = (first: string): ReadonlyArray<ListOrder> =>
  [first, "id"].map((field) => ({ field, direction: "desc" }))
const usual = (direction: ListOrder["direction"], limit: number, offset: number): ListRequest => ({
  filters: [],
  orders: ["createdAt", "id"].map((field) => ({ field, direction })),
  limit,
  offset,
  after: null,
  fields: null,
  includes: [],
  search: null,
  purpose: ""
})
const asked = [
  usual("desc", 20, 0),
  usual("desc", 3, 0),
  usual("asc", 7, 5),
  usual("desc", 100, 1_000),
  { ...usual("desc", 20, 0), includes: ["client", "subject"], orders: ordersBy("updatedAt") },
  { ...usual("asc", 9, 4), includes: ["client", "subject"], orders: ordersBy("updatedAt") },
  { ...usual("desc", 20, 2), includes: ["skillGroups", "operator"], fields: ["status", "createdAt"] }
]
/** As often as it takes until a page is kept, and once more when it is known how little there is. */
const ROUNDS = 5
const all: ListFilter = { field: "id", operator: "gt", value: 0 }

const kinds = ["listChats", "listTickets"] as const
/** What the callers of one see, page after page, and the same by a filter that every row meets. */
const pagesOf = Effect.fnUntraced(function* (
  one: AuthorizedSession,
  other: AuthorizedSession,
  kind: (typeof kinds)[number]
) {
  const store = yield* AppealStore
  return yield* Effect.forEach(asked, (request) =>
    Effect.all([store[kind](one, request), store[kind](other, { ...request, filters: [all] })])
  )
})

const everybody = ["administrator", "supervisor", "operator", "light_agent", "qa_lead"] as const

layer(stores, { timeout: "60 seconds" })("usual pages of chats and tickets", (it) => {
  it.effect.each(everybody)("are for %s those of a filter that every row meets", (login) =>
    Effect.gen(function* () {
      const session = yield* sessionOf(login)
      for (const kind of kinds)
        for (let round = 0; round < ROUNDS; round++)
          for (const [found, expected] of yield* pagesOf(session, session, kind))
            assert.deepStrictEqual(found, expected)
    })
  )

  it.effect.each(["operator", "qa_lead"] as const)(
    "show and count for %s, remembered as an administrator, what they see now",
    (login) =>
      Effect.gen(function* () {
        const session = yield* sessionOf(login)
        const roles: ReadonlyArray<Role> = ["administrator"]
        const remembered = { ...session, roles }
        for (let round = 0; round < ROUNDS; round++)
          for (const [found, expected] of yield* pagesOf(remembered, session, "listChats")) {
            assert.deepStrictEqual(found, expected)
            assert.isAbove(found.counted, 0)
            assert.isBelow(found.counted, 170)
          }
      })
  )
})
