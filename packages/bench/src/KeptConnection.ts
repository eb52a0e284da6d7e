// One connection of a load: a request is one write, an answer is read no further than its length. What measures shares the cores
// with what is measured, and an http.Agent would take as much of them as a peer does.
import * as net from "node:net"

export interface Asked {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface Answered {
  readonly status: number
  readonly body: Buffer
}

/** A request as it is sent, and where to. */
export interface Written {
  readonly host: string
  readonly port: number
  readonly bytes: Buffer
}

export const written = ({ body, headers, method, url }: Asked): Written => {
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
    | { readonly resolve: (answered: Answered) => void; readonly reject: (error: Error) => void }
    | undefined

  /** One request at a time. */
  ask(asked: Asked): Promise<Answered> {
    return this.send(written(asked))
  }

  /** The same for a request that is sent often, and written once. */
  send({ bytes, host, port }: Written): Promise<Answered> {
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
