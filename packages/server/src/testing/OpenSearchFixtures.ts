// A real OpenSearch for integration tests: OPENSEARCH_URL, else a node of the whole run.
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { OpenSearch } from "../opensearch/OpenSearch.ts"
import { freePorts, nodeImpossible, type OpenSearchNode, startCluster, startNode } from "./OpenSearchNode.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"
import { sharedOpenSearch } from "./SharedOpenSearch.ts"

const url = process.env["OPENSEARCH_URL"]
const whyNoNode = nodeImpossible(process.env)

const missing = url === undefined ? whyNoNode : undefined
/** Its tests are skipped without OpenSearch, with a warning for each file; with CI=true that is a failure. */
export const isOpenSearchMissing = missing !== undefined
if (missing !== undefined) {
  if (process.env["CI"] === "true") throw new Error(`OpenSearch is missing: ${missing}; .ci/run installs it`)
  console.warn(`SKIPPED: nothing is tested on OpenSearch: ${missing}`)
}
/** Why no node can be started that a test may stop; undefined: a node can be started. */
export const whyNoOwnNode = whyNoNode

/** The address of an OpenSearch for tests. */
export class OpenSearchAt extends Context.Service<OpenSearchAt, { readonly url: string }>()(
  "@rapport/server/testing/OpenSearchAt"
) {}

/** Sends a request to the OpenSearch itself; returns its body. */
export const askOpenSearch = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
  const { url } = yield* OpenSearchAt
  const headers = { "content-type": "application/json" }
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return yield* Effect.promise(async () => (await fetch(`${url}/${path}`, sent)).text())
})

/** Settings of the service for one node or several. */
export const settingsOf = (url: string | ReadonlyArray<string>, indexPrefix = "rapport") => ({
  urls: [url].flat().map((one) => Redacted.make(one)),
  username: undefined,
  password: undefined,
  certificates: undefined,
  indexPrefix
})

const endNode = (node: OpenSearchNode) =>
  Effect.promise(() => {
    // A stopped process receives no other signal.
    node.process.kill("SIGKILL")
    return node.end
  })

/** A node that a test may stop and kill. */
export class OwnNode extends Context.Service<
  OwnNode,
  OpenSearchNode & { readonly folder: string; readonly port: number }
>()("@rapport/server/testing/OwnNode") {}

const ownNode = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const [port = 0] = yield* Effect.promise(() => freePorts(1))
  return { ...(yield* startNodeOn(folder, port)), folder, port }
})

/** Starts a node again on its data and port. */
export const startNodeOn = (folder: string, port: number) =>
  Effect.acquireRelease(
    Effect.promise(() => startNode(process.env, { folder, port })),
    endNode
  )

/** A cluster of three nodes. */
export const ownCluster = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const httpPorts = yield* Effect.promise(() => freePorts(3))
  return yield* Effect.acquireRelease(
    Effect.promise(() => startCluster(process.env, { folder, httpPorts })),
    (nodes) => Effect.forEach(nodes, endNode)
  )
})

const atLayer = Layer.effect(
  OpenSearchAt,
  Effect.gen(function* () {
    if (url !== undefined) return { url }
    const shared = yield* Effect.promise(sharedOpenSearch)
    return { url: shared ?? (yield* ownNode).url }
  })
).pipe(Layer.provide(Layer.sync(Clock.Clock, () => Clock.Clock.defaultValue())))

const ownLayer = Layer.effect(
  OpenSearchAt,
  Effect.map(OwnNode, ({ url }) => ({ url }))
).pipe(
  Layer.provideMerge(Layer.effect(OwnNode, ownNode)),
  Layer.provide(Layer.sync(Clock.Clock, () => Clock.Clock.defaultValue()))
)

/** For `layer(…)` of @effect/vitest with `{ excludeTestServices: true }`. */
export const OpenSearchFixtures = {
  at: atLayer,
  /** A node that a test may stop and kill. */
  own: ownLayer,
  /** The connection of the service to it. */
  layer: Layer.unwrap(Effect.map(OpenSearchAt, ({ url }) => OpenSearch.layer(settingsOf(url)))).pipe(
    Layer.provideMerge(atLayer)
  ),
  /** An unused prefix, whose indexes are deleted with the scope. */
  prefix: Effect.acquireRelease(
    Effect.sync(() => `test-${randomUUID().slice(0, 8)}`),
    (prefix) =>
      Effect.gen(function* () {
        const { url } = yield* OpenSearchAt
        for (const path of [`${prefix}-*`, `_index_template/${prefix}-*`]) {
          yield* Effect.promise(() => fetch(`${url}/${path}`, { method: "DELETE" }).catch(() => undefined))
        }
      })
  )
}
