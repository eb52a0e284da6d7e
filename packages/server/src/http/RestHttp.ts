// The general REST interface as one Layer: every room of it, each with its own use cases (docs/contract.md §7, §9).
import { Layer } from "effect"
import { auditLayer } from "./AuditHttp.ts"
import { chatsLayer } from "./ChatsHttp.ts"
import { clientsLayer } from "./ClientsHttp.ts"
import { directoryLayer } from "./DirectoryHttp.ts"
import { propertiesLayer } from "./PropertiesHttp.ts"
import { ticketsLayer } from "./TicketsHttp.ts"
import { usersLayer } from "./UsersHttp.ts"

export const restLayer = Layer.mergeAll(
  auditLayer,
  propertiesLayer,
  chatsLayer,
  clientsLayer,
  directoryLayer,
  ticketsLayer,
  usersLayer
)
