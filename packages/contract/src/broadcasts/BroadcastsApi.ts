// Broadcasts on the wire: templates, broadcasts with their steps, results and recipients (contract §9.1).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { AccessDenied, NotFound, StateNotAllowed, VersionConflict } from "../Errors.ts"
import { envelope, ListedCollection, listQuery } from "../lists/Collection.ts"
import { idempotencyErrors, idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import { ifMatchHeaders } from "../values/IfMatch.ts"
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
import { creating, deleting, listing, reading, refusals } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/broadcasts"
const one = { id: pathId(1) }
const written = [AccessDenied, ...idempotencyErrors] as const
const changing = { ...idempotencyHeaders, ...ifMatchHeaders }
const read = "Needs broadcasts.read."
const manage = "Needs broadcasts.manage."

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
    error: [...written, NotFound, StateNotAllowed]
  }).pipe(operation(summary, `${description} ${manage}`))

export class BroadcastsApi extends HttpApiGroup.make("broadcasts")
  .add(
    HttpApiEndpoint.get(
      "listTemplates",
      `${root}/templates`,
      listing(templates, MessageTemplate, "MessageTemplateList")
    )
      .annotate(ListedCollection, templates)
      .pipe(operation("List templates", read)),
    HttpApiEndpoint.get("getTemplate", `${root}/templates/:id`, reading(one, MessageTemplate)).pipe(
      operation("Read a template", `Carries its version as ETag. ${read}`)
    ),
    HttpApiEndpoint.post(
      "createTemplate",
      `${root}/templates`,
      creating(TemplateRequest, MessageTemplate, written)
    ).pipe(
      operation(
        "Make a template",
        `{{name}} stands for a variable, {{name|default}} for one that may be missing: the client's name, email, phone, language and externalId, then the broadcast's variables. ${manage}`
      )
    ),
    HttpApiEndpoint.patch("updateTemplate", `${root}/templates/:id`, {
      params: one,
      headers: changing,
      payload: TemplatePatch,
      success: MessageTemplate,
      error: [...written, NotFound, VersionConflict]
    }).pipe(
      operation(
        "Change a template",
        `A broadcast that was started keeps the text it was started with. ${manage}`
      )
    ),
    HttpApiEndpoint.delete("deleteTemplate", `${root}/templates/:id`, deleting(one, StateNotAllowed)).pipe(
      operation("Delete a template", `One that a broadcast names is not deleted. ${manage}`)
    ),
    HttpApiEndpoint.get("listBroadcasts", root, listing(broadcasts, Broadcast, "BroadcastList"))
      .annotate(ListedCollection, broadcasts)
      .pipe(operation("List broadcasts", read)),
    HttpApiEndpoint.get("getBroadcast", `${root}/:id`, reading(one, Broadcast)).pipe(
      operation("Read a broadcast", `Carries its version as ETag. ${read}`)
    ),
    HttpApiEndpoint.post("createBroadcast", root, creating(BroadcastRequest, Broadcast, written)).pipe(
      operation(
        "Make a broadcast",
        `As a draft. Of each client of the audience one identity of the channel is written to. ${manage}`
      )
    ),
    HttpApiEndpoint.patch("updateBroadcast", `${root}/:id`, {
      params: one,
      headers: changing,
      payload: BroadcastPatch,
      success: Broadcast,
      error: [...written, NotFound, VersionConflict, StateNotAllowed]
    }).pipe(operation("Change a draft", manage)),
    HttpApiEndpoint.post("previewBroadcast", `${root}/:id/preview`, {
      params: one,
      success: BroadcastPreview,
      error: [...refusals, StateNotAllowed]
    }).pipe(
      operation(
        "Preview a broadcast",
        `How many clients it would reach now, who is skipped and why, and what the first of them would read. Sends nothing. Needs broadcasts.manage and clients.read.`
      )
    ),
    step(
      "startBroadcast",
      "start",
      "Start a broadcast",
      "Its audience is frozen: scheduled while scheduledAt lies ahead, else running."
    ),
    step("pauseBroadcast", "pause", "Pause a broadcast", "Nobody new is written to until it is resumed."),
    step("resumeBroadcast", "resume", "Resume a broadcast", "With those who were not written to."),
    step(
      "cancelBroadcast",
      "cancel",
      "Cancel a broadcast",
      "Recipients that are still queued are skipped; it ends."
    ),
    HttpApiEndpoint.get("getBroadcastResults", `${root}/:id/results`, reading(one, BroadcastResults)).pipe(
      operation("Count the recipients of a broadcast", `By their status. ${read}`)
    ),
    HttpApiEndpoint.get("listRecipients", `${root}/:id/recipients`, {
      params: one,
      query: listQuery(recipients),
      success: envelope(Recipient).annotate({ identifier: "RecipientList" }),
      error: refusals
    })
      .annotate(ListedCollection, recipients)
      .pipe(operation("List the recipients of a broadcast", "Needs broadcasts.read and clients.read."))
  )
  .pipe(withSession("Broadcasts", "One message to many clients of a channel.")) {}
