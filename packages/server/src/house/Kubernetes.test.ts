// The manifests of docker/kubernetes fit the service: ports, probes, settings and rights. `pnpm manifests` validates their schemas.
import { openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { readConfig } from "../Config.ts"
import { imageSettings } from "../testing/ImageTree.ts"
import { readYaml, valueAt, valuesAt } from "../testing/Yaml.ts"

const manifests = fs
  .readdirSync(path.resolve(import.meta.dirname, "../../../../docker/kubernetes"))
  .flatMap((name) => readYaml(`kubernetes/${name}`))
/** The only manifest of the kind. */
const only = (kind: string): unknown => {
  const found = manifests.filter((manifest) => valueAt(manifest, "kind") === kind)
  assert.lengthOf(found, 1, kind)
  return found[0]
}
const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(Object(value)).map(([name, text]) => [name, String(text)]))

const deployment = valueAt(only("Deployment"), "spec")
const pod = valueAt(deployment, "template.spec")
const container = valueAt(pod, "containers.0")
const labels = valueAt(deployment, "selector.matchLabels")
const nameOf = (one: unknown) => valueAt(one, "name")
const mountOf = (name: string) => valuesAt(container, "volumeMounts").find((mount) => nameOf(mount) === name)

it("the Kubernetes probes and ports match the service", () => {
  const { environment } = imageSettings()
  const port = { name: "http", containerPort: Number(environment["PORT"]) }
  assert.deepStrictEqual(valueAt(container, "ports"), [port])
  const paths = Object.keys(openApiDocument()["paths"] ?? {})
  for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
    assert.strictEqual(valueAt(container, `${probe}.httpGet.port`), "http")
    assert.include(paths, valueAt(container, `${probe}.httpGet.path`))
  }
  assert.strictEqual(valueAt(container, "readinessProbe.httpGet.path"), "/health/ready")
  // An unavailable database must not restart the service.
  assert.strictEqual(valueAt(container, "livenessProbe.httpGet.path"), "/health/live")
  const targets = valuesAt(only("Service"), "spec.ports").map((one) => valueAt(one, "targetPort"))
  assert.deepStrictEqual(targets, ["http"])
  const { metadata } = Object(valueAt(deployment, "template"))
  assert.deepStrictEqual(valueAt(only("Service"), "spec.selector"), metadata.labels)
})

it.effect("the Kubernetes settings are accepted without a warning, with secrets only in files", () =>
  Effect.gen(function* () {
    const configured = textsOf(valueAt(only("ConfigMap"), "data"))
    const secret = textsOf(valueAt(only("Secret"), "stringData"))
    const mount = String(valueAt(mountOf("secrets"), "mountPath"))
    const here = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-kubernetes-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(here, { recursive: true })))
    // The service refuses the password of the template as too common.
    const filled = {
      ...secret,
      token_keys: Buffer.alloc(32, 7).toString("base64url"),
      admin_password: "їжак-у-тумані"
    }
    for (const [name, value] of Object.entries(filled)) fs.writeFileSync(path.join(here, name), value)
    const files = Object.values(configured).filter((value) => value.startsWith(`${mount}/`))
    assert.sameMembers([...new Set(files.map((file) => path.basename(file)))], Object.keys(secret))
    const environment = Object.fromEntries(
      Object.entries({ ...imageSettings().environment, ...configured })
        // The image reads these, not the service.
        .filter(([name]) => name !== "NODE_ENV")
        .map(([name, value]) => [name, value.replace(mount, here)])
    )
    const { settings, warnings } = yield* readConfig(environment, { terminal: false })
    assert.deepStrictEqual(warnings, [])
    assert.deepStrictEqual([settings.host, settings.port, settings.dataDir], ["0.0.0.0", 8080, "/data"])
    assert.isTrue(settings.openSearch !== undefined && settings.redis?.tls === true)
    assert.isUndefined(
      Object.keys(configured).find((name) => /(?:PASSWORD|KEYS|DATABASE_URL|REDIS_URL)$/u.test(name))
    )
  })
)

it("the Kubernetes pod runs as the image does: no root, no capability, a read-only root file system", () => {
  const { runAsGroup, runAsNonRoot, runAsUser, seccompProfile } = Object(valueAt(pod, "securityContext"))
  assert.strictEqual(`${runAsUser}:${runAsGroup}`, imageSettings().user)
  assert.deepStrictEqual([runAsNonRoot, seccompProfile.type], [true, "RuntimeDefault"])
  assert.strictEqual(valueAt(pod, "automountServiceAccountToken"), false)
  assert.deepStrictEqual(valueAt(container, "securityContext"), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] }
  })
  // Only written folders and secrets are volumes.
  assert.strictEqual(valueAt(mountOf("data"), "mountPath"), imageSettings().environment["RAPPORT_DATA_DIR"])
  assert.strictEqual(valueAt(mountOf("tmp"), "mountPath"), "/tmp")
  assert.strictEqual(valueAt(mountOf("secrets"), "readOnly"), true)
  assert.sameMembers(valuesAt(pod, "volumes").map(nameOf), valuesAt(container, "volumeMounts").map(nameOf))
  assert.deepStrictEqual(Object.keys(Object(valueAt(container, "resources.limits"))), ["memory"])
})

it("the Kubernetes manifests keep one process while nodes are drained and allow no other traffic", () => {
  assert.deepStrictEqual(labels, valueAt(deployment, "template.metadata.labels"))
  const budget = valueAt(only("PodDisruptionBudget"), "spec")
  assert.deepStrictEqual(valueAt(budget, "selector.matchLabels"), labels)
  const least = Number(valueAt(budget, "minAvailable"))
  assert.isTrue(least >= 1 && least < Number(valueAt(deployment, "replicas")))
  const policy = valueAt(only("NetworkPolicy"), "spec")
  assert.deepStrictEqual(valueAt(policy, "podSelector.matchLabels"), labels)
  assert.sameMembers([...valuesAt(policy, "policyTypes")], ["Ingress", "Egress"])
  const portsOf = (rules: string) =>
    valuesAt(policy, rules).flatMap((rule) => valuesAt(rule, "ports").map((one) => valueAt(one, "port")))
  assert.deepStrictEqual(portsOf("ingress"), [valueAt(container, "ports.0.containerPort")])
  // PostgreSQL, OpenSearch, Redis, DNS, and receivers of deliveries.
  assert.includeMembers(portsOf("egress"), [5432, 9200, 6379, 53, 443])
  // Draining takes 10 s, after 5 s of waiting.
  assert.isAtLeast(Number(valueAt(pod, "terminationGracePeriodSeconds")), 30)
})
