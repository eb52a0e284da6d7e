// The service with either search engine, started for one evaluation in a folder of its own and with nothing in it.
import { Config, Console, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import * as path from "node:path"
import { program } from "../Repository.ts"
import { startProgram, startService, temporaryFolder, unlimited } from "../Started.ts"
import { accessOf } from "./Access.ts"

export const engines = ["sqlite", "opensearch"] as const

/** An empty instance, ended with the scope; with `openSearchUrl` it searches there. */
export const startEngine = Effect.fn("Engines.startEngine")(function* (openSearchUrl?: string) {
  const password = randomUUID()
  const { origin } = yield* startService(yield* temporaryFolder, {
    ...unlimited,
    RAPPORT_SEED: "empty",
    RAPPORT_ADMIN_LOGIN: "evaluation",
    RAPPORT_ADMIN_PASSWORD: password,
    ...(openSearchUrl === undefined ? {} : yield* sharedOpenSearch(openSearchUrl))
  })
  return yield* accessOf(origin, "evaluation", password)
})

/** The OpenSearch of OPENSEARCH_URL, or a node that is started for it and ends with the scope. */
export const openSearch = Effect.gen(function* () {
  const given = yield* Config.option(Config.String("OPENSEARCH_URL"))
  if (Option.isSome(given)) return given.value
  const folder = path.join(yield* temporaryFolder, "opensearch")
  const args = [program("scripts/opensearch.ts"), "--port", "0", "--folder", folder]
  // Environment variables say where Java and Maven are.
  return (yield* startProgram(args, process.env, /^OPENSEARCH_URL=(\S+)/mu)).origin
})

/** Index names of this evaluation only; their data are deleted with the scope. */
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
