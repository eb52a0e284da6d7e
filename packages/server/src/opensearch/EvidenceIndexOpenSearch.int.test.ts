// The laws of the search index on a real OpenSearch (contract §3.1, §3.2, §3.3).
import { describe } from "@effect/vitest"
import { evidenceIndexLaws } from "@rapport/core/testing/EvidenceIndexLaws.ts"
import { Effect, Layer } from "effect"
import { isOpenSearchMissing, OpenSearchFixtures } from "../testing/OpenSearchFixtures.ts"
import { EvidenceIndexOpenSearch } from "./EvidenceIndexOpenSearch.ts"

const halves = Layer.unwrap(
  Effect.map(OpenSearchFixtures.prefix, (prefix) => EvidenceIndexOpenSearch.layer(prefix))
).pipe(Layer.provide(OpenSearchFixtures.layer))

describe.skipIf(isOpenSearchMissing)("OpenSearch", () => evidenceIndexLaws("OpenSearch", halves))
