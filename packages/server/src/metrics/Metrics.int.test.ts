// The metrics of a running process over its own port, the dashboard and the alarms that are made of them, and the access log.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { parse } from "yaml"
import { isRedisMissing, startRedis } from "../testing/RedisFixtures.ts"
import { RunningServer, ServerFixtures } from "../testing/ServerFixtures.ts"

const docker = path.resolve(import.meta.dirname, "../../../../docker")
const read = (name: string) => fs.readFileSync(path.join(docker, name), "utf8")

/** The service with a port of metrics, an access log, and a Redis where one is installed. */
const running = Layer.unwrap(
  Effect.gen(function* () {
    const redis = isRedisMissing ? undefined : yield* startRedis()
    return ServerFixtures.searchable({
      RAPPORT_METRICS_PORT: "0",
      RAPPORT_ACCESS_LOG: "true",
      RAPPORT_LIMIT_CALLS_PER_MINUTE: "1",
      LOG_FORMAT: "json",
      ...(redis === undefined ? {} : { REDIS_URL: `redis://127.0.0.1:${redis.port}` })
    })
  })
)

const metricsOf = Effect.gen(function* () {
  const { process } = yield* RunningServer
  yield* Effect.promise(() => process.logs(/metrics are at/u))
  return /http:\/\/[0-9.]+:[0-9]+\/metrics/u.exec(process.stderr)?.[0] ?? ""
})
const scraped = Effect.flatMap(metricsOf, (url) => Effect.promise(async () => (await fetch(url)).text()))

const json = { "content-type": "application/json" }
const post = (path: string, body: unknown, headers: Record<string, string> = {}) => ({
  path,
  init: {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
    login: "administrator"
  }
})
const retrieve = post("/kw/chatrooms/context/retrieve", {
  scope: { entity: "client", id: 501 },
  targets: ["relevant_appeals"],
  query: "роутер",
  sections: ["evidence"],
  maxResponseBytes: 1_500,
  timeoutMs: 5_000,
  allowPartial: true
})
const call = post("/kw/api/call_node/1/1/phone/501", { data: { message: "вітаємо" } })

/** A request as no client library writes it. */
const raw = (origin: string, method: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    http
      .request({ hostname, port, method, path, agent: false }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode))
      })
      .on("error", reject)
      .end()
  })

/** Something of everything that is counted. */
const used = Effect.gen(function* () {
  const { call: send, origin } = yield* RunningServer
  return yield* Effect.promise(async () => {
    const statuses: Array<number> = []
    for (const { init, path } of [retrieve, call]) statuses.push((await send(path, init)).status)
    // A call is counted in the process where Redis answers too late: of three, two are counted in one place.
    const second = (await send(call.path, call.init)).status
    statuses.push(second === 429 ? second : (await send(call.path, call.init)).status)
    const wrong = JSON.stringify({ login: "olena@example.com", password: "wrong-wrong" })
    await send("/kw/api/v1/auth/login", { method: "POST", headers: json, body: wrong })
    await send("/kw/api/v1/clients?q=olena%40example.com", { login: "administrator" })
    await send("/kw/api/v1/audit-log", { login: "operator" })
    for (const path of ["/a", "/kw/api/v1/clients/501/x", "/kw/api/v1/clients/%zz", "/kw/api/v1/clients;x"])
      await raw(origin, "GET", path)
    for (const method of ["PROPFIND", "REPORT", "HEAD"]) await raw(origin, method, "/kw/api/v1/clients/501")
    return statuses
  })
})

/** The names of a family, with those that Prometheus makes of a histogram. */
const familiesOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    )
  )
const metricNamesIn = (expression: string) => expression.match(/\brapport_\w+/gu) ?? []

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) })
  )
})
const Dashboard = Schema.fromJsonString(
  Schema.Struct({
    panels: Schema.Array(
      Schema.Struct({ title: Schema.String, targets: Schema.Array(Schema.Struct({ expr: Schema.String })) })
    )
  })
)

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
if (!hasPromtool) console.warn("SKIPPED: the alarms are not checked by promtool, which is not installed")

layer(running, { excludeTestServices: true, timeout: "120 seconds" })("a running process", (it) => {
  it.effect("a process exports every metric that an alarm or the dashboard names", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* used, [200, 200, 429])
      const { groups } = Schema.decodeUnknownSync(Rules)(parse(read("prometheus/rapport-alerts.yaml")))
      const rules = groups.flatMap(({ rules }) => rules)
      const { panels } = Schema.decodeUnknownSync(Dashboard)(read("grafana/dashboards/rapport.json"))
      const expressions = [
        ...rules.map(({ alert, expr }) => [alert, expr] as const),
        ...panels.flatMap(({ targets, title }) => targets.map(({ expr }) => [title, expr] as const))
      ]
      assert.isAbove(rules.length, 10)
      assert.isAbove(panels.length, 10)
      let missing: ReadonlyArray<string> = ["not looked yet"]
      // The projection reports once a second, the worker delivers when it is its turn.
      for (let i = 0; i < 100 && missing.length > 0; i++) {
        if (i > 0) yield* Effect.sleep("100 millis")
        const families = familiesOf(yield* scraped)
        missing = expressions.flatMap(([place, expr]) =>
          metricNamesIn(expr)
            .filter((name) => !families.has(name) && !(isRedisMissing && name === "rapport_limiter_shared"))
            .map((name) => `${place}: ${name}`)
        )
      }
      assert.deepStrictEqual(missing, [])
      const runbook = fs.readFileSync(path.join(docker, "../docs/operations.md"), "utf8")
      for (const { alert } of rules) assert.include(runbook, `\`${alert}\``)
      for (const file of ["prometheus/prometheus.yaml", "grafana/provisioning/dashboards/rapport.yaml"])
        assert.isObject(parse(read(file)))
      // CI installs promtool.
      assert.isTrue(hasPromtool || process.env["CI"] !== "true")
      if (hasPromtool) {
        execFileSync("promtool", ["check", "rules", path.join(docker, "prometheus/rapport-alerts.yaml")])
        // 0, or 3 if this version of promtool prefers another name.
        const checked = spawnSync("promtool", ["check", "metrics"], {
          input: yield* scraped,
          encoding: "utf8"
        })
        assert.include([0, 3], checked.status)
        assert.notInclude(checked.stdout + checked.stderr, "_total")
      }
    })
  )

  it.effect("a process counts requests by route and status, and reveals no caller", () =>
    Effect.gen(function* () {
      yield* used
      const text = yield* scraped
      const retrieved = 'method="POST",route="/kw/chatrooms/context/retrieve",status="200"'
      assert.include(text, `rapport_http_duration_seconds_count{${retrieved}} `)
      assert.match(text, /count\{method="GET",route="\/kw\/api\/v1\/clients",status="200"\} [1-9]/u)
      assert.match(text, /count\{method="none",route="none",status="404"\} [1-9]/u)
      assert.match(text, /rapport_context_sections_total\{section="evidence",outcome="trimmed"\} [1-9]/u)
      assert.match(text, /rapport_limiter_refusals_total\{limit="CALLS_PER_MINUTE"\} [1-9]/u)
      assert.match(text, /rapport_denials_total\{reason="unauthenticated",operation="login"\} [1-9]/u)
      assert.match(text, /rapport_denials_total\{reason="access_denied",operation="\w+"\} [1-9]/u)
      assert.match(text, /rapport_delivery_attempts_total\{[^}]*outcome="sent"\} [1-9]/u)
      const labels = (text.match(/\{[^}]*\}/gu) ?? []).join()
      for (const word of ["olena", "501", "PROPFIND", "REPORT", "zz", "instance", "user"])
        assert.notInclude(labels, word)
    })
  )

  it.effect("a process serves metrics only on their own port, and nothing else there", () =>
    Effect.gen(function* () {
      const { call: send } = yield* RunningServer
      const url = yield* metricsOf
      const statuses = yield* Effect.promise(() =>
        Promise.all([
          send("/metrics", { login: "administrator" }),
          fetch(url, { method: "POST" }),
          fetch(url.replace("/metrics", "/kw/api/v1/clients"))
        ])
      )
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [404, 405, 404]
      )
    })
  )

  it.effect("a process logs each request by route, without path and query string", () =>
    Effect.gen(function* () {
      const { call: send, process } = yield* RunningServer
      const headers = { "x-request-id": "seen-in-the-access-log" }
      yield* Effect.promise(() =>
        send("/kw/api/v1/clients?q=olena%40example.com", { headers, login: "administrator" })
      )
      yield* Effect.promise(() => process.logs(/seen-in-the-access-log/u))
      const line = process.stderr.split("\n").find((text) => text.includes("seen-in-the-access-log")) ?? "{}"
      const { message } = Schema.decodeUnknownSync(
        Schema.fromJsonString(
          Schema.Struct({
            message: Schema.Tuple([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])
          })
        )
      )(line)
      const [what, { bytes, ms, ...rest }] = message
      assert.strictEqual(what, "request")
      assert.deepStrictEqual(rest, {
        method: "GET",
        route: "/kw/api/v1/clients",
        status: 200,
        instance: 1,
        requestId: "seen-in-the-access-log"
      })
      assert.isAbove(Number(bytes), 100)
      assert.isAbove(Number(ms), 0)
      assert.notInclude(process.stderr, "olena")
    })
  )
})
