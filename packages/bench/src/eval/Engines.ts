// The service with either search engine, started for one evaluation in a folder of its own and with nothing in it.
import { Config, Console, Effect, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import * as path from "node:path"
import { freePort, program, runningService, started, temporaryFolder, unlimited } from "../Started.ts"
import type { Account } from "./Account.ts"

export const engines = ["sqlite", "opensearch"] as const
export type Engine = (typeof engines)[number]

/** The address of a started service, and an account that may load and search. */
export interface Running {
  readonly origin: string
  readonly account: Account
}

/** An empty instance, ended with the scope; `openSearchAt`: an OpenSearch that is started already. */
export const startEngine = Effect.fn("Engines.start")(function* (engine: Engine, openSearchAt?: string) {
  const password = randomUUID()
  const { origin } = yield* runningService({
    ...unlimited,
    PORT: "0",
    LOG_LEVEL: "error",
    RAPPORT_DATA_DIR: yield* temporaryFolder,
    RAPPORT_SEED: "empty",
    RAPPORT_ADMIN_LOGIN: "evaluation",
    RAPPORT_ADMIN_PASSWORD: password,
    ...(engine === "opensearch" ? yield* sharedOpenSearch(openSearchAt ?? (yield* openSearchUrl)) : {})
  })
  const running: Running = {
    origin,
    account: { _tag: "Login", login: "evaluation", password: Redacted.make(password) }
  }
  return running
})

/** The OpenSearch of OPENSEARCH_URL, or a node that is started for it and ends with the scope. */
export const openSearchUrl = Effect.gen(function* () {
  const given = yield* Config.option(Config.String("OPENSEARCH_URL"))
  if (Option.isSome(given)) return given.value
  const port = yield* freePort
  const folder = path.join(yield* temporaryFolder, "opensearch")
  return yield* started(
    program("scripts/opensearch.ts"),
    ["--port", String(port), "--folder", folder],
    yield* javaEnvironment,
    /^OPENSEARCH_URL=(\S+)/mu
  )
})

/** Index names that nobody else has there; their data are deleted with the scope. */
const sharedOpenSearch = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => ({ OPENSEARCH_URL: url, OPENSEARCH_INDEX_PREFIX: `eval-${randomUUID().slice(0, 8)}` })),
    ({ OPENSEARCH_INDEX_PREFIX: prefix }) =>
      Effect.forEach([`${prefix}-*`, `_index_template/${prefix}-*`], (name) =>
        Effect.tryPromise(() => fetch(`${url}/${name}`, { method: "DELETE" })).pipe(
          Effect.catch(() => Console.error(`could not delete ${name} of the evaluation`))
        )
      )
  )

/** Variables by which Java and Maven find themselves. */
const javaEnvironment = Effect.sync(() =>
  Object.fromEntries(
    ["PATH", "HOME", "JAVA_HOME", "TMPDIR"].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    })
  )
)
