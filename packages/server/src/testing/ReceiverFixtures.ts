// Receivers of webhooks: real HTTP servers on loopback that a test makes slow, broken or hostile.
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import * as path from "node:path"
import { listenOnLoopback } from "./LoopbackServer.ts"
import { temporaryFolder } from "./PostgresFixtures.ts"

/** A request as it arrived. */
export interface Received {
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Of the monotonic clock. */
  readonly atMillis: number
}

export interface Receiver {
  /** `http(s)://127.0.0.1:port`. */
  readonly origin: string
  readonly port: number
  readonly received: ReadonlyArray<Received>
  /** Number of connections ever opened. */
  readonly connections: () => number
  /** The largest number of concurrent requests. */
  readonly concurrencyMax: () => number
}

export type Responder = (
  received: Received,
  response: http.ServerResponse,
  place: number
) => void | Promise<void>

const answer204: Responder = (_, response) => {
  response.writeHead(204).end()
}

export const neverAnswer: Responder = () => undefined

/** A receiver until the end of the scope. */
export const receiver = Effect.fnUntraced(function* (
  answer: Responder = answer204,
  secure?: https.ServerOptions
) {
  const received: Array<Received> = []
  const counts = { connections: 0, running: 0, most: 0 }
  const handle: http.RequestListener = (request, response) => {
    counts.most = Math.max(counts.most, ++counts.running)
    response.once("close", () => counts.running--)
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one = {
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        atMillis: performance.now()
      }
      received.push(one)
      void answer(one, response, received.length - 1)
    })
  }
  const server = secure === undefined ? http.createServer(handle) : https.createServer(secure, handle)
  server.on("connection", () => counts.connections++)
  server.on("clientError", (_, socket) => socket.destroy())
  const port = yield* listenOnLoopback(server)
  return {
    origin: `${secure === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    received,
    connections: () => counts.connections,
    concurrencyMax: () => counts.most
  } satisfies Receiver
})

/** A self-signed certificate for a name or an address. */
export const certificateOf = (name: string) =>
  Effect.map(temporaryFolder, (folder) => {
    const subject = /^[\d.]+$/u.test(name) ? `IP:${name}` : `DNS:${name}`
    execFileSync(
      "openssl",
      "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem -subj /CN=receiver -addext"
        .split(" ")
        .concat(`subjectAltName=${subject}`),
      { cwd: folder, stdio: ["ignore", "ignore", "ignore"] }
    )
    return {
      key: fs.readFileSync(path.join(folder, "key.pem"), "utf8"),
      cert: fs.readFileSync(path.join(folder, "cert.pem"), "utf8")
    }
  })
