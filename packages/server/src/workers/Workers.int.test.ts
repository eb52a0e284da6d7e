// The service as two processes behind one port: limits are shared, the end of one is not seen by callers, nothing secret shows.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as http from "node:http"
import { RunningServer, ServerFixtures, type ServerProcess } from "../testing/ServerFixtures.ts"

const TOKEN_KEY = Buffer.alloc(32, 5).toString("base64url")
const PLACES = 4
/** So many that workers borrow parts of them. */
const READS = 240

const running = ServerFixtures.running({
  RAPPORT_WORKERS: "2",
  RAPPORT_TOKEN_KEYS: TOKEN_KEY,
  // One more every 15 s: a slow machine counts the same.
  RAPPORT_LIMIT_REST_PER_MINUTE: "4",
  RAPPORT_LIMIT_CONTEXT_WRITES_PER_MINUTE: "1000000",
  RAPPORT_LIMIT_REST_AT_ONCE: "100",
  RAPPORT_LIMIT_CONTEXT_READS_AT_ONCE: String(PLACES),
  RAPPORT_LIMIT_CONTEXT_READS_PER_MINUTE: String(READS),
  RAPPORT_METRICS_PORT: "0"
})

/** The workers of the service, by the program that they run. */
const workersOf = (pid: number): ReadonlyArray<number> =>
  fs
    .readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .map(Number)
    .filter((child) => commandOf(child).includes("WorkerEntry.js"))

const commandOf = (pid: number): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** The worker that comes in place of others, once it serves. */
const replacementOf = async (parent: ServerProcess, others: ReadonlyArray<number>): Promise<number> => {
  const found = workersOf(parent.pid).find((pid) => !others.includes(pid))
  if (found !== undefined) {
    await parent.logs(new RegExp(`worker ${found} serves`, "u"))
    return found
  }
  await pause(50)
  return replacementOf(parent, others)
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** One request on a connection of its own, so that the next goes to the other worker. */
const ask = (url: string, { body = "", headers = {}, method = "GET" }: Asked): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { method, agent: false, headers: { ...headers, connection: "close" } })
    request.on("response", (answer) => {
      answer
        .resume()
        .on("end", () => resolve(answer.statusCode ?? 0))
        .on("error", reject)
    })
    request.on("error", reject).end(body)
  })

const countOf = (statuses: ReadonlyArray<unknown>, status: number) =>
  statuses.filter((one) => one === status).length

/** Writes actions one after the other until it is stopped; what found no answer is repeated under its key, where that may be. */
const makeWriters = (origin: string, token: string) => {
  const state = { isStopped: false, written: 0, repeated: 0, refused: new Array<number>() }
  const write = async (key: string): Promise<void> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": key
    }
    const body = JSON.stringify({
      type: "order.created",
      occurredAt: "2026-01-02T03:04:05.000Z",
      actorType: "client",
      payload: { key }
    })
    try {
      const status = await ask(`${origin}/kw/clients/501/context/actions`, { method: "POST", headers, body })
      if (status === 201 || status === 200) state.written++
      else state.refused.push(status)
    } catch {
      state.repeated++
      await write(key)
    }
  }
  const writer = async () => {
    while (!state.isStopped) await write(randomUUID())
  }
  const all = Promise.all(Array.from({ length: 4 }, writer))
  const stop = async () => {
    state.isStopped = true
    await all
    return state
  }
  return { state, stop }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await pause(10)
}

/** Requests that were answered since the start, as Prometheus reads them. */
const answeredOf = async (parent: ServerProcess): Promise<number> => {
  const [, url = ""] = /metrics are at (http:[^\s"]+)/u.exec(parent.stderr) ?? []
  const text = await (await fetch(url)).text()
  return Array.from(text.matchAll(/^rapport_http_duration_seconds_count\S* (\d+)$/gmu)).reduce(
    (sum, [, count]) => sum + Number(count),
    0
  )
}

/** A context read whose body does not come: it holds its place. Settles with the status where it is answered all the same. */
const held = (origin: string, token: string) => {
  const request = http.request(`${origin}/kw/chatrooms/context/retrieve`, {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": "100" }
  })
  const answer = { status: 0 }
  request.on("response", (response) => {
    answer.status = response.statusCode ?? 0
    response.resume()
  })
  request.on("error", () => undefined).flushHeaders()
  return { answer, end: () => request.destroy() }
}

/** Of what is written from now on nearly all is counted: a worker that is not asked would be a half of it. */
const countsAll = async (parent: ServerProcess, writers: { readonly written: number }): Promise<void> => {
  const [counted, written] = [await answeredOf(parent), writers.written]
  const isAll = async (looks: number): Promise<boolean> => {
    await until(() => writers.written >= written + 40)
    const due = writers.written - written
    if ((await answeredOf(parent)) - counted >= 0.8 * due) return true
    await pause(100)
    return looks > 1 && isAll(looks - 1)
  }
  assert.isTrue(await isAll(50))
}

layer(running, { excludeTestServices: true, timeout: "120 seconds" })("two workers behind one port", (it) => {
  it.effect("count a minute together, and places at once", () =>
    Effect.gen(function* () {
      const { origin, tokenOf } = yield* RunningServer
      yield* Effect.promise(async () => {
        const headers = { authorization: `Bearer ${await tokenOf("operator")}` }
        const reads = Array.from({ length: 24 }, () => ask(`${origin}/kw/api/v1/auth/me`, { headers }))
        const statuses = await Promise.all(reads)
        assert.deepStrictEqual([countOf(statuses, 200), countOf(statuses, 429)], [4, 20])

        const token = await tokenOf("supervisor")
        const waiting = Array.from({ length: 2 * PLACES }, () => held(origin, token))
        const refused = () => waiting.filter(({ answer }) => answer.status === 429).length
        await until(() => refused() >= PLACES)
        await pause(100)
        assert.strictEqual(refused(), PLACES)
        for (const one of waiting) one.end()
      })
    })
  )

  it.effect("let all of a minute pass and no more, though each borrows of it", () =>
    Effect.gen(function* () {
      const { origin, tokenOf } = yield* RunningServer
      yield* Effect.promise(async () => {
        const headers = {
          authorization: `Bearer ${await tokenOf("administrator")}`,
          "content-type": "application/json"
        }
        const body = JSON.stringify({ scope: { entity: "client", id: 501 } })
        const read = () => ask(`${origin}/kw/chatrooms/context/retrieve`, { method: "POST", headers, body })
        const begun = performance.now()
        const statuses: Array<number> = []
        const reader = async () => {
          while (statuses.length < 1.5 * READS) statuses.push(await read())
        }
        await Promise.all(Array.from({ length: PLACES - 1 }, reader))
        const came = ((performance.now() - begun) * READS) / 60_000
        const passed = countOf(statuses, 200)
        assert.strictEqual(passed + countOf(statuses, 429), statuses.length)
        assert.isAtLeast(passed, READS)
        assert.isAtMost(passed, READS + Math.ceil(came))
      })
    })
  )

  it.effect("show no secret in environment or arguments", () =>
    Effect.gen(function* () {
      const { process } = yield* RunningServer
      const workers = workersOf(process.pid)
      assert.lengthOf(workers, 2)
      for (const pid of workers) {
        const shown = fs.readFileSync(`/proc/${pid}/environ`, "utf8") + commandOf(pid)
        assert.notInclude(shown, TOKEN_KEY)
        assert.notInclude(shown, "RAPPORT_")
      }
    })
  )

  it.effect("lose no write when one is killed, and it is replaced", () =>
    Effect.gen(function* () {
      const { origin, process: parent, tokenOf } = yield* RunningServer
      yield* Effect.promise(async () => {
        const writers = makeWriters(origin, await tokenOf("administrator"))
        await until(() => writers.state.written > 20)
        const workers = workersOf(parent.pid)
        const answered = await answeredOf(parent)
        process.kill(workers[0] ?? 0, "SIGKILL")
        const before = writers.state.written
        await until(() => writers.state.written > before + 20)
        await replacementOf(parent, workers)
        assert.isAtLeast(await answeredOf(parent), answered, "what it counted is not taken back")
        await countsAll(parent, writers.state)
        const { refused } = await writers.stop()
        assert.deepStrictEqual(refused, [])
        await parent.logs(/a worker ended \(SIGKILL\)/u)
      })
    })
  )

  it.effect("fail no request when one is ended, and none that is answered when all are", () =>
    Effect.gen(function* () {
      const { origin, process: parent, tokenOf } = yield* RunningServer
      yield* Effect.promise(async () => {
        const writers = makeWriters(origin, await tokenOf("administrator"))
        await until(() => writers.state.written > 20)
        const workers = workersOf(parent.pid)
        process.kill(workers[0] ?? 0, "SIGTERM")
        const replacement = await replacementOf(parent, workers)
        const { refused, repeated } = await writers.stop()
        assert.deepStrictEqual({ refused, repeated }, { refused: [], repeated: 0 })

        parent.signal("SIGTERM")
        const { code, signal } = await parent.end
        assert.deepStrictEqual({ code, signal }, { code: 0, signal: null })
        for (const pid of [...workers, replacement]) assert.strictEqual(commandOf(pid), "")
      })
    })
  )
})
