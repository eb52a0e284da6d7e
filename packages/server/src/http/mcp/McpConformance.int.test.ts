// The endpoint of the tools before the official conformance runner, by contract §6.
import { assert, describe, layer } from "@effect/vitest"
import { conformanceServer } from "@rapport/mcp/testing/ConformanceServer.ts"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import {
  type Check,
  conformance,
  findRunner,
  requiredScenarios,
  tokenProxy
} from "../../testing/ConformanceFixtures.ts"
import { temporaryFolder } from "../../testing/PostgresFixtures.ts"
import { RunningServer, ServerFixtures } from "../../testing/ServerFixtures.ts"
import { stubAppLayer, unlimited } from "../../testing/HttpFixtures.ts"
import { makeListener, listenerLayer } from "../HttpListener.ts"
import { serverLayer } from "./McpHttp.ts"

const runner = (await findRunner()) ?? ""

const run = Effect.fnUntraced(function* (origin: string, token: string, ...args: ReadonlyArray<string>) {
  const proxy = yield* tokenProxy(origin, token)
  const folder = yield* temporaryFolder
  return yield* Effect.promise(() => conformance(runner, `${proxy}/kw/mcp`, folder, ...args))
})

const failed = (checks: ReadonlyArray<Check>) => checks.filter(({ status }) => status === "FAILURE")
const scenariosOf = (checks: ReadonlyArray<Check>) => new Set(checks.map(({ scenario }) => scenario))

class Origin extends Context.Service<Origin, string>()("McpConformance/Origin") {}

/** The transport, middleware and listener of the product around a server with everything that the runner requires. */
const double = Layer.effect(
  Origin,
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    NetAddress.isInetAddress(address) ? `http://127.0.0.1:${address.port}` : ""
  )
).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(makeListener(), (listener) =>
        listenerLayer(
          stubAppLayer({
            settings: { limits: unlimited },
            tools: serverLayer(conformanceServer)
          }),
          listener,
          { host: "127.0.0.1", port: 0 }
        )
      )
    )
  )
)

/** Every required scenario was run, and none of their checks failed; `but` names those that are left to another test. */
const passes = Effect.fnUntraced(function* (
  revision: string,
  but: ReadonlyArray<string> = [],
  ...args: ReadonlyArray<string>
) {
  const required = (yield* Effect.promise(() => requiredScenarios(runner, revision))).filter(
    (name) => !but.includes(name)
  )
  const checks = (yield* run(yield* Origin, "user-1", "--requirements", revision, ...args)).filter(
    ({ scenario }) => required.includes(scenario)
  )
  assert.isAbove(required.length, 20)
  assert.deepStrictEqual([...scenariosOf(checks)].toSorted(), required.toSorted())
  assert.deepStrictEqual(failed(checks), [])
})

/** Requests and messages from the server to a client of 2025, which an answer without a session cannot carry. */
const interactive = [
  "tools-call-with-logging",
  "tools-call-with-progress",
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums"
]

describe.skipIf(runner === "")("the conformance runner", () => {
  layer(double, { excludeTestServices: true })(
    "on the transport of the product, around a server that has everything",
    (it) => {
      it.effect(
        "the transport passes every required scenario of 2026-07-28",
        () => passes("2026-07-28"),
        120_000
      )

      it.effect(
        "the transport passes every required scenario of 2025-11-25 except messages from the server",
        () => passes("2025-11-25", interactive, "--timeout", "2000"),
        120_000
      )
    }
  )

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
            failed(checks).filter(({ error }) => !lacks.test(error)),
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
          assert.deepStrictEqual(failed(yield* scenarios("2025-11-25", names)), [])
        }),
      60_000
    )
  })
})
