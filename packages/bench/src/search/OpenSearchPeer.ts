// Reads of the service on OpenSearch beside OpenSearch alone: what the service sends for each read is written down once, and then
// sent to the same node without the service.
import { Console, Effect } from "effect"
import * as http from "node:http"
import * as path from "node:path"
import { openSearchUrl } from "../eval/Engines.ts"
import type { Asked } from "../KeptConnection.ts"
import { load, type Outcome } from "../Load.ts"
import { type Searched, serviceOn } from "./SearchData.ts"
import { entityNames, languages, search } from "./SearchRequests.ts"

/** Reads of each scope and language whose searches are sent again. */
const READS_RECORDED = 8
const ROUNDS = 3

interface Plan {
  readonly connections: number
  readonly seconds: number
}

/** Names of its own: an index that was built once is used again while the node keeps its folder. */
const prefix = "bench-search"

export const comparedWithOpenSearch = Effect.fnUntraced(function* (data: string, plan: Plan) {
  yield* Console.log("starting OpenSearch …")
  const url = yield* openSearchUrl(path.join(path.dirname(data), "opensearch"))
  const environment = { OPENSEARCH_INDEX_PREFIX: `${prefix}-${path.basename(data)}` }
  const recorded = yield* Effect.scoped(recordedOn(data, url, environment))
  const service = yield* serviceOn(data, { ...environment, OPENSEARCH_URL: url })
  yield* Console.log(
    `${"p50 / p95 / p99 in ms".padEnd(NAME_WIDTH)}${["_search", "", "", "read", "", "", "p50", "p95", "searches"].map((one) => one.padStart(9)).join("")}`
  )
  for (const entity of entityNames) {
    const searches = recorded.get(entity) ?? []
    const asked = (n: number): Asked =>
      search(
        service,
        { entity, language: languages[n % languages.length] ?? "uk" },
        Math.floor(n / languages.length) % READS_RECORDED
      )
    const direct = (n: number): Asked => searches[n % searches.length] ?? asked(n)
    const share = searches.length / (READS_RECORDED * languages.length)
    for (const connections of [1, plan.connections]) {
      const pairs: Array<readonly [Outcome, Outcome]> = []
      for (let round = 0; round < ROUNDS; round++)
        pairs.push([
          yield* of(direct, connections, plan.seconds),
          yield* of(asked, connections, plan.seconds)
        ])
      yield* Console.log(line(`${entity}, ${connections} at once`, pairs, share))
    }
  }
})

const of = (asked: (n: number) => Asked, connections: number, seconds: number) =>
  load({ ...asked(0), connections, seconds, each: (connection, n) => asked(connection * 7 + n) })

/** The searches of each scope, as a service sent them through a proxy of ours. */
const recordedOn = Effect.fnUntraced(function* (
  data: string,
  url: string,
  environment: Readonly<Record<string, string>>
) {
  const sent: Array<Asked> = []
  const proxy = yield* proxyTo(url, sent)
  const service: Searched = yield* serviceOn(data, { ...environment, OPENSEARCH_URL: proxy })
  const recorded = new Map<string, ReadonlyArray<Asked>>()
  for (const entity of entityNames) {
    sent.length = 0
    for (const language of languages)
      for (let n = 0; n < READS_RECORDED; n++) {
        const { url, ...request } = search(service, { entity, language }, n)
        yield* Effect.promise(() => fetch(url, request).then((answer) => answer.arrayBuffer()))
      }
    recorded.set(entity, [...sent])
  }
  return recorded
})

/** Passes everything on; searches are kept in `sent` as they are to be sent to the node itself. */
const proxyTo = (url: string, sent: Array<Asked>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<http.Server>((resolve) => {
            const server = http.createServer((request, response) => void pass(url, sent, request, response))
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    }
  )

const pass = async (
  url: string,
  sent: Array<Asked>,
  request: http.IncomingMessage,
  response: http.ServerResponse
): Promise<void> => {
  const body = Buffer.concat(await Array.fromAsync(request))
  const method = request.method ?? "GET"
  const target = `${url}${request.url ?? "/"}`
  if (/\/_search(\?|$)/u.test(target))
    sent.push({
      url: target,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: body.toString("utf8")
    })
  const headers = { "content-type": request.headers["content-type"] ?? "application/json" }
  const answer = await fetch(target, { method, headers, ...(body.length === 0 ? {} : { body }) })
  const bytes = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, {
    "content-type": answer.headers.get("content-type") ?? "application/json",
    "content-length": bytes.length
  })
  response.end(method === "HEAD" ? undefined : bytes)
}

const NAME_WIDTH = 28
const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Medians of the rounds; ratios are taken round by round. */
const line = (
  name: string,
  pairs: ReadonlyArray<readonly [direct: Outcome, read: Outcome]>,
  share: number
): string => {
  const figures = ["p50Millis", "p95Millis", "p99Millis"] as const
  const cells = [0, 1].flatMap((at) =>
    figures.map((figure) => median(pairs.map((pair) => pair[at]?.[figure] ?? 0)).toFixed(1))
  )
  const ratios = (["p50Millis", "p95Millis"] as const).map((figure) =>
    median(pairs.map(([direct, read]) => read[figure] / direct[figure])).toFixed(2)
  )
  return (
    name.padEnd(NAME_WIDTH) + [...cells, ...ratios, share.toFixed(1)].map((cell) => cell.padStart(9)).join("")
  )
}
