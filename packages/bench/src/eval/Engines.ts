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
    ...(engine === "opensearch" ? yield* sharedOpenSearch(openSearchAt ?? (yield* openSearchUrl())) : {})
  })
  const running: Running = {
    origin,
    account: { _tag: "Login", login: "evaluation", password: Redacted.make(password) }
  }
  return running
})

/** The OpenSearch of OPENSEARCH_URL, or a node that is started for it and ends with the scope; `kept` keeps its data. */
export const openSearchUrl = Effect.fnUntraced(function* (kept?: string) {
  const given = yield* Config.option(Config.String("OPENSEARCH_URL"))
  if (Option.isSome(given)) return given.value
  const port = yield* freePort
  const folder = kept ?? path.join(yield* temporaryFolder, "opensearch")
  return yield* started(
    program("scripts/opensearch.ts"),
    ["--port", String(port), "--folder", folder],
    yield* javaEnvironment,
    /^OPENSEARCH_URL=(\S+)/mu
  )
})

/** How the service reaches it, under names that nobody else has there. */
const sharedOpenSearch = Effect.fnUntraced(function* (url: string) {
  const access = yield* Effect.all({
    OPENSEARCH_USERNAME: Config.option(Config.String("OPENSEARCH_USERNAME")),
    OPENSEARCH_PASSWORD: Config.option(Config.String("OPENSEARCH_PASSWORD")),
    OPENSEARCH_CA_FILE: Config.option(Config.String("OPENSEARCH_CA_FILE"))
  })
  const set = Object.entries(access).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, value.value] as const] : []
  )
  const prefix = yield* Effect.acquireRelease(
    Effect.sync(() => `eval-${randomUUID().slice(0, 8)}`),
    (prefix) => dropIndexes(url, prefix, Object.fromEntries(set))
  )
  return { ...Object.fromEntries(set), OPENSEARCH_URL: url, OPENSEARCH_INDEX_PREFIX: prefix }
})

/** Deletes the data of the evaluation. A failure is only logged. */
const dropIndexes = (url: string, prefix: string, access: Readonly<Record<string, string>>) => {
  const { OPENSEARCH_PASSWORD: password = "", OPENSEARCH_USERNAME: user } = access
  const headers: Record<string, string> =
    user === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }
  return Effect.forEach([`${prefix}-*`, `_index_template/${prefix}-*`], (path) =>
    Effect.tryPromise(() => fetch(`${url}/${path}`, { method: "DELETE", headers })).pipe(
      Effect.catch(() => Console.error(`could not delete ${path} of the evaluation`))
    )
  )
}

/** Variables by which Java and Maven find themselves. */
const javaEnvironment = Effect.gen(function* () {
  const found: Record<string, string> = {}
  for (const name of ["PATH", "HOME", "JAVA_HOME", "TMPDIR"]) {
    const value = yield* Config.option(Config.String(name))
    if (Option.isSome(value)) found[name] = value.value
  }
  return found
})
