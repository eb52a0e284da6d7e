// Generates openapi.json and the tables of docs/contract. Tests compare both with the code.
import { openApiDocument } from "../packages/contract/src/documents/OpenApiDocument.ts"
import { referenceDocuments } from "../packages/server/src/house/ReferenceTables.ts"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"

const file = new URL("../packages/contract/openapi.json", import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`)
for (const { current, file } of await Effect.runPromise(referenceDocuments)) writeFileSync(file, current)
