// One OpenSearch for all integration tests of a run, because its start takes longer than most tests. The first test that needs
// it starts it; each test has its own indexes.
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { freePorts, type OpenSearchNode, startNode } from "./OpenSearchNode.ts"

/** The environment variable with the address that answers with the address of the node. */
const STARTER = "TEST_OPENSEARCH_STARTER"

/** Called by Vitest before the tests of a project; the returned function is called after them. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rapport-opensearch-"))
  let starting: Promise<OpenSearchNode> | undefined
  const startOnce = (): Promise<OpenSearchNode> =>
    (starting ??= freePorts(1).then(([port = 0]) => startNode(process.env, { folder, port })))

  const server = http.createServer((_, response) => {
    startOnce().then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  process.env[STARTER] = `http://127.0.0.1:${port}`

  return async () => {
    server.closeAllConnections()
    server.close()
    const node = await starting?.catch(() => undefined)
    node?.process.kill("SIGKILL")
    await node?.end
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** The OpenSearch of this run; undefined without the setup above. */
export const sharedOpenSearch = async (): Promise<string | undefined> => {
  const starter = process.env[STARTER]
  if (starter === undefined) return undefined
  const response = await fetch(starter)
  const text = await response.text()
  if (!response.ok) throw new Error(`OpenSearch was not started: ${text}`)
  return text
}
