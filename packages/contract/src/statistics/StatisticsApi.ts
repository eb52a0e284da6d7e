// Statistics on the wire: reports about dialogues, operators and targets, the dialogues behind them, calendars and targets
// (contract §9.3).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AccessDenied, NotFound, VersionConflict } from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { Answers, Formats } from "../http/RequestBody.ts"
import { envelope, ListedCollection } from "../lists/Collection.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import {
  Calendar,
  CalendarPatch,
  CalendarRequest,
  calendars,
  SlaTarget,
  SlaTargetRequest
} from "./Calendar.ts"
import { Dialogue, dialogues } from "./Dialogue.ts"
import { DialogueReport, OperatorReport, SlaReport } from "./Report.ts"
import { dialogueQuery, reportQuery } from "./ReportQuery.ts"
import { acting, changing, creating, listing, reading } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/statistics"
const csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
const written = [AccessDenied, ...idempotencyErrors] as const
const formats = { json: "application/json", csv: "text/csv" }
const mediaTypes = Object.values(formats)
const counted =
  "Counted are the dialogues that the caller may see; administrator, integrator, analyst and qa_lead count the whole instance. format=csv answers the same rows as text/csv. Needs statistics.read."

export class StatisticsApi extends HttpApiGroup.make("statistics")
  .add(
    HttpApiEndpoint.get("reportDialogues", `${root}/dialogues`, {
      query: reportQuery(dialogues),
      success: [DialogueReport, csv],
      error: AccessDenied
    })
      .annotate(Answers, mediaTypes)
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Count dialogues",
          `Chats created in the range: how many, their messages, and the times to the first response and to the close. ${counted}`
        )
      ),
    HttpApiEndpoint.get("reportOperators", `${root}/operators`, {
      query: reportQuery(dialogues),
      success: [OperatorReport, csv],
      error: AccessDenied
    })
      .annotate(Answers, mediaTypes)
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Count the work of operators",
          `The dialogues of each operator that has any in the range, and what was written in them. ${counted}`
        )
      ),
    HttpApiEndpoint.get("listDialogues", `${root}/dialogues/rows`, {
      query: dialogueQuery(dialogues),
      success: [envelope(Dialogue).annotate({ identifier: "DialogueList" }), csv],
      error: AccessDenied
    })
      .annotate(ListedCollection, dialogues)
      .annotate(Answers, mediaTypes)
      .annotate(Formats, formats)
      .pipe(
        operation(
          "List the dialogues behind a report",
          `The query of a report lists its dialogues; timezone, groupBy and interval change nothing here. format=csv without limit, offset or cursor streams all of them. ${counted}`
        )
      ),
    HttpApiEndpoint.get("reportSla", `${root}/sla`, {
      query: reportQuery(dialogues),
      success: [SlaReport, csv],
      error: AccessDenied
    })
      .annotate(Answers, mediaTypes)
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Count kept and missed targets",
          `Of each subject with a target, how many dialogues met it, breached it or are still within it. ${counted}`
        )
      ),
    HttpApiEndpoint.get("listCalendars", `${root}/calendars`, listing(calendars, Calendar, "CalendarList"))
      .annotate(ListedCollection, calendars)
      .pipe(operation("List calendars", "Needs statistics.read.")),
    HttpApiEndpoint.get("getCalendar", `${root}/calendars/:id`, reading({ id: pathId(1) }, Calendar)).pipe(
      operation("Read a calendar", "Carries its version as ETag. Needs statistics.read.")
    ),
    HttpApiEndpoint.post(
      "createCalendar",
      `${root}/calendars`,
      creating(CalendarRequest, Calendar, written)
    ).pipe(
      operation(
        "Make a calendar",
        "Working hours by the clock of its zone (UTC unless given), without overlaps; on holidays there are none. Needs directory.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateCalendar",
      `${root}/calendars/:id`,
      changing({ id: pathId(1) }, CalendarPatch, Calendar, [...written, NotFound, VersionConflict])
    ).pipe(
      operation(
        "Change a calendar",
        "Reports of every range follow the calendar as it is now. Needs directory.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.get(
      "getSlaTarget",
      `${root}/sla/targets/:subjectId`,
      reading({ subjectId: pathId(12) }, SlaTarget)
    ).pipe(operation("Read the targets of a subject", "Null where there is none. Needs statistics.read.")),
    HttpApiEndpoint.put(
      "setSlaTarget",
      `${root}/sla/targets/:subjectId`,
      acting({ subjectId: pathId(12) }, SlaTargetRequest, SlaTarget, [...written, NotFound])
    ).pipe(
      operation(
        "Set the targets of a subject",
        "Seconds to the first response and to the close, and the calendar they are counted in. Needs directory.manage."
      )
    )
  )
  .pipe(withSession("Statistics", "Reports about dialogues, operators and targets.")) {}
