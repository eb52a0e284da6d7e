// Settings that are understood and change nothing: each is one warning, so that they are not taken to be in force.
import type { Environment } from "./EnvironmentReader.ts"

/** Names of settings → the one that they belong to, without which they are not read. */
const beside: Readonly<Record<string, string>> = {
  OPENSEARCH_USERNAME: "OPENSEARCH_URL",
  OPENSEARCH_PASSWORD: "OPENSEARCH_URL",
  OPENSEARCH_PASSWORD_FILE: "OPENSEARCH_URL",
  OPENSEARCH_CA_FILE: "OPENSEARCH_URL",
  OPENSEARCH_INDEX_PREFIX: "OPENSEARCH_URL",
  DATABASE_CA_FILE: "DATABASE_URL",
  REDIS_CA_FILE: "REDIS_URL",
  RAPPORT_REDIS_TIMEOUT_MS: "REDIS_URL",
  RAPPORT_METRICS_HOST: "RAPPORT_METRICS_PORT"
}

export const ineffectiveNames = (environment: Environment): ReadonlyArray<string> => {
  const isSet = (name: string) => (environment[name] ?? "") !== ""
  return Object.entries(beside).flatMap(([name, of]) =>
    isSet(name) && !isSet(of) && !isSet(`${of}_FILE`)
      ? [`${name} is set and has no effect without ${of}`]
      : []
  )
}
