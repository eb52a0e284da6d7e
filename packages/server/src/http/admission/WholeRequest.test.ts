// What is read without Node's parser is read as the parser reads it; everything else is left to it.
import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"
import { bytesBehindHead, wholeRequest } from "./WholeRequest.ts"

const request = (first: string, ...headers: ReadonlyArray<string>) =>
  Buffer.from([first, "Host: rapport.example", ...headers, "", ""].join("\r\n"))
const withBody = (body: string, ...headers: ReadonlyArray<string>) =>
  Buffer.concat([
    request("POST /a?b=c HTTP/1.1", ...headers, `Content-Length: ${Buffer.byteLength(body)}`),
    Buffer.from(body)
  ])

/** The same by Node's parser. */
const parsedByNode = async (bytes: Buffer) => {
  const server = http.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const socket = net.connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
  socket.write(bytes)
  const [{ headers, method, url }, response] = await once(server, "request")
  response.end()
  await once(socket, "data")
  socket.destroy()
  server.close()
  return { method, url, headers }
}

describe("a request in one piece", () => {
  it.each([
    ["without a body", request("GET /a HTTP/1.1")],
    ["with a body", withBody("Привіт, це запит")],
    ["whose body holds another", withBody("{}\r\n\r\nGET / HTTP/1.1\r\n\r\n")],
    [
      "with a token, and spaces around a value",
      request("GET /a HTTP/1.1", "aUTHORization: \t Bearer a.b.c \t")
    ],
    ["that keeps its connection", request("DELETE /a/b%20c HTTP/1.1", "Connection: Keep-Alive", "X-Empty:")],
    ["with a name that objects have", request("PUT /a HTTP/1.1", "constructor: 1", "toString: 2")]
  ])("%s is read as Node reads it", async (_, bytes) => {
    const { headers, ...rest } = wholeRequest(bytes) ?? assert.fail("it is not read")
    assert.deepStrictEqual({ ...rest, headers: { ...headers } }, await parsedByNode(bytes))
  })

  it.each([
    ["a part of a head", request("GET /a HTTP/1.1").subarray(0, -1)],
    ["a part of a body", withBody("{}").subarray(0, -1)],
    ["two requests", Buffer.concat([request("GET /a HTTP/1.1"), request("GET /a HTTP/1.1")])],
    ["an end of another before it", Buffer.concat([Buffer.from("}"), request("GET /a HTTP/1.1")])],
    ["empty lines before it", Buffer.concat([Buffer.from("\r\n"), request("GET /a HTTP/1.1")])],
    ["HEAD", request("HEAD /a HTTP/1.1")],
    ["an absolute address", request("GET http://rapport.example/a HTTP/1.1")],
    ["an older version", request("GET /a HTTP/1.0")],
    ["two spaces in its first line", request("GET  /a HTTP/1.1")],
    ["a path in Cyrillic", request("GET /ї HTTP/1.1")],
    ["a body in chunks", request("POST /a HTTP/1.1", "Transfer-Encoding: chunked")],
    ["a length twice", request("POST /a HTTP/1.1", "Content-Length: 0", "content-length: 0")],
    ["a length with a plus", request("POST /a HTTP/1.1", "Content-Length: +0")],
    ["a negative length", request("POST /a HTTP/1.1", "Content-Length: -0")],
    ["an expectation", request("POST /a HTTP/1.1", "Expect: 100-continue")],
    ["another protocol", request("GET /a HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket")],
    ["a connection that ends", request("GET /a HTTP/1.1", "Connection: close")],
    ["a header twice", request("GET /a HTTP/1.1", "X-A: 1", "x-a: 2")],
    ["a second host", request("GET /a HTTP/1.1", "Host: other.example")],
    ["no host", Buffer.from("GET /a HTTP/1.1\r\n\r\n")],
    ["a header without a colon", request("GET /a HTTP/1.1", "broken")],
    ["a space before the colon", request("GET /a HTTP/1.1", "X-A : 1")],
    ["a folded header", request("GET /a HTTP/1.1", "X-A: 1", " 2")],
    ["a line feed in a header", request("GET /a HTTP/1.1", "X-A: 1\n2")],
    ["a NUL in a header", request("GET /a HTTP/1.1", "X-A: \0")],
    ["letters beyond ASCII in a header", request("GET /a HTTP/1.1", "X-A: \xe9")],
    ["a long head", request("GET /a HTTP/1.1", `X-A: ${"a".repeat(16 * 1_024)}`)]
  ])("%s is left to Node", (_, bytes) => {
    assert.isUndefined(wholeRequest(bytes))
  })

  it("tells how many bytes stand behind a head", () => {
    assert.strictEqual(bytesBehindHead(withBody("їжак")), 8)
    assert.strictEqual(bytesBehindHead(request("GET /a HTTP/1.1")), 0)
    assert.strictEqual(bytesBehindHead(Buffer.from("no head")), -1)
  })
})
