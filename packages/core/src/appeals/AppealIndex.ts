// The search index over appeals: their messages, titles and descriptions, seen as the appeals themselves are.
import { Context } from "effect"
import type { DocumentIndex } from "../search/DocumentIndex.ts"
import type { DocumentProjection } from "../search/DocumentProjection.ts"
import type { DocumentSource } from "../search/DocumentSource.ts"

/** `documentId` is the id of an appeal. */
export class AppealIndex extends Context.Service<AppealIndex, DocumentIndex>()("core/appeals/AppealIndex") {}

/** Its writing half. */
export class AppealProjection extends Context.Service<AppealProjection, DocumentProjection>()(
  "core/appeals/AppealProjection"
) {}

/** Appeals in the primary database as documents for the index. */
export class AppealSource extends Context.Service<AppealSource, DocumentSource>()(
  "core/appeals/AppealSource"
) {}
