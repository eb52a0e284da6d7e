// The client-memory index: a second index of the same kind as that over appeals, whose documents are single
// entries (an action, a state, a message, a working context) of a client, dated by their own time (contract §5).
import { Context } from "effect"
import type { DocumentSource } from "../search/DocumentSource.ts"
import type { DocumentIndex } from "../search/DocumentIndex.ts"
import type { DocumentProjection } from "../search/DocumentProjection.ts"

/** `documentId` is the id of an entry; asked with the scope Client and all but what is hidden. */
export class MemoryIndex extends Context.Service<MemoryIndex, DocumentIndex>()("core/memory/MemoryIndex") {}

/** Its writing half. */
export class MemoryProjection extends Context.Service<MemoryProjection, DocumentProjection>()(
  "core/memory/MemoryProjection"
) {}

/** Entries in the primary database as documents for the index. */
export class MemorySource extends Context.Service<MemorySource, DocumentSource>()(
  "core/memory/MemorySource"
) {}
