// The floor: node:http in a process of its own that sends a constant body, as long as the first argument says.
import * as http from "node:http"

const body = Buffer.alloc(Number(process.argv[2] ?? 0), 0x20)
const server = http.createServer((request, response) => {
  request.resume()
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
    response.end(body)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`ready http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`)
})
