// Warnings for known settings that have no effect without another one.
import type { Environment } from "./EnvironmentReader.ts"

/** Setting → the setting that it needs to have an effect. */
const requiredSetting: Readonly<Record<string, string>> = {
  OPENSEARCH_USERNAME: "OPENSEARCH_URL",
  OPENSEARCH_PASSWORD: "OPENSEARCH_URL",
  OPENSEARCH_PASSWORD_FILE: "OPENSEARCH_URL",
  OPENSEARCH_CA_FILE: "OPENSEARCH_URL",
  OPENSEARCH_INDEX_PREFIX: "OPENSEARCH_URL",
  DATABASE_CA_FILE: "DATABASE_URL",
  REDIS_CA_FILE: "REDIS_URL",
  RAPPORT_REDIS_TIMEOUT_MS: "REDIS_URL",
  RAPPORT_S3_REGION: "RAPPORT_S3_URL",
  RAPPORT_S3_ACCESS_KEY: "RAPPORT_S3_URL",
  RAPPORT_S3_SECRET_KEY: "RAPPORT_S3_URL",
  RAPPORT_S3_SECRET_KEY_FILE: "RAPPORT_S3_URL",
  RAPPORT_METRICS_HOST: "RAPPORT_METRICS_PORT"
}

export const ineffectiveNames = (environment: Environment): ReadonlyArray<string> => {
  const isSet = (name: string) => (environment[name] ?? "") !== ""
  return Object.entries(requiredSetting).flatMap(([name, of]) =>
    isSet(name) && !isSet(of) && !isSet(`${of}_FILE`)
      ? [`${name} is set and has no effect without ${of}`]
      : []
  )
}
