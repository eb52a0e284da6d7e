// Routes of statistics: reports, their dialogues, calendars and targets (contract §9.3).
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AccessDenied } from "../Errors.ts"
import { operation } from "../documents/Operation.ts"
import { Formats } from "../http/RequestBody.ts"
import { envelope, queryOf } from "../lists/Collection.ts"
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
import { CsatReport, DialogueReport, OperatorReport, SlaReport } from "./Report.ts"
import { answersQuery, dialogueQuery, reportQuery } from "./ReportQuery.ts"
import { actionRoute, updateRoute, createRoute, listRoute, getRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/statistics"
const csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
const formats = { json: "application/json", csv: "text/csv" }
const counted =
  "Administrator, integrator, analyst and qa_lead count the whole instance, others the dialogues that they see. format=csv returns the rows as text/csv. Requires statistics.read."

export class StatisticsApi extends HttpApiGroup.make("statistics")
  .add(
    HttpApiEndpoint.get("reportDialogues", `${root}/dialogues`, {
      query: reportQuery,
      success: [DialogueReport, csv],
      error: AccessDenied
    })
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Get the report of dialogues",
          `Chats, or tickets, created in the range: their number, messages, and times to the first response and to the close. ${counted}`
        )
      ),
    HttpApiEndpoint.get("reportOperators", `${root}/operators`, {
      query: reportQuery,
      success: [OperatorReport, csv],
      error: AccessDenied
    })
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Get the report of operators",
          `For each operator with dialogues in the range: their number, messages and times. ${counted}`
        )
      ),
    HttpApiEndpoint.get("listDialogues", `${root}/dialogues/rows`, {
      query: queryOf(dialogues, dialogueQuery),
      success: [envelope(Dialogue).annotate({ identifier: "DialogueList" }), csv],
      error: AccessDenied
    })
      .annotate(Formats, formats)
      .pipe(
        operation(
          "List the dialogues of a report",
          `Takes the query of a report and lists its dialogues; timezone, groupBy and interval have no effect. format=csv without limit, offset or cursor streams all dialogues. ${counted}`
        )
      ),
    HttpApiEndpoint.get("reportSla", `${root}/sla`, {
      query: reportQuery,
      success: [SlaReport, csv],
      error: AccessDenied
    })
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Get the report of targets",
          `For each subject with a target: how many dialogues met it, breached it or are still running. ${counted}`
        )
      ),
    HttpApiEndpoint.get("reportCsat", `${root}/csat`, {
      query: answersQuery,
      success: [CsatReport, csv],
      error: AccessDenied
    })
      .annotate(Formats, formats)
      .pipe(
        operation(
          "Get the report of satisfaction",
          `Actions of type csat.answered by occurredAt: their number, mean score, and the share of scores 4 and 5. ${counted}`
        )
      ),
    HttpApiEndpoint.get(
      "listCalendars",
      `${root}/calendars`,
      listRoute(calendars, Calendar, "CalendarList")
    ).pipe(operation("List calendars", "Requires statistics.read.")),
    HttpApiEndpoint.get("getCalendar", `${root}/calendars/:id`, getRoute({ id: pathId(1) }, Calendar)).pipe(
      operation("Get a calendar", "The ETag is the version. Requires statistics.read.")
    ),
    HttpApiEndpoint.post("createCalendar", `${root}/calendars`, createRoute(CalendarRequest, Calendar)).pipe(
      operation(
        "Create a calendar",
        "Working hours in the time zone (default UTC), without overlaps. Holidays have no working hours. Requires directory.manage."
      )
    ),
    HttpApiEndpoint.patch(
      "updateCalendar",
      `${root}/calendars/:id`,
      updateRoute({ id: pathId(1) }, CalendarPatch, Calendar)
    ).pipe(
      operation(
        "Update a calendar",
        "Affects reports of every range. Requires directory.manage, and expectedVersion or If-Match."
      )
    ),
    HttpApiEndpoint.get(
      "getSlaTarget",
      `${root}/sla/targets/:subjectId`,
      getRoute({ subjectId: pathId(12) }, SlaTarget)
    ).pipe(
      operation("Get the targets of a subject", "A target that is not set is null. Requires statistics.read.")
    ),
    HttpApiEndpoint.put(
      "setSlaTarget",
      `${root}/sla/targets/:subjectId`,
      actionRoute({ subjectId: pathId(12) }, SlaTargetRequest, SlaTarget)
    ).pipe(
      operation(
        "Set the targets of a subject",
        "Seconds to the first response and to the close of chats, the calendar of working hours, and overrides for tickets and priorities. Requires directory.manage."
      )
    )
  )
  .pipe(withSession("Statistics", "Reports about dialogues, operators, targets and satisfaction.")) {}
