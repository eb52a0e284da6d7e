// A name server like a hostile tenant's: a test decides what it answers, and whether it answers.
import { Effect } from "effect"
import * as dgram from "node:dgram"

/** The current IPv4 addresses of a name; undefined: no answer. */
export type Resolve = (name: string) => ReadonlyArray<string> | undefined

const HEADER_BYTES = 12
const TYPE_A = 1
const CLASS_IN = 1

/** The question of a DNS message (RFC 1035 §4.1) and the offset of its end. */
const questionIn = (message: Buffer) => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const answerOf = (message: Buffer, resolve: Resolve): Buffer | undefined => {
  const { end, name, type } = questionIn(message)
  const addresses = resolve(name)
  if (addresses === undefined) return undefined
  const records = (type === TYPE_A ? addresses : []).map((address) => {
    const record = Buffer.alloc(16)
    record.writeUInt16BE(0xc000 + HEADER_BYTES, 0)
    record.writeUInt16BE(TYPE_A, 2)
    record.writeUInt16BE(CLASS_IN, 4)
    record.writeUInt16BE(4, 10)
    record.set(address.split(".").map(Number), 12)
    return record
  })
  const header = Buffer.from(message.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records])
}

/** `address` is `host:port`, `queries` are the requested names in order. */
export const nameServer = (resolve: Resolve) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly socket: dgram.Socket
      readonly address: string
      readonly queries: Array<string>
    }>((resume) => {
      const queries: Array<string> = []
      const socket = dgram.createSocket("udp4", (message, { address, port }) => {
        queries.push(questionIn(message).name)
        const answer = answerOf(message, resolve)
        if (answer !== undefined) socket.send(answer, port, address)
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(Effect.succeed({ socket, address: `127.0.0.1:${socket.address().port}`, queries }))
      )
    }),
    ({ socket }) => Effect.promise(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  )
