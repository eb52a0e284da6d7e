// A name server as a tenant could run one: it answers what the test says, or nothing at all.
import { Effect } from "effect"
import * as dgram from "node:dgram"

/** Of a name, the addresses (version 4) that it has at this moment; undefined: never an answer. */
export type Naming = (name: string) => ReadonlyArray<string> | undefined

const HEADER_BYTES = 12
const TYPE_A = 1
const CLASS_IN = 1

/** One question of DNS (RFC 1035 §4.1): its name, its type, and where it ends. */
const questionIn = (message: Buffer) => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const answerOf = (message: Buffer, naming: Naming): Buffer | undefined => {
  const { end, name, type } = questionIn(message)
  const addresses = naming(name)
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

/** Its `address:port`, until the end of the scope; `asked` are the names in the order of their questions. */
export const nameServer = (naming: Naming) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{
          readonly socket: dgram.Socket
          readonly address: string
          readonly asked: Array<string>
        }>((resolve) => {
          const asked: Array<string> = []
          const socket = dgram.createSocket("udp4", (message, { address, port }) => {
            asked.push(questionIn(message).name)
            const answer = answerOf(message, naming)
            if (answer !== undefined) socket.send(answer, port, address)
          })
          socket.bind(0, "127.0.0.1", () =>
            resolve({ socket, address: `127.0.0.1:${socket.address().port}`, asked })
          )
        })
    ),
    ({ socket }) => Effect.promise(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  )
