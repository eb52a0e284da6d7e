// Context.Reference is a hidden argument. Only the identity of a request, annotations of the contract and the listed exceptions use it.
import { assert, it } from "@effect/vitest"
import { sourceTexts } from "./Imports.ts"

const allowed = new Set([
  // The identity of a request.
  "core/src/audit/AuditLog.ts CurrentAddress",
  "core/src/traffic/TenantQueue.ts CurrentTenant",
  "server/src/http/middleware/OnBehalfOf.ts OnBehalfOf",
  "core/src/context/read/ContextPlan.ts WaitedMillis",
  // Tests replace these defaults.
  "core/src/capacity/WriteCapacity.ts WriteCapacity",
  // Optional settings.
  "core/src/scenarios/Connectors.ts WebhookAllowPrivate",
  "server/src/access/ConnectorSeal.ts ConnectorSeal",
  "server/src/cli/CommandDatabase.ts LocksDataFolder",
  "server/src/demo/DemoPhone.ts DemoPhone",
  // The SQL client's interface has no argument for the connection of a statement.
  "server/src/postgres/connection/Lanes.ts ShortRead"
])

const REFERENCE = /(\w+) = Context\.Reference\b/gu

const references = (): ReadonlyArray<string> =>
  [...sourceTexts("packages/{core,server,mcp}/src/**/*.ts")]
    .filter(([file]) => !file.includes(".test.") && !file.includes("/testing/"))
    .flatMap(([file, text]) =>
      Array.from(text.matchAll(REFERENCE), ([, reference]) => `${file.replace("packages/", "")} ${reference}`)
    )

it("ambient references are the identity of a request or listed here", () => {
  const found = references()
  assert.include(found, "core/src/traffic/TenantQueue.ts CurrentTenant", "the files are found")
  assert.deepStrictEqual(
    found.filter((reference) => !allowed.has(reference)),
    []
  )
})
