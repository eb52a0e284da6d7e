// The general REST interface joined: its handlers, the use cases of every room, their stores in PostgreSQL (docs/contract.md §7, §9).
import { AppealMessages } from "@rapport/core/appeals/AppealMessages.ts"
import { Chats } from "@rapport/core/appeals/Chats.ts"
import { Tickets } from "@rapport/core/appeals/Tickets.ts"
import { TicketStatusList } from "@rapport/core/appeals/TicketStatusList.ts"
import { Clients } from "@rapport/core/clients/Clients.ts"
import { AuditEntries } from "@rapport/core/audit/AuditEntries.ts"
import { Properties } from "@rapport/core/directory/Properties.ts"
import { SkillGroups } from "@rapport/core/directory/SkillGroups.ts"
import { Subjects } from "@rapport/core/directory/Subjects.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import { UserEntrance } from "@rapport/core/users/UserEntrance.ts"
import { Assessments } from "@rapport/core/quality/Assessments.ts"
import { Checklists } from "@rapport/core/quality/Checklists.ts"
import { Criteria } from "@rapport/core/quality/Criteria.ts"
import { Calendars } from "@rapport/core/statistics/Calendars.ts"
import { SlaTargets } from "@rapport/core/statistics/SlaTargets.ts"
import { Statistics } from "@rapport/core/statistics/Statistics.ts"
import { Users } from "@rapport/core/users/Users.ts"
import { UserStanding } from "@rapport/core/users/UserStatus.ts"
import { Layer } from "effect"
import { restLayer } from "./RestHttp.ts"
import * as AppealStorePostgres from "../postgres/appeals/AppealStorePostgres.ts"
import * as AuditEntryStorePostgres from "../postgres/audit/AuditEntryStorePostgres.ts"
import * as PropertyStorePostgres from "../postgres/directory/PropertyStorePostgres.ts"
import * as ClientStorePostgres from "../postgres/clients/ClientStorePostgres.ts"
import * as DirectoryStorePostgres from "../postgres/directory/DirectoryStorePostgres.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import * as AssessmentStorePostgres from "../postgres/quality/AssessmentStorePostgres.ts"
import * as QualityStorePostgres from "../postgres/quality/QualityStorePostgres.ts"
import * as SlaStorePostgres from "../postgres/statistics/SlaStorePostgres.ts"
import * as StatisticsStorePostgres from "../postgres/statistics/StatisticsStorePostgres.ts"
import * as UserStorePostgres from "../postgres/users/UserStorePostgres.ts"

const useCases = Layer.mergeAll(
  AuditEntries.layer,
  Properties.layer,
  AppealMessages.layer,
  Chats.layer,
  Tickets.layer,
  TicketStatusList.layer,
  Clients.layer,
  Subjects.layer,
  SkillGroups.layer,
  Criteria.layer,
  Checklists.layer,
  Assessments.layer,
  Calendars.layer,
  SlaTargets.layer,
  Statistics.layer,
  Users.layer,
  UserStanding.layer,
  UserEntrance.layer
)
const stores = Layer.mergeAll(
  AuditEntryStorePostgres.layer,
  PropertyStorePostgres.layer,
  AppealStorePostgres.layer,
  ClientStorePostgres.layer,
  DirectoryStorePostgres.layer,
  ReceiptsPostgres.layer,
  AssessmentStorePostgres.layer,
  QualityStorePostgres.layer,
  SlaStorePostgres.layer,
  StatisticsStorePostgres.layer,
  UserStorePostgres.layer
)

/** Needs SqlClient, Cursors, SecureRandom, Passwords, OpaqueTokens, LoginGuard, AccessStore, AuditLog and OutboxSignal; a part of the composition root, kept apart so that tests join the same. */
export const restRooms = restLayer.pipe(
  Layer.provide(useCases),
  Layer.provide(Pages.layer),
  Layer.provide(stores)
)
