// A closed load that takes as little of the processor as it can, for it shares the cores with what is measured: the bytes of
// requests are made before, an answer is counted by its length and never read. Its plan comes as the first argument, what came of
// it is printed as one line of JSON.
import { Schema } from "effect"
import * as net from "node:net"
import { reads } from "../compare/Reads.ts"
import { writes } from "../compare/Writes.ts"
import type { Asked } from "../KeptConnection.ts"
import { Plan, type Sent } from "./Plan.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(Plan))(process.argv[2])
const { hostname, port } = new URL(plan.origin)
/** Different requests at most; then they come again. */
const REQUESTS = 2_000
const READ_BYTES = 256 * 1024
const KEY = "idempotency-key: "
/** The end of a key, which makes it another. */
const KEY_DIGITS = 12
const KEY_LENGTH = 36

const bytesOf = ({ body, headers, method, url }: Asked): Buffer => {
  const { host, pathname, search } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === "" ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(
    `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${lines.join("")}${length}\r\n${body}`
  )
}

let count = 0
/** The next request of a connection. */
const makeNext = (): (() => Buffer) => {
  const write = writes[plan.what]
  if (write === undefined) return () => prepared[count++ % prepared.length] ?? Buffer.alloc(0)
  // Each connection has one of its own, whose key changes.
  const bytes = bytesOf(write.asked(plan.origin, plan.token))
  const at = bytes.indexOf(KEY) + KEY.length + KEY_LENGTH - KEY_DIGITS
  return () => {
    bytes.write((count++).toString(16).padStart(KEY_DIGITS, "0"), at, "latin1")
    return bytes
  }
}
const read = reads[plan.what]
const prepared =
  read === undefined
    ? []
    : Array.from({ length: REQUESTS }, (_, n) => bytesOf(read.asked(plan.origin, plan.token, n)))

const latencies: Array<number> = []
let failures = 0
let isOver = false
const HEAD_END = "\r\n\r\n"

/** Asks again and again; succeeds with the end of the load. */
const connection = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const next = makeNext()
    let askedAt = 0
    /** Of the answer that is being read: what has not come yet; -1: its head is not known. */
    let left = -1
    let begun = ""
    let received = 0
    const ask = () => {
      if (isOver) {
        socket.destroy()
        return resolve()
      }
      askedAt = performance.now()
      left = -1
      begun = ""
      received = 0
      socket.write(next())
    }
    const take = (length: number, buffer: Uint8Array): boolean => {
      received += length
      if (left >= 0) left -= length
      else {
        begun += Buffer.from(buffer.buffer, buffer.byteOffset, Math.min(length, 4_096)).toString("latin1")
        const end = begun.indexOf(HEAD_END)
        if (end < 0) return true
        const found = /content-length: (\d+)/iu.exec(begun.slice(0, end))
        if (found === null) reject(new Error(`no length: ${begun.slice(0, end)}`))
        if (!/^HTTP\/1.1 20[01]/u.test(begun)) failures++
        left = end + HEAD_END.length + Number(found?.[1]) - received
      }
      if (left <= 0) {
        latencies.push(performance.now() - askedAt)
        ask()
      }
      return true
    }
    const socket = net.connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer: Buffer.alloc(READ_BYTES), callback: take }
    })
    socket.once("connect", ask).once("error", reject)
  })

const connections = Array.from({ length: plan.connections }, connection)
const cpuBefore = process.cpuUsage()
const start = performance.now()
setTimeout(() => {
  isOver = true
}, plan.seconds * 1_000)
await Promise.all(connections)
const seconds = (performance.now() - start) / 1_000
const { system, user } = process.cpuUsage(cpuBefore)
latencies.sort((a, b) => a - b)
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
const sent: typeof Sent.Type = {
  count: latencies.length,
  seconds,
  failures,
  cpuSeconds: (user + system) / 1_000_000,
  p50Millis: at(0.5),
  p95Millis: at(0.95)
}
process.stdout.write(`${JSON.stringify(sent)}\n`)
