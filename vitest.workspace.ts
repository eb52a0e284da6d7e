// The list of test projects: for every package its unit tests and its integration tests, told apart by name.
import type { TestProjectConfiguration } from "vitest/config"

export default ["contract", "core", "mcp", "server", "bench"].flatMap(
  (name): Array<TestProjectConfiguration> => [
    {
      extends: true,
      test: {
        name: `${name}:unit`,
        root: `packages/${name}`,
        include: ["src/**/*.test.ts"],
        exclude: ["src/**/*.int.test.ts"]
      }
    },
    {
      extends: true,
      test: {
        name: `${name}:int`,
        root: `packages/${name}`,
        include: ["src/**/*.int.test.ts"],
        testTimeout: 60_000,
        hookTimeout: 120_000,
        // Most of them wait for processes; more at once would only take the processor from each other.
        maxWorkers: 2
      }
    }
  ]
)
