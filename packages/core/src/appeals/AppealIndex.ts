// Ports of the evidence index, whose documents are appeals.
import { Context } from "effect"
import type { DocumentIndex } from "../search/DocumentIndex.ts"
import type { DocumentProjection } from "../search/DocumentProjection.ts"
import type { DocumentSource } from "../search/DocumentSource.ts"

/** `documentId` is the id of an appeal. */
export class AppealIndex extends Context.Service<AppealIndex, DocumentIndex>()("core/appeals/AppealIndex") {}

/** Writes the index. */
export class AppealProjection extends Context.Service<AppealProjection, DocumentProjection>()(
  "core/appeals/AppealProjection"
) {}

/** Reads appeals from the primary database as documents. */
export class AppealSource extends Context.Service<AppealSource, DocumentSource>()(
  "core/appeals/AppealSource"
) {}
