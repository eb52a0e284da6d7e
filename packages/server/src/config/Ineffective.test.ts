import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { read } from "../testing/ConfigFixtures.ts"

const values: Readonly<Record<string, string>> = {
  OPENSEARCH_USERNAME: "rapport",
  OPENSEARCH_PASSWORD: "hidden",
  OPENSEARCH_CA_FILE: "/etc/ca.pem",
  OPENSEARCH_INDEX_PREFIX: "mine",
  DATABASE_CA_FILE: "/etc/ca.pem",
  REDIS_CA_FILE: "/etc/ca.pem",
  RAPPORT_REDIS_TIMEOUT_MS: "20",
  RAPPORT_METRICS_HOST: "0.0.0.0"
}

const warningsOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(read(environment), ({ warnings }) => warnings)

it.effect("a setting without effect gives one warning that names it and no secret", () =>
  Effect.gen(function* () {
    const warnings = yield* warningsOf(values)
    for (const name of Object.keys(values)) {
      assert.lengthOf(
        warnings.filter((warning) => warning.startsWith(`${name} is set`)),
        1,
        name
      )
    }
    assert.lengthOf(warnings, Object.keys(values).length)
    assert.notInclude(warnings.join(), "hidden")
  })
)

it.effect("settings that are unset or effective give no warning", () =>
  Effect.gen(function* () {
    for (const environment of [
      { REDIS_URL: "" },
      { REDIS_URL: "redis://redis:6379", RAPPORT_LIMIT_CALLS_PER_MINUTE: "7" },
      {
        OPENSEARCH_URL: "http://127.0.0.1:9200",
        OPENSEARCH_USERNAME: "rapport",
        OPENSEARCH_PASSWORD: "hidden"
      }
    ])
      assert.deepStrictEqual(yield* warningsOf(environment), [])
  })
)
