// Port of the index of client memory, whose documents are single entries of a client (contract §5).
import { Context } from "effect"
import type { DocumentSource } from "../search/DocumentSource.ts"
import type { DocumentIndex } from "../search/DocumentIndex.ts"
import type { DocumentProjection } from "../search/DocumentProjection.ts"

/** `documentId` is the id of an entry; queries have the scope Client and exclude hidden entries. */
export class MemoryIndex extends Context.Service<MemoryIndex, DocumentIndex>()("core/memory/MemoryIndex") {}

/** Writes the index. */
export class MemoryProjection extends Context.Service<MemoryProjection, DocumentProjection>()(
  "core/memory/MemoryProjection"
) {}

/** Reads entries from the primary database as documents. */
export class MemorySource extends Context.Service<MemorySource, DocumentSource>()(
  "core/memory/MemorySource"
) {}
