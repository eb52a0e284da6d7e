// Calendars of working hours: make, read, list and change them (docs/contract.md §9.3).
import {
  Calendar,
  type CalendarPatch,
  type CalendarRequest,
  calendars as collection,
  type Working
} from "@rapport/contract/statistics/Calendar.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { SlaStore } from "./SlaStore.ts"
import { patching, reading } from "../lists/RecordUseCases.ts"
import { fresh } from "../receipts/Writes.ts"

export class Calendars extends Context.Service<
  Calendars,
  Reading<Calendar> & Creating<CalendarRequest, Calendar, never> & Updating<CalendarPatch, Calendar, never>
>()("core/statistics/Calendars") {
  static readonly layer = Layer.effect(
    Calendars,
    Effect.gen(function* () {
      const store = yield* SlaStore
      const receipts = yield* Receipts
      const pages = yield* Pages
      return Calendars.of({
        ...reading(pages, {
          name: "Calendars",
          collection,
          access: (session) => Permissions.require(session, "statistics.read"),
          list: store.listCalendars,
          find: store.findCalendar
        }),

        create: Effect.fn("Calendars.create")(function* (session, request, key) {
          yield* Permissions.require(session, "directory.manage")
          const content = { timezone: "UTC", weekly: [], holidays: [], ...sorted(request) }
          const command = { operation: "calendar.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: Calendar }, () =>
            Effect.map(store.createCalendar(session, content), fresh)
          )
        }, orUnavailable),

        update: patching(receipts, {
          name: "Calendars",
          operation: "calendar.update",
          access: (session) => Permissions.require(session, "directory.manage"),
          answer: Calendar,
          find: store.findCalendar,
          update: store.updateCalendar,
          normal: sorted<ChangeOf<CalendarPatch>>
        })
      })
    })
  )
}

/** Hours by day and time, holidays by date and each once, so that equal calendars are equal commands. */
const sorted = <C extends ChangeOf<CalendarPatch>>(change: C) => ({
  ...change,
  ...(change.weekly === undefined ? {} : { weekly: change.weekly.toSorted(byTime) }),
  ...(change.holidays === undefined ? {} : { holidays: [...new Set(change.holidays)].toSorted() })
})
const byTime = (a: Working, b: Working): number => a.day - b.day || (a.from < b.from ? -1 : 1)
