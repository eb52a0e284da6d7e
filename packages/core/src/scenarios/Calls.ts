// The use cases of calls to scenario nodes (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  ClientNotSubscribed,
  type InvalidRequest,
  NotFound,
  StateNotAllowed
} from "@rapport/contract/Errors.ts"
import { CALL_DATA_BYTES_MAX } from "@rapport/contract/Limits.ts"
import { CallAccepted, type Variables } from "@rapport/contract/scenarios/Call.ts"
import { Context, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { requireBytesMax } from "../clients/ClientContext.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { failedWrite, replayedAnswer } from "../receipts/WriteOutcomes.ts"
import { firstResult, invalidRequest } from "../receipts/Writes.ts"
import { type CalledNode, CallStore, type CallTarget, type CallWrite } from "./CallStore.ts"
import { fillTemplate, storedTemplate, templateViolations } from "./MessageTemplate.ts"

export class Calls extends Context.Service<Calls>()("core/scenarios/Calls", {
  make: Effect.gen(function* () {
    const store = yield* CallStore
    const receipts = yield* Receipts
    const random = yield* SecureRandom.SecureRandom
    return {
      /** `data` has the message and the variables of the template. */
      call: Effect.fn("Calls.call")(function* (
        session: AuthorizedSession,
        target: CallTarget,
        data: Variables,
        key: IdempotencyKey
      ) {
        yield* Permissions.require(session, "scenarios.call")
        yield* requireBytesMax(data, "data", CALL_DATA_BYTES_MAX)
        const command = { operation: "call_node", pathIds: [], content: { ...target, data } }
        const prepared = yield* receipts.prepare({ caller: session, command, key })
        const answer = acceptedCall(yield* random.uuidV7())
        return yield* send(store, session, target, { answer, data, prepared })
      }, orUnavailable),

      get: Effect.fn("Calls.get")(function* (session: AuthorizedSession, callId: string) {
        yield* Permissions.require(session, "scenarios.call")
        return (yield* store.find(session, callId)) ?? (yield* new NotFound())
      }, orUnavailable)
    }
  })
}) {
  static readonly layer = Layer.effect(Calls, Calls.make)
}

const send = Effect.fnUntraced(function* (
  store: CallStore["Service"],
  session: AuthorizedSession,
  target: CallTarget,
  { answer, data, prepared }: Pick<CallWrite, "answer" | "prepared"> & { readonly data: Variables }
) {
  for (;;) {
    const node = yield* store.findNode(session, target)
    const text = node === undefined ? undefined : yield* Effect.result(textOf(node, data))
    const outcome = yield* store.send(session, {
      target,
      node,
      text: text !== undefined && Result.isSuccess(text) ? text.success : null,
      answer,
      prepared
    })
    switch (outcome._tag) {
      case "Sent":
        return firstResult(answer)
      case "Replayed":
        return yield* replayedAnswer(CallAccepted, outcome)
      case "NodeChanged":
        // Rare: the node is read again.
        continue
      case "NoText":
        return yield* text !== undefined && Result.isFailure(text)
          ? Effect.fail(text.failure)
          : Effect.die("a call without a text")
      case "BotInactive":
        return yield* new StateNotAllowed({ detail: "the bot is not active" })
      case "NodeInactive":
        return yield* new StateNotAllowed({ detail: "the node is not active" })
      case "ConnectorInactive":
        return yield* new StateNotAllowed({ detail: "the connector is not active" })
      case "NotSubscribed":
        return yield* new ClientNotSubscribed()
      default:
        return yield* failedWrite(outcome, prepared)
    }
  }
})

const acceptedCall = (callId: string): CallAccepted => ({
  status: "success",
  message: "the message is queued for delivery",
  callId,
  delivery: "queued"
})

const textOf = ({ template }: CalledNode, data: Variables): Effect.Effect<string, InvalidRequest> => {
  const variableOf = (name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
  if (template === null) return Effect.succeed(String(variableOf("message")))
  const filled = fillTemplate(storedTemplate(template), variableOf)
  return filled._tag === "Text"
    ? Effect.succeed(filled.text)
    : Effect.fail(invalidRequest(templateViolations(filled, "data", "data")))
}
