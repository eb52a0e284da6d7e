// Statistics over HTTP: each handler is one call of a use case (contract §9.3).
import { Api } from "@rapport/contract/Api.ts"
import { CurrentSession } from "@rapport/contract/Authorization.ts"
import { Sla } from "@rapport/core/statistics/Sla.ts"
import { type ReportAnswer, Statistics } from "@rapport/core/statistics/Statistics.ts"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CSV, type DecodedQuery, fileAnswer, listParameters, pageAnswer } from "./ListParameters.ts"
import { createHandler, getHandler, listHandler, updateHandler, answerWrite } from "./Records.ts"
import { keyIn } from "./WriteHeaders.ts"

const root = "/kw/api/v1/statistics"

const responseOf = (answered: ReportAnswer) => {
  switch (answered.format) {
    case "json":
      return HttpServerResponse.jsonUnsafe(answered.body)
    case "page":
      return pageAnswer(answered.page)
    case "csv":
      return fileAnswer(answered.lines, CSV)
  }
}

const reportHandler =
  (report: Statistics["Service"]["dialogues"]) =>
  ({ query }: { readonly query: DecodedQuery }) =>
    Effect.gen(function* () {
      return responseOf(yield* report(yield* CurrentSession, yield* listParameters(query)))
    })

export const statisticsLayer = HttpApiBuilder.group(
  Api,
  "statistics",
  Effect.fnUntraced(function* (handlers) {
    const statistics = yield* Statistics
    const { calendars, targets } = yield* Sla
    return handlers.handleAll({
      reportDialogues: reportHandler(statistics.dialogues),
      reportOperators: reportHandler(statistics.operators),
      listDialogues: reportHandler(statistics.rows),
      reportSla: reportHandler(statistics.sla),
      reportCsat: reportHandler(statistics.csat),
      listCalendars: listHandler(calendars.list),
      getCalendar: getHandler(calendars.get),
      createCalendar: createHandler(`${root}/calendars`, calendars.create),
      updateCalendar: updateHandler(calendars.update),
      getSlaTarget: ({ params }) =>
        Effect.flatMap(CurrentSession, (session) => targets.get(session, params.subjectId)),
      setSlaTarget: ({ headers, params, payload }) =>
        answerWrite((session) => targets.put(session, params.subjectId, payload, keyIn(headers)))
    })
  })
)
