// call_node on the wire: a message to a client by a node of a scenario, and what became of it (contract §8).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { freeBody, operation } from "../documents/Operation.ts"
import { AccessDenied, ClientNotSubscribed, NotFound, StateNotAllowed } from "../Errors.ts"
import { Counted, policies } from "../http/RateLimits.ts"
import { idempotencyErrors, idempotencyHeaders } from "../receipts/IdempotencyKey.ts"
import { pathId, Uuid } from "../values/Ids.ts"
import { externalIdLike, shortTextLike } from "../values/Members.ts"
import { AliasCall, Call, CallAccepted, NodeCall } from "./Call.ts"
import { acting, reading } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

/** Below it every failure says `"result": "error"` too. */
export const callRoot = "/kw/api/call_node"

const called = [AccessDenied, NotFound, StateNotAllowed, ClientNotSubscribed, ...idempotencyErrors] as const
const about =
  "The message is written into the client's open chat of the bot, or a new one, and queued for delivery. There is no GET that sends: links are followed by programs that nobody asked. Counted by CALLS_PER_MINUTE. Needs scenarios.call."

export class CallsApi extends HttpApiGroup.make("calls")
  .add(
    HttpApiEndpoint.post(
      "callNode",
      `${callRoot}/:bot_id/:node_id/:channel/:chat_id`,
      acting(
        {
          bot_id: pathId(1),
          node_id: pathId(1),
          channel: shortTextLike("phone"),
          chat_id: externalIdLike("501")
        },
        NodeCall,
        CallAccepted,
        called
      )
    )
      .annotate(Counted, policies.call)
      .pipe(operation("Send a message by a node", about))
      .annotateMerge(
        freeBody("{data: {message, …}}, or the data itself: message, and variables of the template", {
          data: { message: "Your order is on its way", order: "W-1042" }
        })
      ),
    HttpApiEndpoint.post("callNodeByAlias", `${callRoot}/`, {
      headers: idempotencyHeaders,
      payload: AliasCall,
      success: CallAccepted,
      error: called
    })
      .annotate(Counted, policies.call)
      .pipe(
        operation(
          "Send a message by the alias of a node",
          `Works without the slash at the end, too. ${about}`
        )
      ),
    HttpApiEndpoint.get("getCall", `${callRoot}/calls/:callId`, reading({ callId: Uuid }, Call)).pipe(
      operation(
        "Read what became of a call",
        "Its status only rises: queued, sent, delivered, read; failed ends, with a reason. Needs scenarios.call."
      )
    )
  )
  .pipe(withSession("Calls", "Messages to clients by scenario nodes. Reading never sends.")) {}
