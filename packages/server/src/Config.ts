// Reads every environment variable of the service once. No other file reads process.env.
import { isCommonPassword } from "@rapport/contract/access/CommonPasswords.ts"
import {
  NAME_POINTS_MAX,
  PASSWORD_POINTS_MAX,
  PASSWORD_POINTS_MIN,
  TrafficDefaults,
  type TrafficLimit,
  type TrafficLimits
} from "@rapport/contract/Limits.ts"
import { isVisibleText } from "@rapport/contract/values/Checks.ts"
import { storedLogin } from "@rapport/contract/values/Members.ts"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import * as path from "node:path"
import { parseTokenKeys } from "./access/TokenKeys.ts"
import { databaseTlsOf } from "./config/DatabaseTls.ts"
import { ineffectiveNames } from "./config/Ineffective.ts"
import { type Environment, EnvironmentReader, unknownNames } from "./config/EnvironmentReader.ts"
import { metricsSettingsOf } from "./config/MetricsSettings.ts"
import { s3SettingsOf } from "./config/S3Settings.ts"
import { redisSettingsOf } from "./config/RedisSettings.ts"
import { readTelemetry } from "./config/TelemetrySettings.ts"
import { ConfigError } from "./config/ConfigError.ts"
import { repositoryFolder } from "./files/Repository.js"

/** RAPPORT_LIMIT_<NAME>: a rate or concurrency limit. */
const TrafficLimitBounds = { minimum: 1, maximum: 1_000_000_000 } as const

/** The seed of an empty database (contract §11). */
export type SeedKind = Settings["seed"]

/** The settings in force. */
export class Config extends Context.Service<Config, Effect.Success<ReturnType<typeof readConfig>>>()(
  "@rapport/server/Config"
) {
  /** Reads the environment of the process. */
  static readonly layer: Layer.Layer<Config, ConfigError> = Layer.effect(
    Config,
    Effect.suspend(() => readConfig(process.env, { terminal: process.stderr.isTTY }))
  )
}

/** A layer that depends on the settings. */
export const withSettings = <A, E, R>(make: (settings: Settings) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(Config, ({ settings }) => make(settings)))

/** Validates an environment and reports all wrong values in one line. `terminal`: logs go to one. */
export const readConfig = Effect.fnUntraced(function* (
  environment: Environment,
  { terminal }: { readonly terminal: boolean }
) {
  const read = new EnvironmentReader(environment)
  const tokenKeys = read.secret("RAPPORT_TOKEN_KEYS")
  if (tokenKeys !== undefined) {
    yield* Effect.catch(parseTokenKeys(tokenKeys), ({ message }) =>
      Effect.sync(() => read.refuse("RAPPORT_TOKEN_KEYS", message))
    )
  }
  const databaseUrl = read.secretUrl("DATABASE_URL", ["postgres", "postgresql"])
  const tls = databaseTlsOf(read, databaseUrl)
  const settings: Settings = {
    ...settingsOf(read, { isEmbedded: databaseUrl === undefined, terminal }),
    databaseUrl,
    databaseCertificates: tls.certificates,
    tokenKeys
  }
  read.removed(
    "RAPPORT_WORKERS",
    "is no longer a setting: start several processes instead (docs/operations.md, Several processes)"
  )
  if (read.complaints.length > 0) return yield* new ConfigError({ message: read.complaints.join("; ") })
  return {
    settings,
    /** The settings without secrets. */
    shown: Object.fromEntries(read.shown),
    /** The entries of `shown` that are not defaults, for a terminal. */
    shownChanges: Object.fromEntries([...read.shown].filter(([name]) => !read.defaults.has(name))),
    /** The names of all settings. */
    names: read.names,
    /** The allowed range or choice by name. */
    allowed: read.allowed,
    warnings: [
      ...unknownNames(environment, read.names),
      ...ineffectiveNames(environment),
      ...(tls.warning === undefined ? [] : [tls.warning])
    ]
  }
})

/** The settings of contract §11. Absent ones are undefined. */
export interface Settings extends ReturnType<typeof settingsOf> {
  /** Absent: the embedded PostgreSQL. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** PEM certificates that verify the server. Absent: those of the system. */
  readonly databaseCertificates: string | undefined
  /** In the format of `TokenKeys.layer`. Absent: generated into the data folder. */
  readonly tokenKeys: Redacted.Redacted | undefined
}

const settingsOf = (
  read: EnvironmentReader,
  { isEmbedded, terminal }: { readonly isEmbedded: boolean; readonly terminal: boolean }
) => ({
  port: read.integer("PORT", { minimum: 0, maximum: 65_535 }, 8080),
  host: read.host("HOST"),
  /** Absolute path. */
  dataDir: path.resolve(read.textOr("RAPPORT_DATA_DIR", path.join(repositoryFolder, ".data"))),
  /** Absent: the embedded index. */
  openSearch: openSearchOf(read),
  /** Absent: limits are kept in memory. */
  redis: redisSettingsOf(read),
  /** Absent: files are in the data folder. */
  s3: s3SettingsOf(read),
  seed: read.choice("RAPPORT_SEED", ["demo", "small", "empty"], isEmbedded ? "demo" : "empty"),
  adminLogin: adminLoginOf(read),
  adminPassword: read.secret("RAPPORT_ADMIN_PASSWORD", passwordComplaint),
  limits: limitsOf(read),
  webhookAllowPrivate: read.boolean("RAPPORT_WEBHOOK_ALLOW_PRIVATE", false),
  delivery: {
    attempts: read.limit("RAPPORT_DELIVERY_ATTEMPTS", { minimum: 1, default: 8, maximum: 100 }),
    backoffMillis: read.limit("RAPPORT_DELIVERY_BACKOFF_MS", {
      minimum: 1,
      default: 1_000,
      maximum: 3_600_000
    }),
    timeoutMillis: read.limit("RAPPORT_DELIVERY_TIMEOUT_MS", {
      minimum: 1,
      default: 10_000,
      maximum: 300_000
    })
  },
  /** Absent: http://HOST:PORT of the listener. */
  publicUrl: read.origin("RAPPORT_PUBLIC_URL"),
  trustedProxies: read.list(
    "RAPPORT_TRUSTED_PROXIES",
    "must be addresses or CIDRs separated by commas",
    networkOf
  ),
  telegramApiUrl: webUrlOf(read, "RAPPORT_TELEGRAM_API_URL") ?? "https://api.telegram.org",
  corsOrigins: read.origins("RAPPORT_CORS_ORIGINS"),
  /** Days that receipts of context writes are kept; 0: for ever. */
  receiptDays: read.limit("RAPPORT_RECEIPT_DAYS", { minimum: 0, default: 0, maximum: 36_500 }),
  /** Days that entries of the audit log are kept; 0: for ever. */
  auditDays: read.limit("RAPPORT_AUDIT_DAYS", { minimum: 0, default: 400, maximum: 36_500 }),
  /** Versions of a state that its history keeps; 0: all. */
  stateVersions: read.limit("RAPPORT_STATE_VERSIONS", { minimum: 0, default: 100, maximum: 1_000_000 }),
  /** Of each instance; 0: none. */
  quota: {
    rows: read.limit("RAPPORT_QUOTA_ROWS", QuotaLimits),
    bytes: read.limit("RAPPORT_QUOTA_MB", QuotaLimits) * MEGABYTE
  },
  /** Writes are refused below this free space on the disk of the data folder. 0: never. */
  freeBytesMin:
    read.limit("RAPPORT_FREE_MB", { minimum: 0, default: 512, maximum: 1_000_000_000 }) * MEGABYTE,
  poolSize: read.limit("RAPPORT_POOL_SIZE", { minimum: 2, default: 16, maximum: 500 }),
  /** Whether other processes may listen on the same port (SO_REUSEPORT). */
  reusePort: read.boolean("RAPPORT_REUSE_PORT", false),
  allowDemoLogins: read.boolean("RAPPORT_ALLOW_DEMO_LOGINS", false),
  /** For the MCP bridge. */
  bridge: { url: webUrlOf(read, "RAPPORT_URL"), token: read.secret("RAPPORT_TOKEN") },
  /** Absent: nothing is exported. */
  telemetry: readTelemetry(read),
  /** Absent: no port serves metrics. */
  metrics: metricsSettingsOf(read),
  /** Whether every request is a line of the log. */
  accessLog: read.boolean("RAPPORT_ACCESS_LOG", false),
  logLevel: read.choice("LOG_LEVEL", ["debug", "info", "warn", "error"], "info"),
  logFormat: read.choice("LOG_FORMAT", ["pretty", "json"], terminal ? "pretty" : "json")
})

const MEGABYTE = 1024 * 1024
const QuotaLimits = { minimum: 0, default: 0, maximum: 1_000_000_000_000 }

export type OpenSearchSettings = NonNullable<Settings["openSearch"]>

const openSearchOf = (read: EnvironmentReader) => {
  const urls = read.urls("OPENSEARCH_URL", ["http", "https"])
  const username = read.text("OPENSEARCH_USERNAME")
  const password = read.secret("OPENSEARCH_PASSWORD")
  const caFile = read.text("OPENSEARCH_CA_FILE")
  if (username !== undefined && password === undefined) {
    read.refuse("OPENSEARCH_PASSWORD", "is missing: OPENSEARCH_USERNAME is set")
  }
  const indexPrefix = read.textOr("OPENSEARCH_INDEX_PREFIX", "rapport")
  if (!/^[a-z][a-z0-9-]{0,63}$/u.test(indexPrefix)) {
    read.refuse("OPENSEARCH_INDEX_PREFIX", "must be lower-case letters, digits and hyphens", indexPrefix)
  }
  if (urls === undefined) return undefined
  const certificates = caFile === undefined ? undefined : read.certificates("OPENSEARCH_CA_FILE", caFile)
  return { urls, username, password, certificates, indexPrefix }
}

const adminLoginOf = (read: EnvironmentReader): string | undefined => {
  const given = read.text("RAPPORT_ADMIN_LOGIN")
  const login = given === undefined ? undefined : storedLogin(given)
  if (login !== undefined && !isVisibleText(login))
    read.refuse("RAPPORT_ADMIN_LOGIN", "must not be white space only")
  if (login !== undefined && [...login].length > NAME_POINTS_MAX) {
    read.refuse("RAPPORT_ADMIN_LOGIN", `must be at most ${NAME_POINTS_MAX} characters long`)
  }
  return login
}

/** The message for an invalid password, which does not contain it. */
const passwordComplaint = (password: string): string | undefined => {
  const points = [...password].length
  if (points < PASSWORD_POINTS_MIN || points > PASSWORD_POINTS_MAX)
    return `must be ${PASSWORD_POINTS_MIN} to ${PASSWORD_POINTS_MAX} characters long`
  return isCommonPassword(password) ? "must not be a common password" : undefined
}

const limitsOf = (read: EnvironmentReader): TrafficLimits => {
  const limit = (name: TrafficLimit) =>
    read.integer(`RAPPORT_LIMIT_${name}`, TrafficLimitBounds, TrafficDefaults[name])
  const names = Object.keys(TrafficDefaults) as ReadonlyArray<TrafficLimit>
  return Object.fromEntries(names.map((name) => [name, limit(name)])) as Record<TrafficLimit, number>
}

const networkOf = (item: string): IpNetwork.IpNetwork | undefined => {
  const network = item.includes("/")
    ? IpNetwork.fromString(item)
    : Result.flatMap(NetAddress.ipFromString(item), (address) =>
        IpNetwork.make(address, address._tag === "Ipv4Address" ? 32 : 128)
      )
  return Result.getOrUndefined(network)
}

const webUrlOf = (read: EnvironmentReader, name: string): string | undefined => {
  const url = read.url(name, ["http", "https"])
  return url === undefined ? undefined : Redacted.value(url).replace(/\/+$/u, "")
}
