// Where a request came from, for the audit log and for limits by address: set once where the request arrives.
import { CurrentRequestId } from "@rapport/contract/Errors.ts"
import { Context, Effect } from "effect"

/** The address of the caller, behind trusted proxies the one they report (docs/contract.md §10); null where there is none. */
export const CurrentAddress = Context.Reference<string | null>("core/audit/CurrentAddress", {
  defaultValue: () => null
})

export interface Origin {
  readonly requestId: string | null
  readonly address: string | null
}

/** The origin of what runs now; both null for commands. */
export const currentOrigin: Effect.Effect<Origin> = Effect.gen(function* () {
  const requestId = yield* CurrentRequestId
  return { requestId: requestId === "" ? null : requestId, address: yield* CurrentAddress }
})
