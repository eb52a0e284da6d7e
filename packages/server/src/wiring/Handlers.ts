// The handlers of every group of the Api except health and auth.
import { Layer } from "effect"
import { appealsLayer } from "../http/handlers/AppealsHttp.ts"
import { auditLayer } from "../http/handlers/AuditHttp.ts"
import { botsLayer } from "../http/handlers/BotsHttp.ts"
import { broadcastsLayer } from "../http/handlers/BroadcastsHttp.ts"
import { callsLayer } from "../http/handlers/CallsHttp.ts"
import { chatsLayer } from "../http/handlers/ChatsHttp.ts"
import { clientContextLayer } from "../http/handlers/ClientContextHttp.ts"
import { clientsLayer } from "../http/handlers/ClientsHttp.ts"
import { contextLayer } from "../http/handlers/ContextHttp.ts"
import { customDataLayer } from "../http/handlers/CustomDataHttp.ts"
import { directoryLayer } from "../http/handlers/DirectoryHttp.ts"
import { fileLinksLayer, filesLayer } from "../http/handlers/FilesHttp.ts"
import { inboundLayer } from "../http/handlers/InboundHttp.ts"
import { importsLayer } from "../http/handlers/ImportsHttp.ts"
import { propertiesLayer } from "../http/handlers/PropertiesHttp.ts"
import { qualityLayer } from "../http/handlers/QualityHttp.ts"
import { sessionsLayer } from "../http/handlers/SessionsHttp.ts"
import { statisticsLayer } from "../http/handlers/StatisticsHttp.ts"
import { ticketsLayer } from "../http/handlers/TicketsHttp.ts"
import { usersLayer } from "../http/handlers/UsersHttp.ts"
import { toolsLayer } from "../http/mcp/McpHttp.ts"

/** The general REST interface (contract §7, §9). */
const restHandlersLayer = Layer.mergeAll(
  auditLayer,
  botsLayer,
  broadcastsLayer,
  callsLayer,
  chatsLayer,
  clientsLayer,
  customDataLayer,
  directoryLayer,
  fileLinksLayer,
  filesLayer,
  inboundLayer,
  propertiesLayer,
  qualityLayer,
  statisticsLayer,
  ticketsLayer,
  usersLayer
)

/** With the context store: reads, writes and transcripts (contract §3, §4, §5), and the tools for agents (contract §6). */
export const handlersLayer = Layer.mergeAll(
  appealsLayer,
  clientContextLayer,
  contextLayer,
  importsLayer,
  sessionsLayer,
  toolsLayer,
  restHandlersLayer
)
