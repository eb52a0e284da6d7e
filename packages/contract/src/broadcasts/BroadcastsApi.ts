// Routes of broadcasts: templates, steps, results and recipients (contract §9.1).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { StateNotAllowed } from "../Errors.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import {
  Broadcast,
  BroadcastPatch,
  BroadcastPreview,
  BroadcastRequest,
  BroadcastResults,
  broadcasts,
  MessageTemplate,
  Recipient,
  recipients,
  TemplatePatch,
  TemplateRequest,
  templates
} from "./Broadcast.ts"
import {
  createRoute,
  deleteRoute,
  listRoute,
  getRoute,
  accessErrors,
  changeErrors,
  updateRoute
} from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/broadcasts"
const one = { id: pathId(1) }
const read = "Requires broadcasts.read."
const manage = "Requires broadcasts.manage."
const manageVersion = "Requires broadcasts.manage, and expectedVersion or If-Match."

const step = <const Name extends string, const Path extends string>(
  name: Name,
  path: Path,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, `${root}/:id/${path}`, {
    params: one,
    headers: idempotencyHeaders,
    success: Broadcast,
    error: [StateNotAllowed, ...changeErrors]
  }).pipe(operation(summary, `${description} ${manage}`))

export class BroadcastsApi extends HttpApiGroup.make("broadcasts")
  .add(
    HttpApiEndpoint.get(
      "listMessageTemplates",
      `${root}/templates`,
      listRoute(templates, MessageTemplate, "MessageTemplateList")
    ).pipe(operation("List templates", read)),
    HttpApiEndpoint.get("getMessageTemplate", `${root}/templates/:id`, getRoute(one, MessageTemplate)).pipe(
      operation("Get a template", `The ETag is the version. ${read}`)
    ),
    HttpApiEndpoint.post(
      "createMessageTemplate",
      `${root}/templates`,
      createRoute(TemplateRequest, MessageTemplate)
    ).pipe(
      operation(
        "Create a template",
        `{{name}} is a variable, {{name|default}} an optional one: the client's name, email, phone, language and externalId, then the variables of the broadcast. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateMessageTemplate",
      `${root}/templates/:id`,
      updateRoute(one, TemplatePatch, MessageTemplate)
    ).pipe(operation("Update a template", `A started broadcast keeps its text. ${manageVersion}`)),
    HttpApiEndpoint.delete(
      "deleteMessageTemplate",
      `${root}/templates/:id`,
      deleteRoute(one, StateNotAllowed)
    ).pipe(operation("Delete a template", `A template in use cannot be deleted. ${manage}`)),
    HttpApiEndpoint.get("listBroadcasts", root, listRoute(broadcasts, Broadcast, "BroadcastList")).pipe(
      operation("List broadcasts", read)
    ),
    HttpApiEndpoint.get("getBroadcast", `${root}/:id`, getRoute(one, Broadcast)).pipe(
      operation("Get a broadcast", `The ETag is the version. ${read}`)
    ),
    HttpApiEndpoint.post("createBroadcast", root, createRoute(BroadcastRequest, Broadcast)).pipe(
      operation(
        "Create a broadcast",
        `The broadcast is a draft. Each client of the audience gets one message, at one identity of the channel. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateBroadcast",
      `${root}/:id`,
      updateRoute(one, BroadcastPatch, Broadcast, StateNotAllowed)
    ).pipe(operation("Update a draft", `A broadcast that was started cannot be changed. ${manageVersion}`)),
    HttpApiEndpoint.post("previewBroadcast", `${root}/:id/preview`, {
      params: one,
      success: BroadcastPreview,
      error: [...accessErrors, StateNotAllowed]
    }).pipe(
      operation(
        "Preview a broadcast",
        `Counts the clients it would reach now and those it would skip, by reason, and shows sample messages. Sends nothing. Requires broadcasts.manage and clients.read.`
      )
    ),
    step(
      "startBroadcast",
      "start",
      "Start a broadcast",
      "Freezes the audience. The status is scheduled if scheduledAt is in the future, else running."
    ),
    step("pauseBroadcast", "pause", "Pause a broadcast", "Sends no further messages until it is resumed."),
    step("resumeBroadcast", "resume", "Resume a broadcast", "Continues with the remaining recipients."),
    step(
      "cancelBroadcast",
      "cancel",
      "Cancel a broadcast",
      "Ends the broadcast. Queued recipients are skipped."
    ),
    HttpApiEndpoint.get("getBroadcastResults", `${root}/:id/results`, getRoute(one, BroadcastResults)).pipe(
      operation("Get the results of a broadcast", `The number of recipients by status. ${read}`)
    ),
    HttpApiEndpoint.get("listBroadcastRecipients", `${root}/:id/recipients`, {
      params: one,
      ...listRoute(recipients, Recipient, "RecipientList"),
      error: accessErrors
    }).pipe(operation("List the recipients of a broadcast", "Requires broadcasts.read and clients.read."))
  )
  .pipe(withSession("Broadcasts", "One message to many clients.")) {}
