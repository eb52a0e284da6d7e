// The test projects: for every package its unit tests and its integration tests (`.int.test.ts`).
import type { TestProjectConfiguration } from "vitest/config"

/** Tests that measure deadlines in milliseconds: one at a time, after all others. */
const timed = ["ContextSources", "HttpListener", "OpenSearchFaults", "Faults"].map(
  (name) => `src/**/${name}.int.test.ts`
)

/** The slowest test files, slowest first: they start early, which only saves time. */
export const longest: ReadonlyArray<string> = [
  "EvidenceIndexOpenSearch",
  "SharedIndex",
  "Evaluation",
  "Crash",
  "IndexOutage",
  "EvidencePurge",
  "RestAccess",
  "main",
  "SwaggerHttp",
  "Backup",
  "Pack",
  "Operating",
  "Rapport",
  "Ranking",
  "ReadDeadlines",
  "ManyRecords",
  "SlowReaders",
  "EvidenceProjector",
  "Pages",
  "LongBodies",
  "BoundaryValues",
  "Documents",
  "Interleaving",
  "Files",
  "Phone",
  "Examples",
  "DeliveryCrash",
  "Lists",
  "RollingRestart",
  "StoppedDatabase",
  "Compose",
  "McpClients",
  "EvidenceIndexSqlite",
  "SeedLoader",
  "Bundle",
  "LostConnections",
  "RestoredState",
  "DeliveryWorker",
  "McpConformance",
  "EmbeddedPostgres",
  "Capacity",
  "Restore"
]

const integration = (
  name: string,
  root: string,
  files: { readonly include: Array<string>; readonly exclude: Array<string> },
  order: { readonly maxWorkers: number; readonly groupOrder: number }
): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    root,
    ...files,
    ...(name === "server:int"
      ? { globalSetup: ["src/testing/BundleSetup.ts", "src/testing/SharedOpenSearch.ts"] }
      : {}),
    // Evaluating the modules of the service again for each file would take an eighth of the CPU time.
    isolate: false,
    // A test of ten seconds can take a minute on slow cores that it shares.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: order.maxWorkers,
    sequence: { groupOrder: order.groupOrder }
  }
})

export default ["contract", "core", "demo", "mcp", "server", "bench"].flatMap(
  (name): Array<TestProjectConfiguration> => {
    const root = `packages/${name}`
    const all = "src/**/*.int.test.ts"
    return [
      {
        extends: true,
        // Properties need more than the default of five seconds on busy cores. Files share the modules of their thread, because
        // evaluating them again would take most of the time of a unit test.
        test: {
          name: `${name}:unit`,
          root,
          include: ["src/**/*.test.ts"],
          exclude: [all],
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000
        }
      },
      // Most integration tests wait for processes: three workers keep two cores busy.
      integration(`${name}:int`, root, { include: [all], exclude: timed }, { maxWorkers: 3, groupOrder: 1 }),
      integration(
        `${name}:timed:int`,
        root,
        { include: timed, exclude: [] },
        { maxWorkers: 1, groupOrder: 2 }
      )
    ]
  }
)
