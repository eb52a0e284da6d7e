// call_node: sends a message to a client, and shows its delivery (contract §8).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { freeBody, operation } from "../documents/Operation.ts"
import { ClientNotSubscribed, StateNotAllowed } from "../Errors.ts"
import { RatePolicy, policies } from "../http/RateLimits.ts"
import { idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { pathId, Uuid } from "../values/Ids.ts"
import { externalIdLike, shortTextLike } from "../values/Members.ts"
import { AliasCall, Call, CallAccepted, NodeCall } from "./Call.ts"
import { actionRoute, changeErrors, getRoute } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

/** Errors below this path have `"result": "error"`. */
export const callRoot = "/kw/api/call_node"

const about =
  "Writes the message to the client's open chat with the bot, or to a new chat, and queues it for delivery. Limited by CALLS_PER_MINUTE. Requires scenarios.call."

export class CallsApi extends HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.post(
      "callNode",
      `${callRoot}/:bot_id/:node_id/:channel/:chat_id`,
      actionRoute(
        {
          bot_id: pathId(1),
          node_id: pathId(1),
          channel: shortTextLike("phone"),
          chat_id: externalIdLike("501")
        },
        NodeCall,
        CallAccepted,
        StateNotAllowed,
        ClientNotSubscribed
      )
    )
      .annotate(RatePolicy, policies.call)
      .pipe(operation("Send a message with a node", about))
      .annotateMerge(
        freeBody("{data: {message, …}}, or the data itself: message and variables of the template", {
          data: { message: "Your order is on its way", order: "W-1042" }
        })
      ),
    HttpApiEndpoint.post("callNodeByAlias", `${callRoot}/`, {
      headers: idempotencyHeaders,
      payload: AliasCall,
      success: CallAccepted,
      error: [StateNotAllowed, ClientNotSubscribed, ...changeErrors]
    })
      .annotate(RatePolicy, policies.call)
      .pipe(
        operation(
          "Send a message with the alias of a node",
          `Also works without the slash at the end. ${about}`
        )
      ),
    HttpApiEndpoint.get("getCall", `${callRoot}/calls/:callId`, getRoute({ callId: Uuid }, Call)).pipe(
      operation(
        "Get the delivery of a call",
        "The status only rises: queued, sent, delivered, read. failed is final and has a reason. Requires scenarios.call."
      )
    )
  )
  .pipe(withSession("Calls", "Messages to clients by nodes of bots.")) {}
