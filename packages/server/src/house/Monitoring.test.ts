// docker/compose.yaml, profile "monitoring": the mounted files exist, and every queried metric is one of the service.
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { repositoryFolder } from "../files/Repository.js"
import { readYaml, valueAt, valuesAt } from "../testing/Yaml.ts"

const [compose] = readYaml("compose.yaml")
const serviceOf = (name: string) => valueAt(compose, `services.${name}`)
const [grafana, prometheus, rapport] = ["grafana", "prometheus", "rapport"].map(serviceOf)
const textsAt = (value: unknown, place: string) => valuesAt(value, place).map(String)

/** The file below docker that is mounted at a path. */
const mountedFile = (service: unknown, place: string): string => {
  const mounts = textsAt(service, "volumes").map((line) => line.split(":"))
  const found = mounts.find(([, to = ""]) => place.startsWith(to))
  assert.isDefined(found, place)
  const [from = "", to = ""] = found ?? []
  return path.join(from, place.slice(to.length))
}
const isThere = (file: string) => fs.existsSync(path.join(repositoryFolder, "docker", file))

it("the monitoring profile starts only on request and is reachable only from this machine", () => {
  for (const service of [prometheus, grafana]) {
    assert.deepStrictEqual(valueAt(service, "profiles"), ["monitoring"])
    const ports = textsAt(service, "ports")
    assert.isTrue(ports.length > 0 && ports.every((port) => port.startsWith("127.0.0.1:")))
  }
})

it("the monitoring profile has a Prometheus that reads the metrics of the service and the alarms", () => {
  const file = textsAt(prometheus, "command").map((text) => /^--config\.file=(.*)$/u.exec(text)?.[1])
  const [config] = readYaml(mountedFile(prometheus, file.find(Boolean) ?? ""))
  const name = "environment.RAPPORT_METRICS_PORT"
  const ports = [rapport, serviceOf("rapport-2")].map((service) => valueAt(service, name))
  const job = "scrape_configs.0"
  assert.strictEqual(valueAt(config, `${job}.job_name`), "rapport", "the alarm RapportDown names the job")
  assert.deepStrictEqual(valueAt(config, `${job}.static_configs`), [
    { targets: ports.map((each) => `rapport:${each}`) }
  ])
  assert.strictEqual(valueAt(rapport, "environment.RAPPORT_METRICS_HOST"), "0.0.0.0")
  assert.isFalse(
    textsAt(rapport, "ports").some((line) => line.includes(String(ports[0]))),
    "tenants do not reach it"
  )
  const rules = textsAt(config, "rule_files")
  assert.isNotEmpty(rules)
  for (const place of rules) assert.isTrue(isThere(mountedFile(prometheus, place)), place)
})

it("the monitoring profile has a Grafana with dashboard, data source and its own password", () => {
  const read = (name: string) => readYaml(mountedFile(grafana, `/etc/grafana/provisioning/${name}`))[0]
  const sources = read("datasources/prometheus.yaml")
  assert.deepInclude(valueAt(sources, "datasources.0"), { uid: "prometheus", url: "http://prometheus:9090" })
  assert.lengthOf(valuesAt(sources, "datasources"), 1)
  for (const provider of valuesAt(read("dashboards/rapport.yaml"), "providers"))
    assert.isTrue(isThere(mountedFile(grafana, `${String(valueAt(provider, "options.path"))}/rapport.json`)))
  const secret = String(valueAt(grafana, "secrets.0"))
  const password = valueAt(grafana, "environment.GF_SECURITY_ADMIN_PASSWORD__FILE")
  assert.strictEqual(password, `/run/secrets/${secret}`)
  const file = path.basename(String(valueAt(compose, `secrets.${secret}.file`)))
  const script = fs.readFileSync(path.join(repositoryFolder, "docker/make-secrets"), "utf8")
  assert.include(script, `> ${file}`)
})
