// The tools of the service before the official conformance runner, by contract §6.
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Check, conformance, findRunner, tokenProxy } from "../../testing/ConformanceFixtures.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"

const runner = (await findRunner()) ?? ""

const run = Effect.fnUntraced(function* (origin: string, token: string, ...args: ReadonlyArray<string>) {
  const proxy = yield* tokenProxy(origin, token)
  const folder = yield* temporaryFolder
  return yield* Effect.promise(() => conformance(runner, `${proxy}/kw/mcp`, folder, ...args))
})

const failuresIn = (checks: ReadonlyArray<Check>) => checks.filter(({ status }) => status === "FAILURE")
const scenariosOf = (checks: ReadonlyArray<Check>) => new Set(checks.map(({ scenario }) => scenario))

describe.skipIf(runner === "")("the conformance runner", () => {
  layer(ServerFixtures.running(), { excludeTestServices: true })("on the service itself", (it) => {
    /** What it lacks, and need not have: prompts, resources, and the tools of the runner. */
    const lacks =
      /^(?:prompts|resources|resources\/templates)\/list returned JSON-RPC error -32601|^Not testable:/u

    const scenarios = Effect.fnUntraced(function* (revision: string, names: ReadonlyArray<string>) {
      const { origin, tokenOf } = yield* RunningServer
      const token = yield* Effect.promise(() => tokenOf("administrator"))
      // One run of all of them is quicker than a run of each.
      const ran = yield* run(origin, token, "--requirements", revision, "--timeout", "5000")
      const checks = ran.filter(({ scenario }) => names.includes(scenario))
      assert.deepStrictEqual([...scenariosOf(checks)].toSorted(), names.toSorted())
      return checks
    })

    it.effect(
      "the service passes the scenarios of contract §6 for 2026-07-28",
      () =>
        Effect.gen(function* () {
          const checks = yield* scenarios("2026-07-28", [
            "server-stateless",
            "tools-list",
            "caching",
            "http-header-validation",
            "dns-rebinding-protection",
            "sep-2164-resource-not-found",
            "server-sse-multiple-streams",
            "input-required-result-unsupported-methods"
          ])
          assert.deepStrictEqual(
            failuresIn(checks).filter(({ error }) => !lacks.test(error)),
            []
          )
          const warned = checks.filter(({ status }) => status === "WARNING")
          assert.deepStrictEqual([...scenariosOf(warned)], ["sep-2164-resource-not-found"])
        }),
      120_000
    )

    it.effect(
      "the service passes initialize, ping and tools/list of 2025-11-25 and refuses other origins",
      () =>
        Effect.gen(function* () {
          const names = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]
          assert.deepStrictEqual(failuresIn(yield* scenarios("2025-11-25", names)), [])
        }),
      60_000
    )
  })
})
