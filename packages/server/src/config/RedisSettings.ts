// REDIS_URL with its related settings: the Redis through which processes share their limits.
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

export type RedisSettings = NonNullable<ReturnType<typeof redisSettingsOf>>

const REDIS_PORT = 6379

export const redisSettingsOf = (read: EnvironmentReader) => {
  const secret = read.secretUrl("REDIS_URL", ["redis", "rediss"])
  const file = read.text("REDIS_CA_FILE")
  const timeoutMillis = read.limit("RAPPORT_REDIS_TIMEOUT_MS", { minimum: 1, default: 50, maximum: 10_000 })
  if (secret === undefined) return undefined
  const url = new URL(Redacted.value(secret))
  const tls = url.protocol === "rediss:"
  const database = /^\/?([0-9]{0,9})$/u.exec(url.pathname)?.[1]
  if (database === undefined)
    read.refuse("REDIS_URL", "must end with host and port, or with the number of a database")
  if (file !== undefined && !tls)
    read.refuse("REDIS_URL", "must begin with rediss:// because REDIS_CA_FILE is set")
  return {
    host: url.hostname.replace(/^\[(.*)\]$/u, "$1"),
    port: url.port === "" ? REDIS_PORT : Number(url.port),
    username: partOf(read, url.username),
    password: withLabel(partOf(read, url.password)),
    database: Number(database ?? 0),
    tls,
    /** Trusted certificates (PEM) for its own; undefined: those of the system. */
    certificates: file === undefined ? undefined : read.certificates("REDIS_CA_FILE", file),
    /** How long a request waits for Redis. */
    timeoutMillis
  }
}

const withLabel = (password: string | undefined) =>
  password === undefined ? undefined : Redacted.make(password, { label: "REDIS_URL" })

const partOf = (read: EnvironmentReader, encoded: string): string | undefined => {
  try {
    return encoded === "" ? undefined : decodeURIComponent(encoded)
  } catch {
    read.refuse("REDIS_URL", "has a user or password with a malformed percent code")
    return undefined
  }
}
