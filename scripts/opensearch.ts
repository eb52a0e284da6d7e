// Runs OpenSearch on this machine without Docker: `pnpm opensearch [--port 9200] [--nodes 3] [--folder PATH]`, until Ctrl-C.
// Port 0 is any free port.
import { mkdirSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  freePorts,
  nodeImpossible,
  startCluster,
  startNode
} from "../packages/server/src/testing/OpenSearchNode.ts"

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "9200" },
    nodes: { type: "string", default: "1" },
    folder: { type: "string", default: new URL("../.data/opensearch", import.meta.url).pathname }
  }
})
const why = nodeImpossible(process.env)
if (why !== undefined) {
  console.error(`OpenSearch cannot be started: ${why}`)
  process.exit(1)
}

const { folder } = values
const [first, count] = [Number(values.port), Number(values.nodes)]
const httpPorts = first === 0 ? await freePorts(count) : Array.from({ length: count }, (_, at) => first + at)
mkdirSync(folder, { recursive: true })
console.error("starting OpenSearch; the first time its jars are fetched with Maven")
const nodes =
  count === 1
    ? [await startNode(process.env, { folder, port: httpPorts[0] ?? first })]
    : await startCluster(process.env, { folder, httpPorts })
console.log(`OPENSEARCH_URL=${nodes.map(({ url }) => url).join(",")}`)
console.log(`processes ${nodes.map(({ process }) => process.pid).join(", ")}`)

const stop = () => nodes.forEach(({ process }) => process.kill("SIGTERM"))
process.on("SIGINT", stop)
process.on("SIGTERM", stop)
await Promise.all(nodes.map(({ end }) => end))
