// The context read joined: its handlers, use cases and stores in PostgreSQL (docs/contract.md §3).
import { ContextReader } from "@rapport/core/context/read/ContextReader.ts"
import { ClientMemory } from "@rapport/core/memory/ClientMemory.ts"
import { ContextReadiness } from "@rapport/core/readiness/ContextReadiness.ts"
import { Layer } from "effect"
import * as Sha256Node from "../access/Sha256.ts"
import { contextLayer } from "../http/handlers/ContextHttp.ts"
import * as ContextStorePostgres from "../postgres/context/ContextStorePostgres.ts"
import * as MemoryStorePostgres from "../postgres/memory/MemoryStorePostgres.ts"
import * as ReadinessStorePostgres from "../postgres/readiness/ReadinessStorePostgres.ts"

/** Needs SqlClient, EvidenceIndex, MemoryIndex, IndexLag and AuditLog; a part of the composition root, kept apart so that tests join the same. */
export const contextRooms = contextLayer.pipe(
  Layer.provide(Layer.mergeAll(ContextReader.layer, ContextReadiness.layer)),
  Layer.provide(
    Layer.mergeAll(
      ContextStorePostgres.layer,
      ReadinessStorePostgres.layer,
      Sha256Node.layer,
      ClientMemory.layer.pipe(Layer.provide(MemoryStorePostgres.layer))
    )
  )
)
