// The meaning of each setting. docs/contract/11-running.md shows these texts with the values and defaults that Config reads.

interface SettingMeaning {
  readonly meaning: string
  /** Only where the default depends on the environment or is described by a word. */
  readonly byDefault?: string
}

const meaningOf = (meaning: string, byDefault?: string): SettingMeaning =>
  byDefault === undefined ? { meaning } : { meaning, byDefault }

/** Setting → its meaning, in the order of the table. Limits and OTEL_ variables are described elsewhere. */
export const settingMeanings: Readonly<Record<string, SettingMeaning>> = {
  PORT: meaningOf("Port of the service. 0 picks a free port"),
  HOST: meaningOf("Address to listen on"),
  RAPPORT_DATA_DIR: meaningOf(
    "Folder of the embedded PostgreSQL, the embedded index and the generated keys. One process uses it at a time",
    "`.data` in the checkout"
  ),
  DATABASE_URL: meaningOf("PostgreSQL 15 or newer", "embedded PostgreSQL"),
  DATABASE_CA_FILE: meaningOf("CA certificates (PEM) for `DATABASE_URL`", "those of the system"),
  OPENSEARCH_URL: meaningOf(
    "OpenSearch: the address of a node, or of several, separated by commas",
    "embedded index"
  ),
  OPENSEARCH_USERNAME: meaningOf("User of OpenSearch"),
  OPENSEARCH_PASSWORD: meaningOf("Password of OpenSearch"),
  OPENSEARCH_CA_FILE: meaningOf("CA certificates (PEM) for `OPENSEARCH_URL`", "those of the system"),
  OPENSEARCH_INDEX_PREFIX: meaningOf(
    "Prefix of index names. Services that share an OpenSearch need different prefixes"
  ),
  REDIS_URL: meaningOf(
    "Redis in which several processes share rate limits, concurrency and failed logins. `rediss://` uses TLS",
    "in memory"
  ),
  REDIS_CA_FILE: meaningOf("CA certificates (PEM) for `REDIS_URL`", "those of the system"),
  RAPPORT_REDIS_TIMEOUT_MS: meaningOf("How long a request waits for Redis, in milliseconds"),
  RAPPORT_S3_URL: meaningOf(
    "Bucket for files in S3 or a compatible store, as `https://HOST/BUCKET`, with an optional prefix",
    "folder `files` of the data folder"
  ),
  RAPPORT_S3_REGION: meaningOf("Region of the bucket"),
  RAPPORT_S3_ACCESS_KEY: meaningOf("Access key of the bucket", "required by `RAPPORT_S3_URL`"),
  RAPPORT_S3_SECRET_KEY: meaningOf("Secret key of the bucket", "required by `RAPPORT_S3_URL`"),
  RAPPORT_SEED: meaningOf(
    "Content of an empty database. `small` has the logins and fixed ids of the demo with 1 % of its clients and appeals. `empty` has only instance 1 and its administrator",
    "`demo` with the embedded PostgreSQL, else `empty`"
  ),
  RAPPORT_ADMIN_LOGIN: meaningOf(
    "Login of the administrator of instance 1, for an empty database",
    "administrator; required by `empty`"
  ),
  RAPPORT_ADMIN_PASSWORD: meaningOf(
    "Password of that administrator. `instance create` uses it too",
    "rapport-demo; required by `empty`"
  ),
  RAPPORT_TOKEN_KEYS: meaningOf(
    "Signing keys, newest first, separated by commas. Each is 32 bytes in base64url. The first key signs, all verify. Tokens of a removed key are 401",
    "generated with the embedded PostgreSQL, else required"
  ),
  RAPPORT_WEBHOOK_ALLOW_PRIVATE: meaningOf("Whether webhooks may reach private addresses"),
  RAPPORT_DELIVERY_ATTEMPTS: meaningOf("Attempts to deliver a message"),
  RAPPORT_DELIVERY_BACKOFF_MS: meaningOf("Delay before the second attempt. It doubles each time, up to 60 s"),
  RAPPORT_DELIVERY_TIMEOUT_MS: meaningOf("Duration of one attempt, in milliseconds"),
  RAPPORT_PUBLIC_URL: meaningOf(
    "Public origin of the service, for links, documents and the check of `Origin`",
    "`http://HOST:PORT`"
  ),
  RAPPORT_TRUSTED_PROXIES: meaningOf(
    "Addresses and CIDRs whose forwarding headers count, separated by commas"
  ),
  RAPPORT_TELEGRAM_API_URL: meaningOf("Base of the Telegram Bot API", "`https://api.telegram.org`"),
  RAPPORT_CORS_ORIGINS: meaningOf("Origins that receive CORS headers, separated by commas"),
  RAPPORT_RECEIPT_DAYS: meaningOf(
    "Days to keep receipts of actions, state, sessions and imports (contract §1.3). 0 keeps them forever"
  ),
  RAPPORT_AUDIT_DAYS: meaningOf("Days to keep audit entries. 0 keeps them forever"),
  RAPPORT_STATE_VERSIONS: meaningOf("Versions to keep in the history of each state. 0 keeps all"),
  RAPPORT_QUOTA_ROWS: meaningOf(
    "Rows that one instance may store, else 409 QUOTA_EXCEEDED. 0 means unlimited"
  ),
  RAPPORT_QUOTA_MB: meaningOf("MiB that one instance may store, else 409 QUOTA_EXCEEDED. 0 means unlimited"),
  RAPPORT_FREE_MB: meaningOf(
    "Free MiB below which writes are refused (503, reason storage_full). 0 disables the check"
  ),
  RAPPORT_POOL_SIZE: meaningOf("Connections to PostgreSQL"),
  RAPPORT_REUSE_PORT: meaningOf("Whether several processes may listen on the same port (SO_REUSEPORT)"),
  RAPPORT_ALLOW_DEMO_LOGINS: meaningOf(
    "Whether a service with demo logins may be reached from other machines"
  ),
  RAPPORT_URL: meaningOf("Address of the service, for `rapport mcp` and `rapport import`"),
  RAPPORT_TOKEN: meaningOf("Token, for `rapport mcp` and `rapport import`"),
  RAPPORT_METRICS_PORT: meaningOf(
    "Port of `GET /metrics` for Prometheus. 0 picks a free port. The port of the service never serves metrics"
  ),
  RAPPORT_METRICS_HOST: meaningOf("Address of the metrics port"),
  RAPPORT_ACCESS_LOG: meaningOf("Whether to log every request, without path and query string"),
  LOG_LEVEL: meaningOf("Least severe level that is logged"),
  LOG_FORMAT: meaningOf("Format of the log", "`pretty` on a terminal, else `json`")
}
