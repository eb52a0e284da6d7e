// Ports of the client-memory index: a second index of the same kind as that over appeals, whose documents are single
// entries (an action, a state, a message, a working context) of a client, dated by their own time (docs/contract.md §5).
import { Context } from "effect"
import type { AppealSource } from "../search/AppealSource.ts"
import type { EvidenceIndex } from "../search/EvidenceIndex.ts"
import type { EvidenceProjection } from "../search/EvidenceProjection.ts"

/** `appealId` of a candidate is the id of an entry; asked with the scope Client and every visibility. */
export class MemoryIndex extends Context.Service<MemoryIndex, EvidenceIndex["Service"]>()(
  "core/memory/MemoryIndex"
) {}

/** Its writing half. */
export class MemoryProjection extends Context.Service<MemoryProjection, EvidenceProjection["Service"]>()(
  "core/memory/MemoryProjection"
) {}

/** Entries in the primary database as documents for the index. */
export class MemorySource extends Context.Service<MemorySource, AppealSource["Service"]>()(
  "core/memory/MemorySource"
) {}
