// Every use case of core except those of access.
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { AuditEntries } from "@rapport/core/audit/AuditEntries.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { ClientData } from "@rapport/core/clients/ClientData.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { Inbound } from "@rapport/core/delivery/Inbound.ts"
import { Directory } from "@rapport/core/directory/Directory.ts"
import { Properties } from "@rapport/core/directory/Properties.ts"
import { Files } from "@rapport/core/files/Files.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { ClientMemory } from "@rapport/core/memory/ClientMemory.ts"
import { Assessments } from "@rapport/core/quality/Assessments.ts"
import { Quality } from "@rapport/core/quality/Quality.ts"
import { ContextReadiness } from "@rapport/core/readiness/ContextReadiness.ts"
import { Broadcasts } from "@rapport/core/broadcasts/Broadcasts.ts"
import { Bots } from "@rapport/core/scenarios/Bots.ts"
import { Calls } from "@rapport/core/scenarios/Calls.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { CustomRecords } from "@rapport/core/records/CustomRecords.ts"
import { Models } from "@rapport/core/records/Models.ts"
import { Sla } from "@rapport/core/statistics/Sla.ts"
import { Statistics } from "@rapport/core/statistics/Statistics.ts"
import { UserEntrance } from "@rapport/core/users/UserEntrance.ts"
import { UserAccount } from "@rapport/core/users/UserAccount.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { Layer } from "effect"
import { sha256Layer } from "../files/Utf8.ts"

/** Needs the stores, AppealIndex, MemoryIndex, IndexLag, Cursors, Passwords, OpaqueTokens, Admission and SecureRandom. */
export const useCasesLayer = Layer.mergeAll(
  AppealMessages.layer,
  Chats.layer,
  Tickets.layer,
  AuditEntries.layer,
  ClientContext.layer,
  ClientData.layer,
  Clients.layer,
  ContextReader.layer,
  Files.layer,
  Inbound.layer,
  Directory.layer,
  Properties.layer,
  Imports.layer,
  Assessments.layer,
  Quality.layer,
  ContextReadiness.layer,
  Broadcasts.layer,
  Bots.layer,
  Calls.layer,
  Sessions.layer,
  Models.layer,
  CustomRecords.layer,
  Sla.layer,
  Statistics.layer,
  UserEntrance.layer,
  UserAccount.layer,
  Users.layer
).pipe(Layer.provide([Pages.layer, ClientMemory.layer, Files.layer, sha256Layer]))
