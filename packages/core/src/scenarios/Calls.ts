// Calls of scenario nodes: the client, the text, and the state of the delivery (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  type AccessDenied,
  ClientNotSubscribed,
  type InvalidRequest,
  NotFound,
  type PayloadTooLarge,
  type SearchUnavailable,
  StateNotAllowed,
  type Violation
} from "@rapport/contract/Errors.ts"
import { APPEAL_TEXT_POINTS_MAX, CALL_DATA_BYTES_MAX, VIOLATIONS_MAX } from "@rapport/contract/Limits.ts"
import { type Call, CallAccepted, type Variables } from "@rapport/contract/scenarios/Call.ts"
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Permissions } from "../access/Permissions.ts"
import { bounded } from "../clients/ClientContext.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { Key } from "../lists/Records.ts"
import { type Effected, Receipts } from "../receipts/Receipts.ts"
import { fresh, invalid, type WriteFailure } from "../receipts/Writes.ts"
import { type ExpectedCall, type CalledNode, type Callee, CallStore, type CallTarget } from "./CallStore.ts"
import { type Filled, fillTemplate, isUnreadable, readTemplate } from "./MessageTemplate.ts"

export class Calls extends Context.Service<
  Calls,
  {
    /** `data` holds the message and the variables of the template. */
    readonly call: (
      session: AuthorizedSession,
      target: CallTarget,
      data: Variables,
      key: Key
    ) => Effect.Effect<
      Effected<CallAccepted>,
      | AccessDenied
      | NotFound
      | InvalidRequest
      | PayloadTooLarge
      | StateNotAllowed
      | ClientNotSubscribed
      | WriteFailure
    >
    readonly get: (
      session: AuthorizedSession,
      callId: string
    ) => Effect.Effect<Call, AccessDenied | NotFound | SearchUnavailable>
  }
>()("core/scenarios/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function* () {
      const store = yield* CallStore
      const receipts = yield* Receipts
      const random = yield* SecureRandom.SecureRandom
      return Calls.of({
        call: Effect.fn("Calls.call")(function* (session, target, data, key) {
          yield* Permissions.require(session, "scenarios.call")
          yield* bounded(data, "data", CALL_DATA_BYTES_MAX)
          const command = { operation: "call_node", pathIds: [], content: { ...target, data } }
          const claim = yield* receipts.claim({ caller: session, command, key })
          const callId = yield* random.uuidV7()
          const answer = accepted(callId)
          if (yield* sentAtOnce(store, session, target, { answer, claim, data })) return fresh(answer)
          return yield* receipts.once({ caller: session, command, key, answer: CallAccepted }, () =>
            Effect.gen(function* () {
              const callee = (yield* store.open(session, target)) ?? (yield* new NotFound())
              const text = yield* textOf(callee, data)
              yield* requireReachable(callee)
              yield* store.send(session, target, callee, { callId, text })
              return fresh(answer)
            })
          )
        }, orUnavailable),

        get: Effect.fn("Calls.get")(function* (session, callId) {
          yield* Permissions.require(session, "scenarios.call")
          return (yield* store.find(session, callId)) ?? (yield* new NotFound())
        }, orUnavailable)
      })
    })
  )
}

/** Where nothing is out of the ordinary; whatever is, a transaction judges in the order of the contract. */
const sentAtOnce = Effect.fnUntraced(function* (
  store: CallStore["Service"],
  session: AuthorizedSession,
  target: CallTarget,
  call: Pick<ExpectedCall, "answer" | "claim"> & { readonly data: Variables }
) {
  const node = yield* store.look(session, target)
  if (node === undefined) return false
  const text = yield* Effect.option(textOf(node, call.data))
  return Option.isSome(text)
    ? yield* store.sendInOneStatement(session, target, { ...call, node, text: text.value })
    : false
})

const accepted = (callId: string): CallAccepted => ({
  status: "success",
  message: "the message is queued for delivery",
  callId,
  delivery: "queued"
})

const textOf = ({ template }: CalledNode, data: Variables): Effect.Effect<string, InvalidRequest> => {
  const variableOf = (name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
  if (template === null) return Effect.succeed(String(variableOf("message")))
  const read = readTemplate(template)
  if (isUnreadable(read)) return Effect.die("a template that was read when it was written")
  const filled = fillTemplate(read, variableOf)
  return filled._tag === "Text"
    ? Effect.succeed(filled.text)
    : Effect.fail(invalid(unfilled(filled, (name) => `data.${name}`)))
}

/** What is wrong with the variables, all at once. */
const unfilled = (
  filled: Exclude<Filled, { readonly _tag: "Text" }>,
  pathOf: (name: string) => string
): ReadonlyArray<Violation> => {
  switch (filled._tag) {
    case "Empty":
      return [{ path: "data", message: "leaves nothing to send" }]
    case "Long":
      return [{ path: "data", message: `makes a text of more than ${APPEAL_TEXT_POINTS_MAX} characters` }]
    case "Missing":
      return [
        ...filled.missing.map((name) => ({ path: pathOf(name), message: "is required by the template" })),
        ...filled.unprintable.map((name) => ({
          path: pathOf(name),
          message: "must be a text, a number, true, false or null"
        }))
      ].slice(0, VIOLATIONS_MAX)
  }
}

const requireReachable = (callee: Callee): Effect.Effect<void, StateNotAllowed | ClientNotSubscribed> => {
  const inactive = !callee.isBotActive
    ? "bot"
    : !callee.isNodeActive
      ? "node"
      : callee.isConnectorActive
        ? undefined
        : "connector"
  if (inactive !== undefined)
    return Effect.fail(new StateNotAllowed({ detail: `the ${inactive} is not active` }))
  return callee.isSubscribed ? Effect.void : Effect.fail(new ClientNotSubscribed())
}
