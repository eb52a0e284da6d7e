// The HttpApi with every route of the service.
import { HttpApi, OpenApi } from "effect/http-api"
import { AccessApi, LoginApi } from "./access/AccessApi.ts"
import { AppealsApi } from "./appeals/AppealsApi.ts"
import { ClientContextApi } from "./clients/ClientContextApi.ts"
import { ChatsApi } from "./appeals/ChatsApi.ts"
import { TicketsApi } from "./appeals/TicketsApi.ts"
import { AuditApi } from "./audit/AuditApi.ts"
import { BroadcastsApi } from "./broadcasts/BroadcastsApi.ts"
import { ClientsApi } from "./clients/ClientsApi.ts"
import { ContextApi } from "./context/ContextApi.ts"
import { DirectoryApi } from "./directory/DirectoryApi.ts"
import { PropertiesApi } from "./directory/PropertiesApi.ts"
import { InboundApi } from "./delivery/InboundApi.ts"
import { DocumentsApi } from "./documents/DocumentsApi.ts"
import { FileLinksApi, FilesApi } from "./files/FilesApi.ts"
import { ImportsApi } from "./imports/ImportsApi.ts"
import { HealthApi } from "./readiness/HealthApi.ts"
import { RecordsApi } from "./records/RecordsApi.ts"
import { BotsApi } from "./scenarios/BotsApi.ts"
import { CallsApi } from "./scenarios/CallsApi.ts"
import { SessionsApi } from "./sessions/SessionsApi.ts"
import { QualityApi } from "./quality/QualityApi.ts"
import { StatisticsApi } from "./statistics/StatisticsApi.ts"
import { ToolsApi } from "./tools/ToolsApi.ts"
import { UsersApi } from "./users/UsersApi.ts"
import { strictFirst } from "./values/Faults.ts"
import { version } from "./Version.ts"

export class Api extends HttpApi.make("rapport")
  .add(ContextApi)
  .add(ClientContextApi)
  .add(SessionsApi)
  .add(ImportsApi)
  .add(LoginApi)
  .add(AccessApi)
  .add(AppealsApi)
  .add(ChatsApi)
  .add(TicketsApi)
  .add(FilesApi)
  .add(FileLinksApi)
  .add(ClientsApi)
  .add(DirectoryApi)
  .add(UsersApi)
  .add(PropertiesApi)
  .add(AuditApi)
  .add(StatisticsApi)
  .add(QualityApi)
  .add(RecordsApi)
  .add(BotsApi)
  .add(CallsApi)
  .add(BroadcastsApi)
  .add(InboundApi)
  .add(ToolsApi)
  .add(HealthApi)
  .add(DocumentsApi)
  // Decoding ends at the first fault. SchemaErrors then lists as many faults as an answer shows.
  .annotate(HttpApi.ParseOptions, strictFirst)
  // Otherwise every Host header would be an excess property, and strict encoding costs 1.8 times.
  .annotate(HttpApi.HeadersParseOptions, { errors: "first" })
  .annotate(HttpApi.SuccessParseOptions, {})
  .annotate(HttpApi.ErrorParseOptions, {})
  .annotateMerge(
    OpenApi.annotations({
      title: "Rapport",
      version,
      description:
        "A conversation platform service: context packs about clients, subjects, operators and skill groups, and the chats and tickets behind them.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      servers: [{ url: "/", description: "The instance that serves this document" }]
    })
  ) {}
