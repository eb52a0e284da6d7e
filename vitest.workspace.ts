// The test projects: for every package its unit tests and its integration tests (`.int.test.ts`).
import type { TestProjectConfiguration } from "vitest/config"

/** The slowest test files, slowest first: they start early, which only saves time. */
export const longest: ReadonlyArray<string> = [
  "EvidenceIndexOpenSearch",
  "SharedIndex",
  "OpenSearchFaults",
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

export default ["contract", "core", "demo", "mcp", "server", "bench"].flatMap(
  (name): Array<TestProjectConfiguration> => {
    const root = `packages/${name}`
    const integration = "src/**/*.int.test.ts"
    return [
      {
        extends: true,
        // Properties need more than the default of five seconds on busy cores. Files share the modules of their thread, because
        // evaluating them again would take most of the time of a unit test.
        test: {
          name: `${name}:unit`,
          root,
          include: ["src/**/*.test.ts"],
          exclude: [integration],
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000
        }
      },
      {
        extends: true,
        test: {
          name: `${name}:int`,
          root,
          include: [integration],
          ...(name === "server"
            ? { globalSetup: ["src/testing/BundleSetup.ts", "src/testing/SharedOpenSearch.ts"] }
            : {}),
          // Evaluating the modules of the service again for each file would take an eighth of the CPU time.
          isolate: false,
          // A test of ten seconds can take a minute on slow cores that it shares.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Most integration tests wait for processes: three workers keep two cores busy.
          maxWorkers: 3,
          // Vitest requires another group for another number of workers.
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
)
