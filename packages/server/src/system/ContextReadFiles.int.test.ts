// How many files a context read enters, so that the way of a request stays one that a reader can follow
// (docs/architecture.md, "Size, before and after"): functions are counted by Node's own coverage, in every thread.
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { PostgresFixtures, PreparedFolder } from "../testing/PostgresFixtures.ts"
import { connect, sources, startProcess, untilIndexed } from "../testing/ServerFixtures.ts"

/** Lower it when there are fewer. A new file is worth it where two nouns would be one file otherwise. */
const FILES_MAX = 55
/** What only some reads enter, more or fewer of them in each run: as words are corrected, and as statements find no place on a lane. */
const enteredBySome: ReadonlySet<string> = new Set([
  "core/src/search/text/KnownWords.ts",
  "server/src/postgres/connection/FairPool.ts"
])

/** What a read enters is entered at least so often by so many, */
const READS = 40
/** and so many times as often as by timers alone, in as long a time. */
const TIMES_AT_REST = 4

const request = {
  scope: { entity: "client", id: 501 },
  targets: ["previous_client_appeals", "relevant_appeals"],
  query: "не прийшов рахунок"
}

const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    result: Schema.optionalKey(Schema.Unknown),
    method: Schema.optionalKey(Schema.String),
    params: Schema.optionalKey(Schema.Unknown)
  })
)
const decodeMessage = Schema.decodeUnknownSync(Message)
const decodeAttached = Schema.decodeUnknownSync(Schema.Struct({ sessionId: Schema.String }))
const decodeReceived = Schema.decodeUnknownSync(
  Schema.Struct({ sessionId: Schema.String, message: Schema.String })
)
const decodeCoverage = Schema.decodeUnknownSync(
  Schema.Struct({
    result: Schema.Array(
      Schema.Struct({
        url: Schema.String,
        functions: Schema.Array(
          Schema.Struct({
            ranges: Schema.Array(Schema.Struct({ startOffset: Schema.Int, count: Schema.Int }))
          })
        )
      })
    )
  })
)

/** The main thread, beside the ids of the others. */
const MAIN = ""

/** Node's inspector of a process, with its threads as they come. */
class Inspector {
  readonly threads = new Set([MAIN])
  readonly #socket: WebSocket
  readonly #waiting = new Map<string, (result: unknown) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => this.#receive(MAIN, String(data)))
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url)
    await new Promise((resolve) => socket.addEventListener("open", resolve))
    return new Inspector(socket)
  }

  close(): void {
    this.#socket.close()
  }

  send(thread: string, method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId
    const message = JSON.stringify({ id, method, params })
    return new Promise((resolve) => {
      this.#waiting.set(`${thread} ${id}`, resolve)
      if (thread === MAIN) this.#socket.send(message)
      else void this.send(MAIN, "NodeWorker.sendMessageToWorker", { sessionId: thread, message })
    })
  }

  #receive(thread: string, text: string): void {
    const { id, method, params, result } = decodeMessage(text)
    if (id !== undefined) this.#waiting.get(`${thread} ${id}`)?.(result)
    if (method === "NodeWorker.attachedToWorker") this.threads.add(decodeAttached(params).sessionId)
    if (method === "NodeWorker.receivedMessageFromWorker") {
      const { message, sessionId } = decodeReceived(params)
      this.#receive(sessionId, message)
    }
  }
}

/** How often each function of the workspace was entered since the last look: `file offset` → count, of all threads. */
const entered = async (inspector: Inspector): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  for (const thread of inspector.threads) {
    const { result } = decodeCoverage(await inspector.send(thread, "Profiler.takePreciseCoverage"))
    for (const { functions, url } of result) {
      const file = /\/packages\/(\w+\/src\/.*)$/u.exec(url)?.[1]
      if (file === undefined) continue
      for (const { ranges } of functions) {
        const [whole] = ranges
        if (whole === undefined) continue
        const key = `${file} ${whole.startOffset}`
        counts.set(key, (counts.get(key) ?? 0) + whole.count)
      }
    }
  }
  return counts
}

layer(PostgresFixtures.smallFolder, { excludeTestServices: true, timeout: 120_000 })(
  "a context read",
  (it) => {
    it.effect(`that was made before enters at most ${FILES_MAX} files`, () =>
      Effect.gen(function* () {
        const folder = yield* PreparedFolder
        const started = yield* startProcess(
          ["serve"],
          { PORT: "0", RAPPORT_SEED: "small", RAPPORT_DATA_DIR: folder.path },
          ["--inspect=127.0.0.1:0"],
          sources
        )
        const server = connect(started, yield* Effect.promise(() => started.ready()))
        const read = Effect.promise(async () => {
          const answer = await server.call("/kw/chatrooms/context/retrieve", {
            method: "POST",
            login: "administrator",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(request)
          })
          assert.strictEqual(answer.status, 200, await answer.text())
        })
        yield* untilIndexed(server)
        const [, url = ""] = /Debugger listening on (\S+)/u.exec(started.stderr) ?? []
        const inspector = yield* Effect.acquireRelease(
          Effect.promise(() => Inspector.open(url)),
          (one) => Effect.sync(() => one.close())
        )
        yield* Effect.promise(() =>
          inspector.send(MAIN, "NodeWorker.enable", { waitForDebuggerOnStart: false })
        )
        // The thread that searches beside the one that writes starts when searches meet.
        for (let warmed = 0; warmed < READS / 4; warmed++) yield* read
        yield* Effect.promise(async () => {
          for (const thread of inspector.threads) {
            await inspector.send(thread, "Profiler.enable")
            await inspector.send(thread, "Profiler.startPreciseCoverage", {
              callCount: true,
              detailed: false
            })
          }
          await entered(inspector)
        })
        const begunAt = performance.now()
        for (let made = 0; made < READS; made++) yield* read
        const tookMillis = performance.now() - begunAt
        const reading = yield* Effect.promise(() => entered(inspector))
        yield* Effect.sleep(tookMillis)
        const resting = yield* Effect.promise(() => entered(inspector))

        const files = new Set(
          Array.from(reading)
            .filter(([key, count]) => count >= Math.max(READS, TIMES_AT_REST * (resting.get(key) ?? 0)))
            .map(([key]) => key.split(" ", 1)[0] ?? "")
            .filter((file) => !enteredBySome.has(file))
        )
        for (const known of [
          "core/src/context/read/ContextReader.ts",
          "server/src/http/lean/LeanPath.ts",
          "server/src/postgres/context/ContextOpen.ts",
          "server/src/sqlite/EvidenceReads.ts",
          "core/src/search/ranking/EvidenceRanking.ts"
        ])
          assert.isTrue(files.has(known), `${known} is entered`)
        assert.isFalse(files.has("server/src/http/handlers/ChatsHttp.ts"), "other routes are not")
        assert.isAtMost(files.size, FILES_MAX, [...files].toSorted().join("\n"))
      })
    )
  }
)
