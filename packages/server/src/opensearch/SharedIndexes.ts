// Both indexes in OpenSearch. Loaded only if OPENSEARCH_URL is set: the client takes 6 MiB.
import { Layer } from "effect"
import type { OpenSearchSettings } from "../Config.ts"
import { EvidenceIndexOpenSearch, MemoryIndexOpenSearch } from "./EvidenceIndexOpenSearch.ts"
import { OpenSearch } from "./OpenSearch.ts"

export const sharedIndexesLayer = (settings: OpenSearchSettings) =>
  Layer.merge(
    EvidenceIndexOpenSearch.layer(settings.indexPrefix),
    MemoryIndexOpenSearch.layer(settings.indexPrefix)
  ).pipe(Layer.provide(OpenSearch.layer(settings)))
