import { evidenceIndexLaws } from "@rapport/core/testing/EvidenceIndexLaws.ts"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import { temporaryFolder } from "../testing/PostgresFixtures.ts"
import { EvidenceIndexSqlite } from "./EvidenceIndexSqlite.ts"

const temporary = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => EvidenceIndexSqlite.layer(path.join(folder, "index")))
)

evidenceIndexLaws("SQLite", temporary)
