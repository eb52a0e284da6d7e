// The manifests of docker/kubernetes fit the service: ports, probes, settings and rights. `pnpm manifests` validates their schemas.
import { openApiDocument } from "@rapport/contract/documents/OpenApiDocument.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseAllDocuments } from "yaml"
import { readConfig } from "../Config.ts"
import { imageSettings } from "../testing/ImageTree.ts"

const folder = path.resolve(import.meta.dirname, "../../../../docker/kubernetes")
const documents = fs
  .readdirSync(folder)
  .flatMap((name) => parseAllDocuments(fs.readFileSync(path.join(folder, name), "utf8")))
  .map((document): unknown => document.toJS())

const Kind = Schema.Struct({ kind: Schema.String })
const kindOf = Schema.decodeUnknownSync(Kind)
const only = <S extends Schema.Constraint & { readonly DecodingServices: never }>(
  kind: string,
  schema: S
) => {
  const found = documents.filter((document) => kindOf(document).kind === kind)
  assert.lengthOf(found, 1, kind)
  return Schema.decodeUnknownSync(schema)(found[0])
}

const Texts = Schema.Record(Schema.String, Schema.String)
const Labels = Schema.Struct({ matchLabels: Texts })
const Probe = Schema.Struct({ httpGet: Schema.Struct({ path: Schema.String, port: Schema.String }) })
const Container = Schema.Struct({
  args: Schema.Array(Schema.String),
  envFrom: Schema.Array(Schema.Struct({ configMapRef: Schema.Struct({ name: Schema.String }) })),
  ports: Schema.Array(Schema.Struct({ name: Schema.String, containerPort: Schema.Int })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: Schema.Struct({ requests: Texts, limits: Texts }),
  securityContext: Schema.Unknown,
  volumeMounts: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      mountPath: Schema.String,
      readOnly: Schema.optionalKey(Schema.Boolean)
    })
  )
})
const Pod = Schema.Struct({
  automountServiceAccountToken: Schema.Boolean,
  terminationGracePeriodSeconds: Schema.Int,
  securityContext: Schema.Struct({
    runAsNonRoot: Schema.Boolean,
    runAsUser: Schema.Int,
    runAsGroup: Schema.Int,
    seccompProfile: Schema.Struct({ type: Schema.String })
  }),
  containers: Schema.Tuple([Container]),
  volumes: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      emptyDir: Schema.optionalKey(Schema.Unknown),
      secret: Schema.optionalKey(Schema.Struct({ secretName: Schema.String }))
    })
  )
})
const Deployment = Schema.Struct({
  spec: Schema.Struct({
    replicas: Schema.Int,
    selector: Labels,
    template: Schema.Struct({ metadata: Schema.Struct({ labels: Texts }), spec: Pod })
  })
})
const Selecting = <S extends Schema.Constraint>(spec: S) => Schema.Struct({ spec })

const deployment = () => only("Deployment", Deployment).spec
const container = () => deployment().template.spec.containers[0]

it("the Kubernetes probes and ports match the service", () => {
  const { livenessProbe, ports, readinessProbe, startupProbe } = container()
  const { environment } = imageSettings()
  assert.deepStrictEqual(ports, [{ name: "http", containerPort: Number(environment["PORT"]) }])
  const paths = Object.keys(openApiDocument()["paths"] ?? {})
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    assert.strictEqual(httpGet.port, "http")
    assert.include(paths, httpGet.path)
  }
  assert.strictEqual(readinessProbe.httpGet.path, "/health/ready")
  // An unavailable database must not restart the service.
  assert.strictEqual(livenessProbe.httpGet.path, "/health/live")
  const service = only(
    "Service",
    Selecting(
      Schema.Struct({ selector: Texts, ports: Schema.Array(Schema.Struct({ targetPort: Schema.String })) })
    )
  )
  assert.deepStrictEqual(service.spec.ports, [{ targetPort: "http" }])
  assert.deepStrictEqual(service.spec.selector, deployment().template.metadata.labels)
})

it.effect("the Kubernetes settings are accepted without a warning, with secrets only in files", () =>
  Effect.gen(function* () {
    const configured = only("ConfigMap", Schema.Struct({ data: Texts })).data
    const secret = only("Secret", Schema.Struct({ stringData: Texts })).stringData
    const mount = container().volumeMounts.find(({ name }) => name === "secrets")?.mountPath ?? ""
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
  const { spec } = deployment().template
  const { runAsGroup, runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext
  assert.strictEqual(`${runAsUser}:${runAsGroup}`, imageSettings().user)
  assert.deepStrictEqual([runAsNonRoot, seccompProfile.type], [true, "RuntimeDefault"])
  assert.isFalse(spec.automountServiceAccountToken)
  assert.deepStrictEqual(container().securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] }
  })
  // Only written folders and secrets are volumes.
  const mounts = new Map(container().volumeMounts.map((mount) => [mount.name, mount]))
  assert.strictEqual(mounts.get("data")?.mountPath, imageSettings().environment["RAPPORT_DATA_DIR"])
  assert.strictEqual(mounts.get("tmp")?.mountPath, "/tmp")
  assert.isTrue(mounts.get("secrets")?.readOnly)
  assert.sameMembers(
    spec.volumes.map(({ name }) => name),
    [...mounts.keys()]
  )
  assert.deepStrictEqual(Object.keys(container().resources.limits), ["memory"])
})

it("the Kubernetes manifests keep one process while nodes are drained and allow no other traffic", () => {
  const { replicas, selector, template } = deployment()
  assert.deepStrictEqual(selector.matchLabels, template.metadata.labels)
  const budget = only(
    "PodDisruptionBudget",
    Selecting(Schema.Struct({ minAvailable: Schema.Int, selector: Labels }))
  ).spec
  assert.deepStrictEqual(budget.selector, selector)
  assert.isTrue(budget.minAvailable >= 1 && budget.minAvailable < replicas)
  const Port = Schema.Struct({ protocol: Schema.String, port: Schema.Int })
  const Rules = Schema.Array(Schema.Struct({ ports: Schema.Array(Port) }))
  const policy = only(
    "NetworkPolicy",
    Selecting(
      Schema.Struct({
        podSelector: Labels,
        policyTypes: Schema.Array(Schema.String),
        ingress: Rules,
        egress: Rules
      })
    )
  ).spec
  assert.deepStrictEqual(policy.podSelector, selector)
  assert.sameMembers([...policy.policyTypes], ["Ingress", "Egress"])
  const portsOf = (rules: typeof Rules.Type) => rules.flatMap(({ ports }) => ports.map(({ port }) => port))
  assert.deepStrictEqual(portsOf(policy.ingress), [container().ports[0]?.containerPort])
  // PostgreSQL, OpenSearch, Redis, DNS, and receivers of deliveries.
  assert.includeMembers(portsOf(policy.egress), [5432, 9200, 6379, 53, 443])
  // Draining takes 10 s, after 5 s of waiting.
  assert.isAtLeast(template.spec.terminationGracePeriodSeconds, 30)
})
