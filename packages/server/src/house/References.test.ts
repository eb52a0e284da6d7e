// Context.Reference is a hidden argument. Only the identity of a request, annotations of the contract and the listed exceptions use it.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const packages = path.resolve(import.meta.dirname, "../../..")

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
  fs
    .globSync("{core,server,mcp}/src/**/*.ts", { cwd: packages })
    .filter((name) => !name.includes(".test.") && !name.includes("/testing/"))
    .flatMap((name) =>
      Array.from(
        fs.readFileSync(path.join(packages, name), "utf8").matchAll(REFERENCE),
        ([, reference]) => `${name} ${reference}`
      )
    )

it("ambient references are the identity of a request or listed here", () => {
  const found = references()
  assert.include(found, "core/src/traffic/TenantQueue.ts CurrentTenant", "the files are found")
  assert.deepStrictEqual(
    found.filter((reference) => !allowed.has(reference)),
    []
  )
})
