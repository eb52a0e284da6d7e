// The use cases of ticket statuses; a status in use cannot be removed (contract §7).
import { type TicketStatus, TicketStatuses } from "@rapport/contract/appeals/TicketsApi.ts"
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { StateNotAllowed } from "@rapport/contract/Errors.ts"
import { Effect } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { canonicalJson } from "../json/CanonicalJson.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import type { Receipts } from "../receipts/Receipts.ts"
import { firstResult, requireVersion } from "../receipts/Writes.ts"
import type { AppealStore } from "./AppealStore.ts"

type Store = AppealStore["Service"]

export const ticketStatusUseCases = (store: Store, receipts: Receipts["Service"]) => ({
  get: Effect.fn("TicketStatusList.get")(function* (session: AuthorizedSession) {
    yield* Permissions.require(session, "tickets.read")
    return yield* store.ticketStatuses(session)
  }, orUnavailable),

  set: Effect.fn("TicketStatusList.set")(function* (
    session: AuthorizedSession,
    expectedVersion: number,
    statuses: ReadonlyArray<TicketStatus>,
    key: IdempotencyKey
  ) {
    yield* Permissions.require(session, "directory.manage")
    const sorted = statuses.toSorted((a, b) => a.position - b.position)
    const content = { statuses: sorted, expectedVersion }
    const command = { operation: "ticket_statuses.update", pathIds: [], content }
    return yield* receipts.once({ caller: session, command, key, answer: TicketStatuses }, () =>
      Effect.map(replace(store, session, expectedVersion, sorted), firstResult)
    )
  }, orUnavailable)
})

const replace = Effect.fnUntraced(function* (
  store: Store,
  session: AuthorizedSession,
  expectedVersion: number,
  statuses: ReadonlyArray<TicketStatus>
) {
  const present = yield* store.lockTicketStatuses(session, "for change")
  yield* requireVersion(present.version, expectedVersion)
  if (canonicalJson(present.statuses) === canonicalJson(statuses)) return present
  const gone = present.statuses.flatMap(({ name }) =>
    statuses.some((status) => status.name === name) ? [] : [name]
  )
  const used = yield* store.usedStatuses(session, gone)
  if (used.length > 0)
    return yield* new StateNotAllowed({
      detail: `there are tickets with the status ${used.join(", ")}`
    })
  return yield* store.setTicketStatuses(session, statuses)
})
