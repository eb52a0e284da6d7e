// The use cases of calendars with working hours, and of the targets of a subject (contract §9.3).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  Calendar,
  type CalendarPatch,
  type CalendarRequest,
  calendars,
  SlaTarget,
  type SlaTargetRequest,
  type Working
} from "@rapport/contract/statistics/Calendar.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { ChangeOf, IdempotencyKey } from "../lists/Records.ts"
import { changeOnce, recordUseCases, requireRecord } from "../lists/RecordUseCases.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { requireNoViolations, unknownRecord } from "../receipts/Writes.ts"
import { SlaStore } from "./SlaStore.ts"

export class Sla extends Context.Service<Sla>()("core/statistics/Sla", {
  make: Effect.gen(function* () {
    const store = yield* SlaStore
    return {
      targets: targetUseCases(store, yield* Receipts),
      calendars: yield* recordUseCases({
        name: "Calendars",
        entity: "calendar",
        collection: calendars,
        toRead: "statistics.read",
        toWrite: "directory.manage",
        answer: Calendar,
        store: store.calendars,
        made: (request: CalendarRequest) => ({
          timezone: "UTC",
          weekly: [],
          holidays: [],
          ...sortLists(request)
        }),
        normal: sortLists<ChangeOf<CalendarPatch>>
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Sla, Sla.make)
}

const targetUseCases = (store: SlaStore["Service"], receipts: Receipts["Service"]) => ({
  get: Effect.fn("SlaTargets.get")(function* (session: AuthorizedSession, subjectId: number) {
    yield* Permissions.require(session, "statistics.read")
    return yield* requireRecord(store.findTarget, session, subjectId)
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
    const allowed = requireRecord(store.findTarget, session, subjectId)
    const change = Effect.gen(function* () {
      const set = yield* store.setTarget(session, subjectId, target)
      yield* requireNoViolations(set === "unknown" ? [unknownRecord("calendarId")] : [])
      return set && target
    })
    return yield* changeOnce(receipts, { caller: session, command, key, answer: SlaTarget, allowed }, change)
  }, orUnavailable)
})

/** Sorted, so that equal calendars are equal commands. */
const sortLists = <C extends ChangeOf<CalendarPatch>>(change: C) => ({
  ...change,
  ...(change.weekly === undefined ? {} : { weekly: change.weekly.toSorted(byTime) }),
  ...(change.holidays === undefined ? {} : { holidays: change.holidays.toSorted() })
})
const byTime = (a: Working, b: Working): number => a.day - b.day || (a.from < b.from ? -1 : 1)
