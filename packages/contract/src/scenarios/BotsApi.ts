// Routes of bots and nodes (contract §8).
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { operation } from "../documents/Operation.ts"
import { NotFound, UniqueConflict } from "../Errors.ts"
import { pathId } from "../values/Ids.ts"
import {
  Bot,
  BotNode,
  BotPatch,
  BotRequest,
  bots,
  NodePatch,
  NodeRequest,
  nodes,
  BotWithSecrets
} from "./Bot.ts"
import { actionRoute, createRoute, listRoute, getRoute, accessErrors } from "../lists/RecordRoutes.ts"
import { withSession } from "../http/WithSession.ts"

const root = "/kw/api/v1/bots"
const bot = { bot_id: pathId(1) }
const node = { ...bot, id: pathId(1) }
const read = "Requires scenarios.call or scenarios.manage."
const manage = "Requires scenarios.manage."

export class BotsApi extends HttpApiGroup.make("bots")
  .add(
    HttpApiEndpoint.get("listBots", root, listRoute(bots, Bot, "BotList")).pipe(operation("List bots", read)),
    HttpApiEndpoint.get("getBot", `${root}/:id`, getRoute({ id: pathId(1) }, Bot)).pipe(
      operation("Get a bot", `Without the secrets of its connectors. ${read}`)
    ),
    HttpApiEndpoint.post("createBot", root, createRoute(BotRequest, BotWithSecrets)).pipe(
      operation(
        "Create a bot",
        `At most one connector for each channel. A webhook needs a url, Telegram a token. An absent secret is generated and shown only in this answer. Private addresses are refused by default. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateBot",
      `${root}/:id`,
      actionRoute({ id: pathId(1) }, BotPatch, BotWithSecrets)
    ).pipe(
      operation(
        "Update a bot",
        `connectors replaces all connectors. Absent members of an existing connector keep their value, also secret and token. ${manage}`
      )
    ),
    HttpApiEndpoint.get("listBotNodes", `${root}/:bot_id/nodes`, {
      params: bot,
      ...listRoute(nodes, BotNode, "BotNodeList"),
      error: accessErrors
    }).pipe(operation("List the nodes of a bot", read)),
    HttpApiEndpoint.get("getBotNode", `${root}/:bot_id/nodes/:id`, getRoute(node, BotNode)).pipe(
      operation("Get a node", read)
    ),
    HttpApiEndpoint.post("createBotNode", `${root}/:bot_id/nodes`, {
      params: bot,
      ...createRoute(NodeRequest, BotNode, NotFound, UniqueConflict)
    }).pipe(
      operation(
        "Create a node",
        `The alias is unique in the bot. In the template {{name}} is a variable of the call and {{name|default}} an optional one. Values are inserted unchanged. ${manage}`
      )
    ),
    HttpApiEndpoint.patch(
      "updateBotNode",
      `${root}/:bot_id/nodes/:id`,
      actionRoute(node, NodePatch, BotNode, UniqueConflict)
    ).pipe(operation("Update a node", manage))
  )
  .pipe(withSession("Bots", "Bots, their connectors and nodes.")) {}
