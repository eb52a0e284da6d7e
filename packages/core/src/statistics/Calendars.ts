// Calendars of working hours: make, read, list and change them (docs/contract.md §9.3).
import {
  Calendar,
  type CalendarPatch,
  type CalendarRequest,
  calendars as collection,
  type Working
} from "@rapport/contract/statistics/Calendar.ts"
import { NotFound } from "@rapport/contract/Errors.ts"
import { Context, Effect, Layer } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import { Pages } from "../lists/Pages.ts"
import type { ChangeOf, Creating, Reading, Updating } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { patched, requireVersion } from "../receipts/Writes.ts"
import { SlaStore } from "./SlaStore.ts"

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
        list: (session, asked) =>
          pages.page({
            session,
            collection,
            asked,
            access: Permissions.require(session, "statistics.read"),
            rows: (request) => store.listCalendars(session, request)
          }),

        get: Effect.fn("Calendars.get")(function* (session, id) {
          yield* Permissions.require(session, "statistics.read")
          return (yield* store.findCalendar(session, id)) ?? (yield* new NotFound())
        }, orUnavailable),

        create: Effect.fn("Calendars.create")(function* (session, request, key) {
          yield* Permissions.require(session, "directory.manage")
          const content = { timezone: "UTC", weekly: [], holidays: [], ...sorted(request) }
          const command = { operation: "calendar.create", pathIds: [], content }
          return yield* receipts.once({ caller: session, command, key, answer: Calendar }, () =>
            Effect.map(store.createCalendar(session, content), (answer) => ({ answer, replayed: false }))
          )
        }, orUnavailable),

        update: Effect.fn("Calendars.update")(function* (session, id, expectedVersion, change, key) {
          yield* Permissions.require(session, "directory.manage")
          const normal = sorted(change)
          const content = { ...normal, expectedVersion }
          const command = { operation: "calendar.update", pathIds: [id], content }
          if (key !== null && (yield* store.findCalendar(session, id)) === undefined)
            return yield* new NotFound()
          return yield* receipts.once({ caller: session, command, key, answer: Calendar }, () =>
            Effect.gen(function* () {
              const updated = yield* store.updateCalendar(session, id, (found) =>
                Effect.as(requireVersion(found.version, expectedVersion), patched(found, normal))
              )
              return { answer: updated ?? (yield* new NotFound()), replayed: false }
            })
          )
        }, orUnavailable)
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
