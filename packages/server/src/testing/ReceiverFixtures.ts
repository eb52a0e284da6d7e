// Receivers of webhooks: real HTTP servers on loopback that a test makes slow, broken or hostile.
import { Effect } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { listenOnLoopback } from "./LoopbackServer.ts"

/** A request as it arrived. */
export interface Received {
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  /** Of the monotonic clock. */
  readonly atMillis: number
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

/** The text of a message that arrived. */
export const textOf = ({ body }: Received): string => JSON.parse(body).data.text

/** A receiver that answers with the status after `mayAnswer`. */
export const waitingReceiver = Effect.fnUntraced(function* (status: number) {
  const [arrived, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const made = yield* receiver(async (_, response) => {
    arrived.resolve()
    await mayAnswer.promise
    response.writeHead(status).end()
  })
  return { ...made, arrived: Effect.promise(() => arrived.promise), mayAnswer: mayAnswer.resolve }
})

/** A token that the Bot API accepts, and that must not be shown. */
export const BOT_TOKEN = "123456:AAE-secret_token"

interface BotApiError {
  readonly error_code: number
  readonly description: string
  readonly parameters?: object
}

/** Answers as the Bot API does: with the id 100, 101, … or the error of the place. */
export const botApi =
  (errors: Readonly<Record<number, BotApiError>> = {}): Responder =>
  (_, response, place) => {
    const error = errors[place]
    const answer =
      error === undefined ? { ok: true, result: { message_id: 100 + place } } : { ok: false, ...error }
    response
      .writeHead(error?.error_code ?? 200, { "content-type": "application/json" })
      .end(JSON.stringify(answer))
  }

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
    /** `http(s)://127.0.0.1:port`. */
    origin: `${secure === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    received,
    /** Number of connections ever opened. */
    connections: () => counts.connections,
    /** The largest number of concurrent requests. */
    concurrencyMax: () => counts.most
  }
})
