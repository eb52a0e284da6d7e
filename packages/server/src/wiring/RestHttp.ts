// The general REST interface as one Layer: every room of it, each with its own use cases (docs/contract.md §7, §9).
import { Layer } from "effect"
import { auditLayer } from "../http/handlers/AuditHttp.ts"
import { chatsLayer } from "../http/handlers/ChatsHttp.ts"
import { clientsLayer } from "../http/handlers/ClientsHttp.ts"
import { directoryLayer } from "../http/handlers/DirectoryHttp.ts"
import { propertiesLayer } from "../http/handlers/PropertiesHttp.ts"
import { qualityLayer } from "../http/handlers/QualityHttp.ts"
import { statisticsLayer } from "../http/handlers/StatisticsHttp.ts"
import { ticketsLayer } from "../http/handlers/TicketsHttp.ts"
import { usersLayer } from "../http/handlers/UsersHttp.ts"

export const restLayer = Layer.mergeAll(
  auditLayer,
  propertiesLayer,
  chatsLayer,
  clientsLayer,
  directoryLayer,
  qualityLayer,
  statisticsLayer,
  ticketsLayer,
  usersLayer
)
