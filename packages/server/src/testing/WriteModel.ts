// Random writes with few different keys, events and versions, so that they often collide, and a pure model of their outcomes
// (contract §1.3, §4, §5).
import { canonicalJson } from "@rapport/core/json/CanonicalJson.ts"
import { mergePatch } from "@rapport/core/json/MergePatch.ts"
import * as fc from "fast-check"

const client = fc.constantFrom(0, 1)
const key = fc.constantFrom("k1", "k2", "k3", "k4")
const anyKey = fc.option(key, { nil: null })
const event = fc.constantFrom("e1", "e2")
const external = fc.constantFrom("x1", "x2")
const content = fc.constantFrom("a", "б")
const type = fc.constantFrom("order.created", "order.paid")
const actorType = fc.constant("client")
const namespace = fc.constantFrom("crm", "cart")
const expectedVersion = fc.nat(3)
const state = fc.constantFrom<State>({ a: 1 }, { a: { b: "їжак" } }, { a: null, c: [1] }, { a: { b: null } })
const session = fc.nat(5)

const single = fc.oneof(
  fc.record({
    kind: fc.constant("action"),
    client,
    key,
    request: fc.record(
      {
        type,
        actorType,
        occurredAt: fc.constant(1_790_000_000_000),
        externalEventId: event,
        source: fc.constant("s"),
        stateUpdate: fc.record({ namespace, expectedVersion, state })
      },
      { requiredKeys: ["type", "actorType", "occurredAt"] }
    )
  }),
  fc.record({
    kind: fc.constant("put"),
    client,
    key,
    namespace,
    request: fc.record(
      { expectedVersion, state, mode: fc.constant("merge") },
      { requiredKeys: ["expectedVersion", "state"] }
    )
  }),
  fc.record({
    kind: fc.constant("open"),
    client,
    key: anyKey,
    request: fc.record({ externalSessionId: external }, { requiredKeys: [] })
  }),
  fc.record({
    kind: fc.constant("message"),
    session,
    key: anyKey,
    request: fc.record(
      { role: fc.constant("client"), content, externalMessageId: event },
      { requiredKeys: ["role", "content"] }
    )
  }),
  fc.record({ kind: fc.constant("close"), session, key: anyKey }),
  fc.record({ kind: fc.constant("context"), session, key: anyKey, expectedVersion, goal: content })
)

const item = fc.oneof(
  fc.record({
    kind: fc.constant("action"),
    client,
    externalId: event,
    // The last type is no valid one.
    data: fc.record({
      type: fc.oneof(type, fc.constant("BAD")),
      actorType,
      occurredAt: fc.constant("2026-09-21T14:13:20.000Z")
    })
  }),
  fc.record({
    kind: fc.constant("state"),
    client,
    externalId: event,
    data: fc.record({ namespace, state, expectedVersion }, { requiredKeys: ["namespace", "state"] })
  }),
  fc.record({ kind: fc.constant("session"), client, externalId: external, data: fc.constant({}) }),
  fc.record({
    kind: fc.constant("message"),
    sessionExternalId: external,
    externalId: event,
    data: fc.record({ role: fc.constant("client"), content })
  })
)

/** Is interrupted after `stopAfter` groups of items. Its items are separate writes, so no other command runs concurrently. */
const stopAfter = fc.option(fc.nat(3), { nil: null })
const importing = fc.record({
  kind: fc.constant("import"),
  key,
  source: fc.constant("s"),
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
  stopAfter
})

type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never
type Single = ValueOf<typeof single>
type Import = ValueOf<typeof importing>
/** `session` is an index into the sessions that exist before its group of commands. */
export type Command = Single | Import
export type Item = Import["items"][number]

/** Different commands, or one command several times. */
const together = fc.oneof(
  { weight: 2, arbitrary: fc.array(single, { minLength: 1, maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(single, fc.integer({ min: 2, max: 4 }))
      .map(([one, n]) => Array.from({ length: n }, () => one))
  }
)
/** An import that is interrupted and repeated, with other commands in between. */
const resumed = fc
  .tuple(importing, fc.array(fc.tuple(together, stopAfter), { maxLength: 3 }))
  .map(([one, again]) => [
    [one],
    ...again.flatMap(([between, stop]) => [between, [{ ...one, stopAfter: stop }]])
  ])

/** Groups of concurrent commands. */
export const groups: fc.Arbitrary<ReadonlyArray<ReadonlyArray<Command>>> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: together.map((group): ReadonlyArray<ReadonlyArray<Command>> => [group]) },
      { weight: 1, arbitrary: resumed }
    ),
    { minLength: 1, maxLength: 12 }
  )
  .map((parts) => parts.flat())

type State = Readonly<Record<string, unknown>>
interface Session {
  /** Null after an import, which does not return it. */
  id: string | null
  readonly client: 0 | 1
  readonly external: string | null
  closed: boolean
  contexts: number
  readonly messages: Array<{ readonly external: string | null; readonly content: string }>
}
/** `new`, `replayed`, `stopped` or the tag of an error, and what the answer returns. */
export type Outcome = ReadonlyArray<unknown>

export const emptyModel = {
  receipts: {} as Record<string, { readonly content: string; readonly outcome: Outcome }>,
  events: {} as Record<
    string,
    { readonly content: string; id: string | null; readonly version: number | null }
  >,
  states: {} as Record<string, Array<State>>,
  sessions: new Array<Session>(),
  batches: {} as Record<string, { readonly content: string; readonly done: Array<string> }>,
  importedStates: {} as Record<string, string>
}
export type Model = typeof emptyModel

const isDone = ([tag]: Outcome): boolean => tag === "new" || tag === "replayed"

/** The outcome that the command must have after the model, which changes with it. `actual` has the ids of new records. */
const step = (model: Model, command: Command, actual: Outcome): Outcome => {
  if (command.kind === "import") return runImport(model, command, actual)
  const place = `${command.kind}/${command.key}`
  const same = canonicalJson(command)
  const kept = command.key === null ? undefined : model.receipts[place]
  if (kept !== undefined)
    return kept.content === same ? ["replayed", ...kept.outcome.slice(1)] : ["IdempotencyKeyReused"]
  const outcome = write(model, command, String(actual[1]))
  if (command.key !== null && isDone(outcome)) model.receipts[place] = { content: same, outcome }
  return outcome
}

const write = (model: Model, command: Single, id: string): Outcome => {
  switch (command.kind) {
    case "action":
      return register(model, command.client, command.request, id)
    case "put": {
      const { client, namespace, request } = command
      return put(model, client, { namespace, ...request })
    }
    case "open":
      return open(model, command.client, command.request.externalSessionId ?? null, id)
    default:
      return change(model.sessions[command.session], command)
  }
}

type ActionRequest = Extract<Single, { kind: "action" }>["request"]
const register = (
  model: Model,
  client: number,
  action: Omit<ActionRequest, "actorType" | "occurredAt">,
  id: string | null
): Outcome => {
  const { externalEventId, source = null, stateUpdate, type } = action
  const place = `${client}/${source}/${externalEventId}`
  const same = canonicalJson([type, stateUpdate ?? null])
  const before = externalEventId === undefined ? undefined : model.events[place]
  if (before !== undefined) {
    if (before.content !== same) return ["ExternalEventConflict"]
    before.id ??= id
    return ["replayed", before.id, before.version, "deduped"]
  }
  const written = stateUpdate === undefined ? null : put(model, client, stateUpdate)
  if (written !== null && !isDone(written)) return written
  const version = stateUpdate === undefined ? null : stateUpdate.expectedVersion + 1
  if (externalEventId !== undefined) model.events[place] = { content: same, id, version }
  return ["new", id, version]
}

const put = (
  model: Model,
  client: number,
  write: { namespace: string; state: State; expectedVersion?: number; mode?: "merge" }
): Outcome => {
  const versions = (model.states[`${client}/${write.namespace}`] ??= [])
  if (versions.length !== (write.expectedVersion ?? versions.length))
    return ["VersionConflict", versions.length]
  versions.push(write.mode === "merge" ? mergePatch(versions.at(-1) ?? null, write.state) : write.state)
  return ["new", versions.length, versions.at(-1)]
}

const open = (model: Model, client: 0 | 1, external: string | null, id: string | null): Outcome => {
  const found = model.sessions.find((one) => external !== null && one.external === external && !one.closed)
  if (found !== undefined) return found.client === client ? ["replayed", found.id] : ["ExternalEventConflict"]
  model.sessions.push({ id, client, external, closed: false, contexts: 0, messages: [] })
  return ["new", id]
}

const change = (
  session: Session | undefined,
  command: Extract<Single, { kind: "message" | "close" | "context" }>
): Outcome => {
  if (session === undefined) return ["NotFound"]
  switch (command.kind) {
    case "message":
      return addMessage(session, command.request.externalMessageId ?? null, command.request.content)
    case "close": {
      const tag = session.closed ? "replayed" : "new"
      session.closed = true
      return [tag, session.messages.length]
    }
    case "context":
      if (session.closed) return ["SessionClosed"]
      if (session.contexts !== command.expectedVersion) return ["VersionConflict", session.contexts]
      return ["new", ++session.contexts, command.goal]
  }
}

const addMessage = (session: Session, external: string | null, content: string): Outcome => {
  const before = session.messages.findIndex((one) => external !== null && one.external === external)
  if (before >= 0)
    return session.messages[before]?.content === content
      ? ["replayed", before + 1]
      : ["ExternalEventConflict"]
  return session.closed ? ["SessionClosed"] : ["new", session.messages.push({ external, content })]
}

const runImport = (model: Model, { items, key, source }: Import, [tag, stoppedAt]: Outcome): Outcome => {
  const content = canonicalJson(items)
  const isNew = model.batches[key] === undefined
  const batch = (model.batches[key] ??= { content, done: [] })
  if (batch.content !== content) return ["IdempotencyKeyReused"]
  // A group of items is written together, so the import itself reports where it was interrupted.
  const until = tag === "stopped" ? Number(stoppedAt) : items.length
  for (const item of items.slice(batch.done.length, until)) {
    const [outcome] = importItem(model, source, item)
    batch.done.push(outcome === "new" ? "succeeded" : outcome === "replayed" ? "replayed" : "failed")
  }
  if (tag === "stopped") return ["stopped", batch.done.length]
  return [isNew ? "new" : "replayed", batch.done]
}

const importItem = (model: Model, source: Import["source"], item: Item): Outcome => {
  switch (item.kind) {
    case "action": {
      const { type } = item.data
      if (type === "BAD") return ["InvalidRequest"]
      return register(model, item.client, { type, externalEventId: item.externalId, source }, null)
    }
    case "state": {
      const [place, same] = [`${item.client}/${item.externalId}`, canonicalJson(item.data)]
      const before = model.importedStates[place]
      if (before !== undefined) return [before === same ? "replayed" : "ExternalEventConflict"]
      const outcome = put(model, item.client, item.data)
      if (isDone(outcome)) model.importedStates[place] = same
      return outcome
    }
    case "session":
      return open(model, item.client, item.externalId, null)
    case "message": {
      // The latest session of the external id. If one is open, it is the latest.
      const session = model.sessions.findLast(({ external }) => external === item.sessionExternalId)
      return session === undefined
        ? ["InvalidRequest"]
        : addMessage(session, item.externalId, item.data.content)
    }
  }
}

/** The model after these concurrent commands, if some sequential order explains their outcomes. */
export const explain = (
  model: Model,
  group: ReadonlyArray<{ readonly command: Command; readonly outcome: Outcome }>
): Model | undefined => {
  if (group.length === 0) return model
  for (const one of group) {
    const after = structuredClone(model)
    if (canonicalJson(step(after, one.command, one.outcome)) !== canonicalJson(one.outcome)) continue
    const end = explain(
      after,
      group.filter((other) => other !== one)
    )
    if (end !== undefined) return end
  }
  return undefined
}
