// Connections that hold on to something: silent ones, writers that never end, readers that do not read.
import * as net from "node:net"

export interface Hanging {
  /** Silent connections and slow writers; a reader that does not read sees no close. */
  readonly count: number
  /** How many of these the service has not closed yet. */
  readonly open: () => number
  readonly close: () => void
}

const SILENT = 100
const SLOW_WRITERS = 50
const SLOW_READERS = 10

const times = (count: number, run: () => void) => Array.from({ length: count }, run)

/** `path` has a long answer. */
export const hang = (origin: string, path: string, token: string): Hanging => {
  const { hostname, port } = new URL(origin)
  const head = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`
  const sockets = new Set<net.Socket>()
  const readers = new Set<net.Socket>()
  const begin = (first: string, kept = sockets) => {
    const socket = net.connect(Number(port), hostname)
    kept.add(socket)
    socket.once("close", () => kept.delete(socket)).on("error", () => undefined)
    if (first !== "") socket.write(first)
    return socket
  }
  times(SILENT, () => void begin("").resume())
  times(SLOW_WRITERS, () => {
    const socket = begin(`POST /kw/chatrooms/context/retrieve HTTP/1.1\r\n${head}`).resume()
    const drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 500)
    socket.once("close", () => clearInterval(drip))
  })
  times(SLOW_READERS, () => void begin(`GET ${path} HTTP/1.1\r\n${head}\r\n`, readers).pause())
  return {
    count: SILENT + SLOW_WRITERS,
    open: () => sockets.size,
    close: () => {
      for (const socket of [...sockets, ...readers]) socket.destroy()
    }
  }
}
