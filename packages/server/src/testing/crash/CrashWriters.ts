// Writers that use all writing routes while the service is killed, and record the answers in a ledger.
import { CLIENT_NAMESPACES_MAX } from "@rapport/contract/Limits.ts"
import type { Random } from "@rapport/demo/Random.ts"
import { randomUUID } from "node:crypto"
import type { HttpRequest } from "../WriterFixtures.ts"
import { CrashClient, type FinalAnswer } from "./CrashClient.ts"
import { type CrashLedger, comparable } from "./CrashLedger.ts"

const NAMESPACES = ["crm", "cart"]
const at = "2026-03-01T08:00:00Z"

export class CrashWriters {
  readonly #client: CrashClient
  readonly #ledger: CrashLedger
  readonly #clientIds: ReadonlyArray<number>
  readonly #random: Random
  readonly #seen = new Map<string, number>()
  /** Number of namespaces that imports made, by client. */
  readonly #imported = new Map<number, number>()
  #shared: string | undefined
  stopped = false

  constructor(client: CrashClient, ledger: CrashLedger, clientIds: ReadonlyArray<number>, random: Random) {
    this.#client = client
    this.#ledger = ledger
    this.#clientIds = clientIds
    this.#random = random
  }

  stop(): void {
    this.stopped = true
  }

  /** Runs writers in parallel until stopped; each finishes its last command. */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#write()))
  }

  async #write(): Promise<void> {
    const commands = [
      () => this.#action(),
      () => this.#action(),
      () => this.#state(),
      () => this.#state(),
      () => this.#read(),
      () => this.#dialogue(),
      () => this.#sharedMessage(),
      () => this.#replay(),
      // Rare: an import that is killed blocks its writer until its lease ends.
      () => (this.#random.chance(0.3) ? this.#import() : this.#action())
    ]
    while (!this.stopped) await this.#random.pick(commands)()
  }

  async #send(sent: HttpRequest, expected: ReadonlyArray<string>): Promise<FinalAnswer> {
    const got = await this.#client.settle(sent)
    this.#ledger.note(sent, got, expected)
    return got
  }

  async #action(): Promise<void> {
    const [clientId, tag, external] = [
      this.#random.pick(this.#clientIds),
      randomUUID(),
      this.#random.chance(0.5)
    ]
    const namespace = this.#random.chance(0.3) ? this.#random.pick(NAMESPACES) : undefined
    const register = `${clientId}/${namespace}`
    const expected = this.#seen.get(register) ?? 0
    const body = {
      type: "crash.test",
      occurredAt: at,
      actorType: "operator",
      actorId: 31,
      summary: tag,
      ...(external ? { externalEventId: tag, source: "crash" } : {}),
      ...(namespace === undefined
        ? {}
        : { stateUpdate: { namespace, expectedVersion: expected, state: { tag } } })
    }
    const path = `/kw/clients/${clientId}/context/actions`
    // One event under two concurrent keys is one action.
    const keys = external ? [randomUUID(), randomUUID()] : [randomUUID()]
    const all = await Promise.all(
      keys.map((key) => this.#send({ path, key, body }, ["201", "200", "409 VERSION_CONFLICT"]))
    )
    const done = all.filter(({ status }) => status < 400)
    const [first] = done
    if (first !== undefined) {
      const { action, receipt } = first.body
      this.#ledger.actions.push({ id: action.id, tag, receiptId: receipt.id })
      if (done.some(({ body: b }) => b.action.id !== action.id || b.receipt.id !== receipt.id))
        this.#ledger.faults.push(`two actions of one event: ${done.map(({ text }) => text).join(" ")}`)
      if (namespace !== undefined) this.#wrote(register, clientId, namespace, tag, expected, first)
    }
    for (const lost of done.length === 0 ? all : []) this.#lost(register, tag, expected, lost)
  }

  #wrote(
    register: string,
    clientId: number,
    namespace: string,
    tag: string,
    expected: number,
    got: FinalAnswer
  ) {
    const version = got.body.state?.version ?? 0
    const { answered, called } = got
    this.#seen.set(register, version)
    this.#ledger.versions.push({ clientId, namespace, version, tag })
    this.#ledger.record(register, { kind: "won", called, answered, expected, value: tag, version })
  }

  #lost(register: string, tag: string, expected: number, got: FinalAnswer) {
    if (got.code !== "VERSION_CONFLICT") return
    const { answered, called } = got
    const version = got.body.currentVersion
    this.#seen.set(register, version)
    this.#ledger.record(register, { kind: "lost", called, answered, expected, value: tag, version })
  }

  async #state(): Promise<void> {
    const [clientId, namespace, tag] = [
      this.#random.pick(this.#clientIds),
      this.#random.pick(NAMESPACES),
      randomUUID()
    ]
    const register = `${clientId}/${namespace}`
    const expected = this.#seen.get(register) ?? 0
    const sent = {
      method: "PUT",
      path: `/kw/clients/${clientId}/context/state/${namespace}`,
      key: randomUUID(),
      body: { expectedVersion: expected, state: { tag } }
    }
    const got = await this.#send(sent, ["200", "409 VERSION_CONFLICT"])
    if (got.status === 200) this.#wrote(register, clientId, namespace, tag, expected, got)
    else this.#lost(register, tag, expected, got)
  }

  async #read(): Promise<void> {
    const [clientId, namespace] = [this.#random.pick(this.#clientIds), this.#random.pick(NAMESPACES)]
    const register = `${clientId}/${namespace}`
    const got = await this.#send({ path: `/kw/clients/${clientId}/context/state/${namespace}` }, [
      "200",
      "404 NOT_FOUND"
    ])
    const { answered, called, status } = got
    const { state, version } = status === 200 ? got.body : { state: { tag: null }, version: 0 }
    const read = { version, expected: version, value: state.tag }
    this.#ledger.record(register, { kind: "read", called, answered, ...read })
  }

  async #open(): Promise<string> {
    const body = { clientId: this.#random.pick(this.#clientIds), externalSessionId: randomUUID() }
    const got = await this.#send({ path: "/kw/context/sessions", key: randomUUID(), body }, ["201", "200"])
    this.#ledger.sessions.set(got.body.session.id, { closed: false, contexts: 0 })
    return got.body.session.id
  }

  async #message(sessionId: string): Promise<void> {
    const content = randomUUID()
    const sent = {
      path: `/kw/context/sessions/${sessionId}/messages`,
      // Without a key, the external id prevents a second row.
      ...(this.#random.chance(0.5) ? { key: randomUUID() } : {}),
      body: { role: "client", content, externalMessageId: content }
    }
    const got = await this.#send(sent, ["201", "200"])
    if (got.status < 400) this.#ledger.messages.push({ ...got.body.message, sessionId, content })
  }

  async #dialogue(): Promise<void> {
    const id = await this.#open()
    for (let n = 0; n < 3; n++) await this.#message(id)
    const session = this.#ledger.sessions.get(id)
    if (session === undefined) return
    const context = { expectedVersion: 0, workingContext: { goals: ["знайти посилку"] } }
    const path = `/kw/context/sessions/${id}`
    const set = { method: "PUT", path: `${path}/working-context`, key: randomUUID(), body: context }
    if ((await this.#send(set, ["200"])).status === 200) session.contexts = 1
    if (!this.#random.chance(0.5)) return
    await this.#send({ path: `${path}/close`, key: randomUUID(), body: {} }, ["200"])
    session.closed = true
  }

  async #sharedMessage(): Promise<void> {
    this.#shared ??= await this.#open()
    await this.#message(this.#shared)
  }

  async #replay(): Promise<void> {
    if (this.#ledger.replayable.length === 0) return
    const { answer, sent } = this.#random.pick(this.#ledger.replayable)
    const got = await this.#client.settle(sent)
    if (got.status !== 200 || !got.replayed || comparable(got.text) !== answer)
      this.#ledger.faults.push(`a replay differs: ${answer} ${got.status} ${got.text}`)
  }

  async #import(): Promise<void> {
    const [clientId, source, key] = [this.#random.pick(this.#clientIds), randomUUID(), randomUUID()]
    const imported = this.#imported.get(clientId) ?? 0
    // Each import makes a namespace, and their number per client is limited.
    if (imported >= CLIENT_NAMESPACES_MAX - NAMESPACES.length) return await this.#action()
    this.#imported.set(clientId, imported + 1)
    const item = (n: number) => {
      switch (n % 4) {
        case 0:
          return {
            kind: "action",
            clientId,
            data: { type: "crash.import", occurredAt: at, actorType: "bot" }
          }
        case 1:
          return { kind: "state", clientId, data: { namespace: `i.${source}`, state: { n } } }
        case 2:
          return n === 2
            ? { kind: "session", clientId, data: { channel: "web" } }
            : { kind: "action", clientId, data: { nonsense: true } }
        default:
          return {
            kind: "message",
            sessionExternalId: `${source}-2`,
            data: { role: "tool", content: `${n}` }
          }
      }
    }
    const items = Array.from({ length: 12 }, (_, n) => ({ ...item(n), externalId: `${source}-${n}` }))
    const sent = { path: "/kw/context/import-batches", key, body: { source, items } }
    const got = await this.#client.settle(sent)
    this.#ledger.attempts += got.attempts
    this.#ledger.commands++
    const { batch } = got.body
    if (
      got.status >= 400 ||
      batch.succeeded !== 10 ||
      batch.failed !== 2 ||
      batch.checkpoint.nextIndex !== 12
    )
      this.#ledger.faults.push(`an import ended otherwise: ${got.text}`)
    this.#ledger.imports.push({ key, source, items: items.length, failed: 2 })
  }
}
