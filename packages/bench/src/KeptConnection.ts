// One HTTP/1.1 connection of a load. The generator shares the machine with the measured service, and http.Agent takes as much
// CPU as a peer: so a request is one write, and an answer is parsed no further than its length.
import * as net from "node:net"

export interface HttpRequest {
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

/** The bytes of a request, and where they go. */
export interface SerializedRequest {
  readonly host: string
  readonly port: number
  readonly bytes: Buffer
}

export const serialized = ({ body, headers, method, url }: HttpRequest): SerializedRequest => {
  const { host, hostname, pathname, port, search } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`
  const text = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}${length}\r\n${body}`
  return { host: hostname, port: Number(port), bytes: Buffer.from(text) }
}

export class KeptConnection {
  #socket: net.Socket | undefined
  #parts: Array<Buffer> = []
  #length = 0
  /** Of the answer with its head, once that is known. */
  #wanted = Infinity
  #headBytes = 0
  #status = 0
  #settle:
    | { readonly resolve: (answer: HttpAnswer) => void; readonly reject: (error: Error) => void }
    | undefined

  /** Sends one request at a time. */
  send({ bytes, host, port }: SerializedRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#parts = []
      this.#length = 0
      this.#wanted = Infinity
      this.#settle = { resolve, reject }
      this.#socket ??= this.#connected(host, port)
      this.#socket.write(bytes)
    })
  }

  end(): void {
    this.#socket?.destroy()
  }

  #connected(host: string, port: number): net.Socket {
    const socket = net.connect({ host, port, noDelay: true })
    const lost = (error: Error) => {
      if (this.#socket === socket) this.#socket = undefined
      this.#settle?.reject(error)
      this.#settle = undefined
    }
    socket.on("data", (chunk) => this.#take(chunk))
    socket.on("error", lost)
    socket.on("close", () => lost(new Error("the connection was closed")))
    return socket
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#length += chunk.length
    if (this.#wanted === Infinity) this.#readHead()
    if (this.#length < this.#wanted) return
    const body = Buffer.concat(this.#parts).subarray(this.#headBytes)
    this.#settle?.resolve({ status: this.#status, body })
    this.#settle = undefined
  }

  #readHead(): void {
    const seen = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)
    const end = seen?.indexOf("\r\n\r\n") ?? -1
    if (seen === undefined || end < 0) return
    const head = seen.toString("latin1", 0, end)
    const length = /^content-length: *(\d+)/imu.exec(head)?.[1]
    this.#status = Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length))
    this.#headBytes = end + 4
    if (length === undefined && this.#status !== 204) this.#settle?.reject(new Error(`no length: ${head}`))
    this.#wanted = this.#headBytes + Number(length ?? 0)
  }
}
