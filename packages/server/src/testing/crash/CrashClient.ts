// A client that retries as docs/retrying.md says: every command under its key until it is answered.
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { type HttpAnswer, send, type HttpRequest, login } from "../WriterFixtures.ts"

/** The final answer of a command, and the times of its first attempt and this answer, in milliseconds of one clock. */
export interface FinalAnswer extends HttpAnswer {
  readonly called: number
  readonly answered: number
  readonly attempts: number
}

const RETRY_MILLIS = 50
const ATTEMPT_MILLIS_MAX = 10_000
/** Longer than several kills and starts of PostgreSQL on a busy machine. */
const GIVE_UP_MILLIS = 300_000

/** Null is a lost connection. */
const mustRetry = (got: HttpAnswer | null): boolean =>
  got === null || got.status === 503 || got.status === 429 || got.code === "IDEMPOTENCY_IN_PROGRESS"

/** Sends to the processes of a service in order. */
export class CrashClient {
  readonly #origins: ReadonlyArray<string>
  readonly #login: string
  #turn = 0
  #token: Promise<string> | undefined

  constructor(origins: ReadonlyArray<string>, login: string) {
    this.#origins = origins
    this.#login = login
  }

  #next(): string {
    return this.#origins[this.#turn++ % this.#origins.length] ?? ""
  }

  async #attempt(sent: HttpRequest): Promise<HttpAnswer | null> {
    const origin = this.#next()
    try {
      // A token stays valid when its process ends.
      this.#token ??= login(origin, this.#login).then(({ accessToken }) => accessToken)
      this.#token.catch(() => (this.#token = undefined))
      return await send(origin, await this.#token, sent, AbortSignal.timeout(ATTEMPT_MILLIS_MAX))
    } catch {
      return null
    }
  }

  /** Retries until the answer is final. */
  async settle(sent: HttpRequest): Promise<FinalAnswer> {
    const first = performance.now()
    for (let attempts = 1; ; attempts++) {
      // Of a read, only the last attempt counts.
      const called = sent.body === undefined ? performance.now() : first
      const got = await this.#attempt(sent)
      if (got?.status === 401) this.#token = undefined
      if (got !== null && got.status !== 401 && !mustRetry(got))
        return { ...got, called, answered: performance.now(), attempts }
      if (performance.now() - first > GIVE_UP_MILLIS)
        throw new Error(`no answer to ${sent.method ?? ""} ${sent.path}: ${got?.text ?? "no connection"}`)
      await sleep(RETRY_MILLIS)
    }
  }
}
