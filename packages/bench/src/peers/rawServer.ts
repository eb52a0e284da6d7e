// The floor of a read: bare node:http and pg.
import * as http from "node:http"
import { makeReader, wantedOf } from "./HandRead.ts"

const read = makeReader()
const server = http.createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    void read(request.headers.authorization, wantedOf(body)).then((answer) => {
      const length = Buffer.byteLength(answer.body)
      response.writeHead(answer.status, {
        "content-type": "application/json",
        "content-length": length,
        "cache-control": "no-store"
      })
      response.end(answer.body)
    })
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`ready http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`)
})
