// The use cases of targets of a subject (contract §9.3).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import { NotFound } from "@rapport/contract/Errors.ts"
import { SlaTarget, type SlaTargetRequest } from "@rapport/contract/statistics/Calendar.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { firstResult, requireNoViolations, unknownRecord } from "../receipts/Writes.ts"
import { SlaStore } from "./SlaStore.ts"

export class SlaTargets extends Context.Service<SlaTargets>()("core/statistics/SlaTargets", {
  make: Effect.gen(function* () {
    const store = yield* SlaStore
    const receipts = yield* Receipts
    return {
      get: Effect.fn("SlaTargets.get")(function* (session: AuthorizedSession, subjectId: number) {
        yield* Permissions.require(session, "statistics.read")
        return (yield* store.findTarget(session, subjectId)) ?? (yield* new NotFound())
      }, orUnavailable),

      /** InvalidRequest names a calendar that is not of the instance. */
      put: Effect.fn("SlaTargets.put")(function* (
        session: AuthorizedSession,
        subjectId: number,
        request: SlaTargetRequest,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "directory.manage")
        const { overrides = [], ...base } = request
        const target = {
          tfrSec: null,
          ttcSec: null,
          calendarId: null,
          ...base,
          overrides: overrides.map((one) => ({ priority: null, tfrSec: null, ttcSec: null, ...one }))
        }
        const command = { operation: "sla_target.set", pathIds: [subjectId], content: target }
        if (key !== null && (yield* store.findTarget(session, subjectId)) === undefined)
          return yield* new NotFound()
        return yield* receipts.once({ caller: session, command, key, answer: SlaTarget }, () =>
          Effect.gen(function* () {
            const set = yield* store.setTarget(session, subjectId, target)
            if (set === undefined) return yield* new NotFound()
            yield* requireNoViolations(set === "unknown" ? [unknownRecord("calendarId")] : [])
            return firstResult(target)
          })
        )
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(SlaTargets, SlaTargets.make)
}
