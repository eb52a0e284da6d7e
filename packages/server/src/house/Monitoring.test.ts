// docker/compose.yaml, profile "monitoring": the mounted files exist, and every queried metric is one of the service.
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"

const docker = path.resolve(import.meta.dirname, "../../../../docker")
const yamlOf = (name: string): unknown =>
  parse(fs.readFileSync(path.join(docker, name), "utf8").replace("!reset ", ""), { merge: true })

const Strings = Schema.Array(Schema.String)
const Service = Schema.Struct({
  profiles: Schema.optionalKey(Strings),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  command: Schema.optionalKey(Strings),
  volumes: Schema.optionalKey(Strings),
  ports: Schema.optionalKey(Strings),
  secrets: Schema.optionalKey(Strings)
})
const Compose = Schema.Struct({
  services: Schema.Struct({ rapport: Service, "rapport-2": Service, prometheus: Service, grafana: Service }),
  secrets: Schema.Record(Schema.String, Schema.Struct({ file: Schema.String })),
  volumes: Schema.Record(Schema.String, Schema.Null)
})
const Scraped = Schema.Struct({
  rule_files: Strings,
  scrape_configs: Schema.Array(
    Schema.Struct({
      job_name: Schema.String,
      static_configs: Schema.Array(Schema.Struct({ targets: Strings }))
    })
  )
})
const Datasources = Schema.Struct({
  datasources: Schema.Array(Schema.Struct({ uid: Schema.String, url: Schema.String }))
})
const Providers = Schema.Struct({
  providers: Schema.Array(Schema.Struct({ options: Schema.Struct({ path: Schema.String }) }))
})

const compose = Schema.decodeUnknownSync(Compose)(yamlOf("compose.yaml"))
const { grafana, prometheus, rapport, "rapport-2": second } = compose.services

/** The file of this repository that is mounted at a path. */
const mountedFile = ({ volumes = [] }: typeof Service.Type, place: string): string => {
  const found = volumes.map((line) => line.split(":")).find(([, to = ""]) => place.startsWith(to))
  assert.isDefined(found, place)
  const [from = "", to = ""] = found ?? []
  return path.join(docker, from, place.slice(to.length))
}

it("the monitoring profile starts only on request and is reachable only from this machine", () => {
  for (const { ports = [], profiles } of [prometheus, grafana]) {
    assert.deepStrictEqual(profiles, ["monitoring"])
    assert.isTrue(ports.length > 0 && ports.every((port) => port.startsWith("127.0.0.1:")))
  }
})

it("the monitoring profile has a Prometheus that reads the metrics of the service and the alarms", () => {
  const file = prometheus.command?.map((text) => /^--config\.file=(.*)$/u.exec(text)?.[1]).find(Boolean)
  const { rule_files, scrape_configs } = Schema.decodeUnknownSync(Scraped)(
    parse(fs.readFileSync(mountedFile(prometheus, file ?? ""), "utf8"))
  )
  const [job] = scrape_configs
  const { RAPPORT_METRICS_HOST: host, RAPPORT_METRICS_PORT: port } = rapport.environment ?? {}
  const ports = [rapport, second].map(({ environment }) => environment?.["RAPPORT_METRICS_PORT"])
  assert.strictEqual(job?.job_name, "rapport", "the alarm RapportDown names the job")
  assert.deepStrictEqual(job?.static_configs, [{ targets: ports.map((each) => `rapport:${each}`) }])
  assert.strictEqual(host, "0.0.0.0")
  assert.isFalse(
    rapport.ports?.some((line) => line.includes(port ?? "")),
    "tenants do not reach it"
  )
  assert.isNotEmpty(rule_files)
  for (const place of rule_files) assert.isTrue(fs.existsSync(mountedFile(prometheus, place)), place)
})

it("the monitoring profile has a Grafana with dashboard, data source and its own password", () => {
  const at = (name: string) => mountedFile(grafana, `/etc/grafana/provisioning/${name}`)
  const read = (name: string): unknown => parse(fs.readFileSync(at(name), "utf8"))
  const { datasources } = Schema.decodeUnknownSync(Datasources)(read("datasources/prometheus.yaml"))
  assert.deepStrictEqual(datasources, [{ uid: "prometheus", url: "http://prometheus:9090" }])
  const { providers } = Schema.decodeUnknownSync(Providers)(read("dashboards/rapport.yaml"))
  for (const { options } of providers)
    assert.isTrue(fs.existsSync(mountedFile(grafana, `${options.path}/rapport.json`)))
  const secret = grafana.environment?.["GF_SECURITY_ADMIN_PASSWORD__FILE"]
  assert.strictEqual(secret, `/run/secrets/${grafana.secrets?.[0]}`)
  const { file = "" } = compose.secrets[grafana.secrets?.[0] ?? ""] ?? {}
  assert.include(fs.readFileSync(path.join(docker, "make-secrets"), "utf8"), `> ${path.basename(file)}`)
})
