import { assert, it } from "@effect/vitest"
import { TrafficDefaults } from "@rapport/contract/Limits.ts"
import { Effect, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import * as fs from "node:fs"
import * as path from "node:path"
import { readConfig } from "./Config.ts"
import { fileWith, read } from "./testing/ConfigFixtures.ts"

const settingsOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(read(environment), ({ settings }) => settings)
const complaintOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read(environment)), ({ message }) => message)

const key = (byte: number, bytes = 32) => Buffer.alloc(bytes, byte).toString("base64url")

it.effect("an empty environment gives the documented defaults", () =>
  Effect.gen(function* () {
    assert.deepInclude(yield* settingsOf({}), {
      port: 8080,
      host: "127.0.0.1",
      dataDir: path.resolve(import.meta.dirname, "../../../.data"),
      databaseUrl: undefined,
      openSearch: undefined,
      redis: undefined,
      tokenKeys: undefined,
      publicUrl: undefined,
      delivery: { attempts: 8, backoffMillis: 1000, timeoutMillis: 10_000 },
      auditDays: 400,
      stateVersions: 100,
      receiptDays: 0,
      trustedProxies: [],
      corsOrigins: [],
      telegramApiUrl: "https://api.telegram.org",
      poolSize: 16,
      webhookAllowPrivate: false,
      allowDemoLogins: false,
      telemetry: undefined,
      logLevel: "info",
      logFormat: "json",
      limits: TrafficDefaults
    })
  })
)

it.effect("default settings are not shown as changed on a terminal", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual((yield* read({})).shownChanges, {})
    const { shown, shownChanges } = yield* read({ PORT: "8081", RAPPORT_TOKEN_KEYS: key(1) })
    assert.deepStrictEqual(shownChanges, { PORT: "8081", RAPPORT_TOKEN_KEYS: "<redacted>" })
    assert.containsAllKeys(shown, ["HOST", "RAPPORT_POOL_SIZE"])
  })
)

it.effect("RAPPORT_SEED is demo when embedded, else empty", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* settingsOf({})).seed, "demo")
    assert.strictEqual((yield* settingsOf({ DATABASE_URL: "postgres://db/rapport" })).seed, "empty")
    assert.strictEqual(
      (yield* settingsOf({ DATABASE_URL: "postgres://db/rapport", RAPPORT_SEED: "small" })).seed,
      "small"
    )
  })
)

it.effect("LOG_FORMAT is pretty on a terminal", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* readConfig({}, { terminal: true })).settings.logFormat, "pretty")
  })
)

it.effect("an empty variable is an absent one", () =>
  Effect.gen(function* () {
    const settings = yield* settingsOf({
      PORT: "",
      DATABASE_URL: "",
      RAPPORT_TOKEN_KEYS: "",
      RAPPORT_SEED: ""
    })
    assert.strictEqual(settings.port, 8080)
    assert.strictEqual(settings.seed, "demo")
    assert.isUndefined(settings.tokenKeys)
  })
)

const wrong: ReadonlyArray<readonly [name: string, ...values: ReadonlyArray<string>]> = [
  ["PORT", "http", "65536", "-1", "08080", "80.5"],
  ["HOST", "my host"],
  ["DATABASE_URL", "mysql://db/rapport", "db:5432"],
  ["OPENSEARCH_URL", "search:9200", "https://search:9200,other:9200"],
  ["REDIS_URL", "http://redis", "redis://redis/limits"],
  ["RAPPORT_SEED", "large"],
  ["RAPPORT_ADMIN_LOGIN", "x".repeat(256)],
  ["RAPPORT_ADMIN_PASSWORD", "short", "Пароль123"],
  [
    "RAPPORT_TOKEN_KEYS",
    "not-a-key",
    `${key(1)},short`,
    `${key(1)},${key(1)}`,
    `${key(1)},`,
    `${key(1).slice(0, -1)}!`,
    key(1, 31),
    key(1, 33)
  ],
  ["RAPPORT_LIMIT_REST_PER_MINUTE", "0"],
  ["RAPPORT_LIMIT_CALLS_PER_MINUTE", "many"],
  ["RAPPORT_WEBHOOK_ALLOW_PRIVATE", "yes"],
  ["RAPPORT_DELIVERY_ATTEMPTS", "0"],
  ["RAPPORT_DELIVERY_BACKOFF_MS", "1s"],
  ["RAPPORT_DELIVERY_TIMEOUT_MS", "-5"],
  ["RAPPORT_PUBLIC_URL", "support.example.com", "https://support.example.com/kw"],
  ["RAPPORT_TRUSTED_PROXIES", "10.0.0.0/33", "10.0.0.1,proxy"],
  ["RAPPORT_TELEGRAM_API_URL", "telegram"],
  ["RAPPORT_CORS_ORIGINS", "*"],
  ["OPENSEARCH_PASSWORD_FILE", "/nowhere/secret"],
  ["RAPPORT_POOL_SIZE", "1"],
  ["RAPPORT_ALLOW_DEMO_LOGINS", "TRUE"],
  ["RAPPORT_URL", "localhost"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zip"],
  ["OTEL_METRIC_EXPORT_INTERVAL", "1s"],
  ["OTEL_LOGS_EXPORTER", "console"],
  ["LOG_LEVEL", "verbose"],
  ["LOG_FORMAT", "xml"]
]
it.effect.each(wrong)(
  "a wrong value is refused in one line that names the variable: %s",
  ([name, ...values]) =>
    Effect.gen(function* () {
      for (const value of values) {
        const complaint = yield* complaintOf({ [name]: value })
        assert.include(complaint, `${name} `, value)
        assert.notInclude(complaint, "\n", value)
      }
    })
)

const caFile = "/nowhere/ca.pem"
it.effect.each<readonly [Readonly<Record<string, string>>, RegExp]>([
  [{ PORT: "x", LOG_LEVEL: "y" }, /^(?=.*PORT).*LOG_LEVEL/u],
  [{ RAPPORT_WORKERS: "1" }, /^RAPPORT_WORKERS is no longer a setting: start several processes instead/u],
  [{ REDIS_CA_FILE: caFile, REDIS_URL: "rediss://redis" }, /REDIS_CA_FILE names a file that cannot be read/u],
  [{ REDIS_CA_FILE: caFile, REDIS_URL: "redis://redis" }, /rediss:\/\//u],
  [
    { OPENSEARCH_CA_FILE: caFile, OPENSEARCH_URL: "https://search" },
    /OPENSEARCH_CA_FILE names a file that cannot be read/u
  ],
  [{ OPENSEARCH_USERNAME: "rapport" }, /OPENSEARCH_PASSWORD is missing/u]
])("settings that do not work are refused in one line with the reason: %j", ([environment, reason]) =>
  Effect.gen(function* () {
    const complaint = yield* complaintOf(environment)
    assert.match(complaint, reason)
    assert.notInclude(complaint, "\n")
  })
)

const secrets = {
  RAPPORT_ADMIN_PASSWORD: "таємниця-1234",
  RAPPORT_TOKEN_KEYS: `${key(1)}, ${key(2)}`,
  OPENSEARCH_PASSWORD: "search-secret",
  RAPPORT_TOKEN: "bridge-secret",
  DATABASE_URL: "postgres://rapport:db-secret@db:5432/rapport?sslpassword=also-secret",
  REDIS_URL: "redis://:redis-secret@redis:6379",
  OPENSEARCH_URL: "https://reader:url-secret@search:9200,https://reader:url-secret@other:9200",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer otel-secret"
}

it.effect("secrets appear in no printout, JSON or complaint", () =>
  Effect.gen(function* () {
    const reading = yield* read(secrets)
    const printed = JSON.stringify(reading)
    const complaint = yield* complaintOf({
      ...secrets,
      DATABASE_URL: "mysql://u:db-secret@db",
      RAPPORT_ADMIN_PASSWORD: "пароль",
      RAPPORT_TOKEN_KEYS: `${key(1)},${key(2)},short`
    })
    for (const hidden of [
      "таємниця",
      key(1),
      key(2),
      "search-secret",
      "bridge-secret",
      "db-secret",
      "also-secret",
      "redis-secret",
      "url-secret",
      "otel-secret",
      "пароль"
    ]) {
      assert.notInclude(printed, hidden)
      assert.notInclude(complaint, hidden)
    }
    assert.strictEqual(
      reading.shown["OPENSEARCH_URL"],
      "https://reader@search:9200/,https://reader@other:9200/"
    )
    const { redis } = reading.settings
    assert.deepInclude(redis, { host: "redis", port: 6379, database: 0, tls: false, username: undefined })
    assert.strictEqual(redis?.password && Redacted.value(redis.password), "redis-secret")
    assert.strictEqual(reading.shown["DATABASE_URL"], "postgres://rapport@db:5432/rapport")
    assert.strictEqual(reading.shown["RAPPORT_TOKEN_KEYS"], "<redacted>")
  })
)

it.effect("a secret is read from the file that …_FILE names, without one line feed at its end", () =>
  Effect.gen(function* () {
    const file = yield* fileWith("таємниця-1234\n\n")
    const { settings, warnings } = yield* read({
      RAPPORT_ADMIN_PASSWORD_FILE: file,
      RAPPORT_ADMIN_LOGIN: "root"
    })
    assert.strictEqual(settings.adminPassword && Redacted.value(settings.adminPassword), "таємниця-1234\n")
    assert.deepStrictEqual(warnings, [], "both names are known")
  })
)

it.effect("a URL with a password may come from a file", () =>
  Effect.gen(function* () {
    const file = yield* fileWith("postgres://rapport:db-secret@db:5432/rapport\n")
    const { settings, shown } = yield* read({ DATABASE_URL_FILE: file })
    assert.strictEqual(
      settings.databaseUrl && Redacted.value(settings.databaseUrl),
      "postgres://rapport:db-secret@db:5432/rapport"
    )
    assert.strictEqual(shown["DATABASE_URL"], "postgres://rapport@db:5432/rapport")
  })
)

it.effect("a secret given as a value and as a file is refused", () =>
  Effect.gen(function* () {
    const file = yield* fileWith(key(1))
    assert.include(
      yield* complaintOf({ RAPPORT_TOKEN_KEYS: key(1), RAPPORT_TOKEN_KEYS_FILE: file }),
      "RAPPORT_TOKEN_KEYS_FILE"
    )
  })
)

it.effect("trusted proxies are addresses and CIDRs of both families", () =>
  Effect.gen(function* () {
    const { trustedProxies } = yield* settingsOf({
      RAPPORT_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,fd00::/8,::1"
    })
    assert.deepStrictEqual(trustedProxies.map(IpNetwork.format), [
      "10.0.0.0/8",
      "192.0.2.7/32",
      "fd00::/8",
      "::1/128"
    ])
  })
)

it.effect("telemetry is on with an endpoint and off without one or when the SDK is disabled", () =>
  Effect.gen(function* () {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }
    const on = yield* settingsOf({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret, x=y" })
    assert.strictEqual(on.telemetry?.protocol, "http/protobuf")
    assert.deepInclude(on.telemetry && Redacted.value(on.telemetry.variables), {
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_SERVICE_NAME: "rapport",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret,x=y"
    })
    assert.isUndefined((yield* settingsOf({ OTEL_TRACES_EXPORTER: "otlp" })).telemetry)
    assert.isUndefined((yield* settingsOf({ ...endpoint, OTEL_SDK_DISABLED: "true" })).telemetry)
  })
)

it.effect("an unknown RAPPORT_ name is one warning with the nearest known one, never a refusal", () =>
  Effect.gen(function* () {
    const { warnings } = yield* read({
      RAPPORT_POLL_SIZE: "3",
      RAPPORT_LIMIT_REST_PER_MINUT: "1",
      OTHER_NAME: "x"
    })
    assert.deepStrictEqual(warnings, [
      "RAPPORT_POLL_SIZE is not a setting of this service: did you mean RAPPORT_POOL_SIZE?",
      "RAPPORT_LIMIT_REST_PER_MINUT is not a setting of this service: did you mean RAPPORT_LIMIT_REST_PER_MINUTE?"
    ])
  })
)

const page = fs.readFileSync(path.resolve(import.meta.dirname, "../../../docs/operations.md"), "utf8")

it.effect("docs/operations.md lists no RAPPORT_ variable that is not read", () =>
  Effect.gen(function* () {
    const { names } = yield* read({})
    const listed = [...page.matchAll(/`(RAPPORT_[A-Z0-9_]+)`/gu)].map(([, name]) => name ?? "")
    assert.deepStrictEqual(
      listed.filter((name) => !names.has(name)),
      []
    )
  })
)
