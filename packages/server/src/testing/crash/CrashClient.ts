// An integrator who retries as docs/retrying.md says: every command again under its key until it is answered.
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { type Got, send, type Sent, tokenOf } from "../WriterFixtures.ts"

/** The final answer of a command, and when (in milliseconds of one clock) it was first sent and finally answered. */
export interface Settled extends Got {
  readonly called: number
  readonly answered: number
  readonly attempts: number
}

const RETRY_MILLIS = 50
const ATTEMPT_MILLIS_MAX = 10_000
const GIVE_UP_MILLIS = 60_000

/** Is there nothing to do but to send it again? A lost connection (null), a service that starts or stops, a twin under way. */
const again = (got: Got | null): boolean =>
  got === null || got.status === 503 || got.status === 429 || got.code === "IDEMPOTENCY_IN_PROGRESS"

/** Knows several processes of one service, and goes to the next one when a connection is lost. */
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

  async #attempt(sent: Sent): Promise<Got | null> {
    const origin = this.#next()
    try {
      // A token outlives the process that made it.
      this.#token ??= tokenOf(origin, this.#login)
      this.#token.catch(() => (this.#token = undefined))
      return await send(origin, await this.#token, sent, AbortSignal.timeout(ATTEMPT_MILLIS_MAX))
    } catch {
      return null
    }
  }

  /** Sends until something is answered that another attempt would not change. */
  async settle(sent: Sent): Promise<Settled> {
    const first = performance.now()
    for (let attempts = 1; ; attempts++) {
      // A read has no effect to be remembered: only its last attempt counts.
      const called = sent.body === undefined ? performance.now() : first
      const got = await this.#attempt(sent)
      if (got?.status === 401) this.#token = undefined
      if (got !== null && got.status !== 401 && !again(got))
        return { ...got, called, answered: performance.now(), attempts }
      if (performance.now() - first > GIVE_UP_MILLIS)
        throw new Error(`no answer to ${sent.method ?? ""} ${sent.path}: ${got?.text ?? "no connection"}`)
      await sleep(RETRY_MILLIS)
    }
  }
}
