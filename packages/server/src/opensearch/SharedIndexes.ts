// Both indexes in OpenSearch. Loaded only if OPENSEARCH_URL is set: the client takes 6 MiB.
import type { AppealIndex, AppealProjection } from "@rapport/core/appeals/AppealIndex.ts"
import type { MemoryIndex, MemoryProjection } from "@rapport/core/memory/MemoryIndex.ts"
import { Layer } from "effect"
import type { ConfigError } from "../config/ConfigError.ts"
import type { OpenSearchSettings } from "../Config.ts"
import { EvidenceIndexOpenSearch, MemoryIndexOpenSearch } from "./EvidenceIndexOpenSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"

export const sharedIndexesLayer = (
  settings: OpenSearchSettings
): Layer.Layer<AppealIndex | AppealProjection | MemoryIndex | MemoryProjection, ConfigError> =>
  Layer.merge(
    EvidenceIndexOpenSearch.layer(settings.indexPrefix),
    MemoryIndexOpenSearch.layer(settings.indexPrefix)
  ).pipe(Layer.provide(OpenSearch.layer(settings)))
