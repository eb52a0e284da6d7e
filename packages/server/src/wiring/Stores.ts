// Every store of core over PostgreSQL.
import { Layer } from "effect"
import * as AccessStorePostgres from "../postgres/access/AccessStorePostgres.ts"
import * as ExternalTokenStorePostgres from "../postgres/access/ExternalTokenStorePostgres.ts"
import * as TokenUsesPostgres from "../postgres/access/TokenUsesPostgres.ts"
import * as AppealStorePostgres from "../postgres/appeals/AppealStorePostgres.ts"
import * as AuditEntryStorePostgres from "../postgres/audit/AuditEntryStorePostgres.ts"
import * as AuditLogPostgres from "../postgres/audit/AuditLogPostgres.ts"
import * as ClientContextStorePostgres from "../postgres/clients/ClientContextStorePostgres.ts"
import * as ClientDataStorePostgres from "../postgres/clients/ClientDataStorePostgres.ts"
import * as ClientStorePostgres from "../postgres/clients/ClientStorePostgres.ts"
import * as ContextStorePostgres from "../postgres/context/ContextStorePostgres.ts"
import * as InboundStorePostgres from "../postgres/delivery/InboundStorePostgres.ts"
import * as DirectoryStorePostgres from "../postgres/directory/DirectoryStorePostgres.ts"
import * as PropertyStorePostgres from "../postgres/directory/PropertyStorePostgres.ts"
import * as FileStorePostgres from "../postgres/files/FileStorePostgres.ts"
import * as ImportStorePostgres from "../postgres/imports/ImportStorePostgres.ts"
import * as MemoryStorePostgres from "../postgres/memory/MemoryStorePostgres.ts"
import * as AssessmentStorePostgres from "../postgres/quality/AssessmentStorePostgres.ts"
import * as QualityStorePostgres from "../postgres/quality/QualityStorePostgres.ts"
import * as ReadinessStorePostgres from "../postgres/readiness/ReadinessStorePostgres.ts"
import * as ReceiptsPostgres from "../postgres/receipts/ReceiptsPostgres.ts"
import * as BroadcastStorePostgres from "../postgres/broadcasts/BroadcastStorePostgres.ts"
import * as BotStorePostgres from "../postgres/scenarios/BotStorePostgres.ts"
import * as CallStorePostgres from "../postgres/scenarios/CallStorePostgres.ts"
import * as SessionStorePostgres from "../postgres/sessions/SessionStorePostgres.ts"
import * as RecordStorePostgres from "../postgres/records/RecordStorePostgres.ts"
import * as SlaStorePostgres from "../postgres/statistics/SlaStorePostgres.ts"
import * as StatisticsStorePostgres from "../postgres/statistics/StatisticsStorePostgres.ts"
import * as UserStorePostgres from "../postgres/users/UserStorePostgres.ts"

/** Needs SqlClient, SecureRandom, OutboxSignal, DeliverySignal and BroadcastSignal. */
export const storesLayer = Layer.mergeAll(
  AccessStorePostgres.layer,
  ExternalTokenStorePostgres.layer,
  TokenUsesPostgres.layer,
  AppealStorePostgres.layer,
  AuditEntryStorePostgres.layer,
  AuditLogPostgres.layer,
  ClientContextStorePostgres.layer,
  ClientDataStorePostgres.layer,
  ClientStorePostgres.layer,
  ContextStorePostgres.layer,
  FileStorePostgres.layer,
  InboundStorePostgres.layer,
  DirectoryStorePostgres.layer,
  PropertyStorePostgres.layer,
  ImportStorePostgres.layer,
  MemoryStorePostgres.layer,
  AssessmentStorePostgres.layer,
  QualityStorePostgres.layer,
  ReadinessStorePostgres.layer,
  ReceiptsPostgres.layer,
  BroadcastStorePostgres.layer,
  BotStorePostgres.layer,
  CallStorePostgres.layer,
  SessionStorePostgres.layer,
  RecordStorePostgres.layer,
  SlaStorePostgres.layer,
  StatisticsStorePostgres.layer,
  UserStorePostgres.layer
)
