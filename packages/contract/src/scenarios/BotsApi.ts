// Bots and nodes on the wire (contract §8).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { AccessDenied, NotFound, UniqueConflict } from "../Errors.ts"
import { envelope, ListedCollection, listQuery } from "../lists/Collection.ts"
import { idempotencyErrors } from "../receipts/IdempotencyKey.ts"
import { pathId } from "../values/Ids.ts"
import { Bot, BotNode, BotPatch, BotRequest, bots, NodePatch, NodeRequest, nodes, WrittenBot } from "./Bot.ts"
import { acting, creating, listing, reading } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/bots"
const bot = { bot_id: pathId(1) }
const node = { ...bot, id: pathId(1) }
const written = [AccessDenied, ...idempotencyErrors] as const
const read = "Needs scenarios.call or scenarios.manage."
const manage = "Needs scenarios.manage."

export class BotsApi extends HttpApiGroup.make("bots")
  .add(
    HttpApiEndpoint.get("listBots", root, listing(bots, Bot, "BotList"))
      .annotate(ListedCollection, bots)
      .pipe(operation("List bots", read)),
    HttpApiEndpoint.get("getBot", `${root}/:id`, reading({ id: pathId(1) }, Bot)).pipe(
      operation("Read a bot", `Without the secrets of its connectors. ${read}`)
    ),
    HttpApiEndpoint.post("createBot", root, creating(BotRequest, WrittenBot, written)).pipe(
      operation(
        "Make a bot",
        `With at most one connector a channel: a webhook has a url, a telegram a token. A secret that is left out is made, and shown in this answer alone. Private addresses are refused unless the service allows them. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateBot",
      `${root}/:id`,
      acting({ id: pathId(1) }, BotPatch, WrittenBot, [...written, NotFound])
    ).pipe(
      operation(
        "Change a bot",
        `connectors replaces them all; what is left out of one that the bot has already stays, its secret and token too. ${manage}`
      )
    ),
    HttpApiEndpoint.get("listNodes", `${root}/:bot_id/nodes`, {
      params: bot,
      query: listQuery(nodes),
      success: envelope(BotNode).annotate({ identifier: "BotNodeList" }),
      error: [AccessDenied, NotFound]
    })
      .annotate(ListedCollection, nodes)
      .pipe(operation("List the nodes of a bot", read)),
    HttpApiEndpoint.get("getNode", `${root}/:bot_id/nodes/:id`, reading(node, BotNode)).pipe(
      operation("Read a node", read)
    ),
    HttpApiEndpoint.post("createNode", `${root}/:bot_id/nodes`, {
      params: bot,
      ...creating(NodeRequest, BotNode, [...written, NotFound, UniqueConflict])
    }).pipe(
      operation(
        "Make a node",
        `Its alias is unique in the bot. In its template {{name}} stands for a variable of the call and {{name|default}} for one that may be missing; values are inserted as they are, once. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateNode",
      `${root}/:bot_id/nodes/:id`,
      acting(node, NodePatch, BotNode, [...written, NotFound, UniqueConflict])
    ).pipe(operation("Change a node", manage))
  )
  .pipe(withSession("Bots", "Bots, their connectors and the nodes of scenarios.")) {}
