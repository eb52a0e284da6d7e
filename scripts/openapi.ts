// Writes the golden document of the interface; a test compares it with what the service serves.
import { openApiDocument } from "../packages/contract/src/documents/OpenApiDocument.ts"
import { writeFileSync } from "node:fs"

const file = new URL("../packages/contract/openapi.json", import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`)
