// The use cases of calendars with working hours (contract §9.3).
import {
  Calendar,
  type CalendarPatch,
  type CalendarRequest,
  calendars as collection,
  type Working
} from "@rapport/contract/statistics/Calendar.ts"
import { Context, Effect, Layer } from "effect"
import type { ChangeOf } from "../lists/Records.ts"
import { SlaStore } from "./SlaStore.ts"
import { recordUseCases } from "../lists/RecordUseCases.ts"

export class Calendars extends Context.Service<Calendars>()("core/statistics/Calendars", {
  make: Effect.gen(function* () {
    const store = yield* SlaStore
    return yield* recordUseCases({
      name: "Calendars",
      entity: "calendar",
      collection,
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
  })
}) {
  static readonly layer = Layer.effect(Calendars, Calendars.make)
}

/** Sorted, so that equal calendars are equal commands. */
const sortLists = <C extends ChangeOf<CalendarPatch>>(change: C) => ({
  ...change,
  ...(change.weekly === undefined ? {} : { weekly: change.weekly.toSorted(byTime) }),
  ...(change.holidays === undefined ? {} : { holidays: change.holidays.toSorted() })
})
const byTime = (a: Working, b: Working): number => a.day - b.day || (a.from < b.from ? -1 : 1)
