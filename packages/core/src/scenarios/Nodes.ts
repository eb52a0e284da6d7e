// The use cases of scenario nodes (contract §8).
import type { AuthorizedSession } from "@rapport/contract/Authorization.ts"
import {
  BotNode,
  type NodePatch,
  type NodeRequest,
  nodes as collection
} from "@rapport/contract/scenarios/Bot.ts"
import { Effect } from "effect"
import { Permissions } from "../access/Permissions.ts"
import { orUnavailable } from "../failures/SourceUnavailable.ts"
import type { ListParameters, Pages } from "../lists/Pages.ts"
import type { IdempotencyKey } from "../lists/Records.ts"
import { changeOnce, orNotFound, requireRecord } from "../lists/RecordUseCases.ts"
import type { Receipts } from "../receipts/Receipts.ts"
import { firstResult, applyPatch, requireNoViolations } from "../receipts/Writes.ts"
import type { BotStore } from "./BotStore.ts"
import { templateViolation } from "./MessageTemplate.ts"

/** scenarios.call includes reading. */
export const requireReading = (session: AuthorizedSession) =>
  Permissions.requireAny(session, ["scenarios.call", "scenarios.manage"])

export const nodeUseCases = (
  store: BotStore["Service"],
  receipts: Receipts["Service"],
  pages: Pages["Service"]
) => {
  const requireBot = (session: AuthorizedSession, botId: number) =>
    requireRecord(store.findBot, session, botId)
  const find = (session: AuthorizedSession, botId: number, id: number) =>
    orNotFound(store.findNode(session, botId, id))

  return {
    list: Effect.fn("Nodes.list")(function* (
      session: AuthorizedSession,
      botId: number,
      parameters: ListParameters
    ) {
      const page = yield* pages.page({
        session,
        // A cursor is bound to its bot.
        collection: { ...collection, name: `${collection.name} ${botId}` },
        parameters,
        access: requireReading(session),
        rows: (request) => store.listNodes(session, botId, request)
      })
      yield* requireBot(session, botId)
      return page
    }, orUnavailable),

    get: Effect.fn("Nodes.get")(function* (session: AuthorizedSession, botId: number, id: number) {
      yield* requireReading(session)
      return yield* find(session, botId, id)
    }, orUnavailable),

    create: Effect.fn("Nodes.create")(function* (
      session: AuthorizedSession,
      botId: number,
      request: NodeRequest,
      key: IdempotencyKey
    ) {
      yield* Permissions.require(session, "scenarios.manage")
      yield* requireNoViolations(templateViolation("template", request.template ?? ""))
      yield* requireBot(session, botId)
      const content = { connectorAlias: null, template: null, active: true, ...request }
      const command = { operation: "node.create", pathIds: [botId], content }
      return yield* receipts.once({ caller: session, command, key, answer: BotNode }, () =>
        Effect.map(store.createNode(session, botId, content), firstResult)
      )
    }, orUnavailable),

    update: Effect.fn("Nodes.update")(function* (
      session: AuthorizedSession,
      botId: number,
      id: number,
      change: NodePatch,
      key: IdempotencyKey
    ) {
      yield* Permissions.require(session, "scenarios.manage")
      yield* requireNoViolations(templateViolation("template", change.template ?? ""))
      const command = { operation: "node.update", pathIds: [botId, id], content: change }
      const allowed = find(session, botId, id)
      const updated = store.updateNode(session, botId, id, (found) =>
        Effect.succeed(applyPatch(found, change))
      )
      return yield* changeOnce(receipts, { caller: session, command, key, answer: BotNode, allowed }, updated)
    }, orUnavailable)
  }
}
