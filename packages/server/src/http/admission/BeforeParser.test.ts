// What is taken before Node's parser, what is not, and that answers stay in the order of their requests.
import { afterEach, assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import * as net from "node:net"
import { makeServer } from "../HttpListener.ts"
import { BeforeParser, type Looking, REST_MILLIS } from "./Admission.ts"

const get = (path: string, ...headers: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")
const post = (path: string, body: string) =>
  `${get(path, `Content-Length: ${body.length}`).replace("GET", "POST")}${body}`

/** It announces a body as long as it is itself, and one as long. */
const announcing = get("/first", "Content-Length: 52")
const asLong = get("/taken1", `X-A: ${"a".repeat(12)}`)

const stops: Array<() => void> = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const takeAtTaken: Looking["take"] = ({ url }, socket, done) => {
  if (!url.startsWith("/taken")) return false
  socket.write(`HTTP/1.1 429 Taken\r\nContent-Length: ${url.length}\r\n\r\n${url}`)
  done()
  return true
}

/** A server that takes what it is asked for at /taken, and a connection to it. */
const connected = async (looking: Partial<Looking> = {}) => {
  const seen: Array<string> = []
  const held: Array<ServerResponse> = []
  const before = new BeforeParser({ isOn: () => true, take: takeAtTaken, ...looking })
  const server = makeServer().on("request", (request, response) => {
    before.note(request, response)
    seen.push(request.url ?? "")
    request.resume()
    if (request.url === "/held") held.push(response)
    else response.end(request.url)
    if (request.url === "/watched") before.watch(request.socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const socket = net.connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
  socket.setNoDelay(true).on("error", () => undefined)
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  stops.push(() => {
    socket.destroy()
    server.close()
  })
  const bodies = () => [...text.matchAll(/\r\n\r\n(\/[a-z0-9]*)/gu)].map(([, body]) => body)
  /** Sends the bytes and waits for so many answers, of all that were sent. */
  const send = async (bytes: string, answers: number) => {
    socket.write(bytes)
    while (bodies().length < answers && !socket.destroyed) await once(socket, "data")
    return bodies()
  }
  await send(get("/watched"), 1)
  seen.pop()
  text = ""
  return { bodies, held, seen, send, socket }
}
const sent = () => new Promise<void>((resolve) => setTimeout(resolve, 30))

describe("before the parser", () => {
  it("a request is taken once Node has answered one on its connection", async () => {
    const { seen, send } = await connected()
    assert.deepStrictEqual(await send(get("/taken1"), 1), ["/taken1"])
    assert.deepStrictEqual(seen, ["/taken1"], "what came before it was watched is not known")
    await send(get("/taken2"), 2)
    await send(post("/taken3", "{}"), 3)
    await send(get("/other"), 4)
    assert.deepStrictEqual(await send(get("/taken4"), 5), [
      "/taken1",
      "/taken2",
      "/taken3",
      "/other",
      "/taken4"
    ])
    assert.deepStrictEqual(seen, ["/taken1", "/other"])
  })

  it("a connection on which one was taken rests before the next is read", async () => {
    const takenAt: Array<number> = []
    const { send } = await connected({
      take: (...asked) => {
        if (!takeAtTaken(...asked)) return false
        takenAt.push(performance.now())
        return true
      }
    })
    await send(get("/first"), 1)
    for (let answers = 2; answers < 6; answers++) await send(get("/taken"), answers)
    const rests = takenAt.slice(1).map((at, n) => at - (takenAt[n] ?? 0))
    assert.lengthOf(rests, 3)
    // A timer may end a millisecond early.
    for (const rest of rests) assert.isAbove(rest, REST_MILLIS - 1)
  })

  it("nothing is taken while there is no reason to look", async () => {
    let isOn = false
    const { seen, send } = await connected({ isOn: () => isOn })
    await send(get("/other"), 1)
    await send(get("/taken1"), 2)
    isOn = true
    await send(get("/taken2"), 3)
    assert.deepStrictEqual(seen, ["/other", "/taken1"])
  })

  it("nothing is taken while an answer before it is not given", async () => {
    const { bodies, held, seen, send, socket } = await connected()
    await send(get("/first"), 1)
    socket.write(get("/held"))
    await sent()
    socket.write(get("/taken1"))
    await sent()
    assert.lengthOf(bodies(), 1)
    held[0]?.end("/held")
    assert.deepStrictEqual(await send("", 3), ["/first", "/held", "/taken1"])
    assert.deepStrictEqual(seen, ["/first", "/held", "/taken1"])
  })

  it.each([
    [
      "the rest of a head",
      [get("/first") + "GET /second HTTP/1.1\r\nX-A: ", get("/taken1")],
      ["/first", "/second"]
    ],
    ["the rest of a body", [announcing, asLong], ["/first"]],
    ["a body behind empty lines", [`\r\n\r\n${announcing}`, asLong], ["/first"]],
    [
      "a body in chunks",
      [
        get("/first", "Transfer-Encoding: chunked"),
        `${get("/taken1").length.toString(16)}\r\n`,
        get("/taken1"),
        "\r\n0\r\n\r\n"
      ],
      ["/first"]
    ]
  ])("%s is no request", async (_, parts, urls) => {
    assert.strictEqual(asLong.length, announcing.length)
    const { seen, send, socket } = await connected()
    for (const part of parts) {
      socket.write(part)
      await sent()
    }
    assert.deepStrictEqual(seen, urls)
    // And the connection goes on as it should.
    await send(get("/last"), urls.length + 1)
    await send(get("/taken2"), urls.length + 2)
    assert.deepStrictEqual(seen, [...urls, "/last"])
  })

  it("requests that came together are answered in order, and a half one when it is whole", async () => {
    const { send, socket } = await connected()
    await send(get("/first"), 1)
    assert.deepStrictEqual(await send(get("/taken1") + get("/other"), 3), ["/first", "/taken1", "/other"])
    socket.write(get("/taken2").slice(0, 20))
    await sent()
    assert.deepStrictEqual(await send(get("/taken2").slice(20), 4), [
      "/first",
      "/taken1",
      "/other",
      "/taken2"
    ])
  })

  it("a connection is not read until what was taken is answered", async () => {
    const waiting: Array<() => void> = []
    const { bodies, seen, send, socket } = await connected({
      take: ({ url }, taken, done) => {
        if (!url.startsWith("/taken")) return false
        waiting.push(() => {
          taken.write(`HTTP/1.1 429 Taken\r\nContent-Length: ${url.length}\r\n\r\n${url}`)
          done()
        })
        return true
      }
    })
    await send(get("/first"), 1)
    socket.write(get("/taken1"))
    await sent()
    socket.write(get("/other"))
    await sent()
    assert.deepStrictEqual([bodies(), seen], [["/first"], ["/first"]])
    waiting.shift()?.()
    assert.deepStrictEqual(await send("", 3), ["/first", "/taken1", "/other"])
  })

  it("who does not read their answers is left to Node", async () => {
    const long = "x".repeat(4 * 1024 * 1024)
    let taken = 0
    const { send, socket } = await connected({
      take: ({ url }, to, done) => {
        if (!url.startsWith("/taken")) return false
        taken++
        to.write(long)
        done()
        return true
      }
    })
    await send(get("/first"), 1)
    socket.pause()
    for (let n = 0; n < 5; n++) {
      socket.write(get("/taken"))
      await sent()
    }
    assert.isBelow(taken, 5)
  })

  it("CONNECT ends the connection, whatever comes behind it", async () => {
    const { seen, send, socket } = await connected()
    await send(get("/first"), 1)
    socket.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")
    socket.write(get("/taken1"))
    await once(socket, "close")
    assert.deepStrictEqual(seen, ["/first"])
  })
})
