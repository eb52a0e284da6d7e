// A pure model of the writing use cases, to compare them with (contract §1.3, §4, §5).
import { mergePatch } from "@rapport/core/json/MergePatch.ts"

type State = Readonly<Record<string, unknown>>

/** A command with few different keys, events and versions, so that they often collide. `client` is 0 or 1. */
export type Command =
  | {
      readonly kind: "action"
      readonly client: number
      readonly key: string
      readonly event: string | null
      readonly source: string | null
      readonly content: string
      readonly update: { readonly namespace: string; readonly expected: number; readonly state: State } | null
    }
  | {
      readonly kind: "put"
      readonly client: number
      readonly key: string
      readonly namespace: string
      readonly expected: number
      readonly state: State
      readonly merge: boolean
    }
  | {
      readonly kind: "open"
      readonly client: number
      readonly key: string | null
      readonly external: string | null
    }
  /** `session` is an index into the sessions that existed before its group of commands. */
  | {
      readonly kind: "message"
      readonly session: number
      readonly key: string | null
      readonly external: string | null
      readonly content: string
    }
  | { readonly kind: "close"; readonly session: number; readonly key: string | null }
  | {
      readonly kind: "context"
      readonly session: number
      readonly key: string | null
      readonly expected: number
      readonly goal: string
    }
  /** The import is interrupted after `stopAfter` groups of items. A repeat continues it. */
  | {
      readonly kind: "import"
      readonly key: string
      readonly source: string
      readonly items: ReadonlyArray<Item>
      readonly stopAfter: number | null
    }

export type Item =
  | { readonly kind: "action"; readonly client: number; readonly external: string; readonly content: string }
  | {
      readonly kind: "state"
      readonly client: number
      readonly external: string
      readonly namespace: string
      readonly expected: number | null
      readonly state: State
    }
  | { readonly kind: "session"; readonly client: number; readonly external: string }
  | {
      readonly kind: "message"
      readonly session: string
      readonly external: string
      readonly content: string
    }
  | { readonly kind: "faulty"; readonly external: string }

/** The answer to a command as a text. A record is named by the number of the command that created it. */
export type Outcome = string

interface Event {
  readonly fingerprint: string
  readonly maker: string
  readonly version: number | null
}
interface Session {
  readonly maker: string
  readonly client: number
  readonly external: string | null
  readonly closed: boolean
  readonly contexts: ReadonlyArray<string>
  readonly messages: ReadonlyArray<{ readonly external: string | null; readonly content: string }>
}
interface Batch {
  readonly fingerprint: string
  readonly done: ReadonlyArray<string>
}
export interface Model {
  readonly receipts: Readonly<Record<string, { readonly fingerprint: string; readonly answer: string }>>
  readonly events: Readonly<Record<string, Event>>
  /** Includes actions without an event. */
  readonly actions: number
  readonly states: Readonly<Record<string, ReadonlyArray<State>>>
  readonly sessions: ReadonlyArray<Session>
  readonly batches: Readonly<Record<string, Batch>>
  readonly importedStates: Readonly<Record<string, string>>
}
export const emptyModel: Model = {
  receipts: {},
  events: {},
  actions: 0,
  states: {},
  sessions: [],
  batches: {},
  importedStates: {}
}

type Step = readonly [after: Model, outcome: Outcome]

/** The model after the command with the number `n`, and its outcome. */
const step = (model: Model, n: number, command: Command): Step => {
  switch (command.kind) {
    case "action": {
      const { client, content, event, key, source, update } = command
      const fingerprint = JSON.stringify([client, content, event, source, update])
      return underKey(model, "action", key, fingerprint, () =>
        register(model, String(n), { client, event, fingerprint, source, update })
      )
    }
    case "put": {
      const { client, expected, key, merge, namespace, state } = command
      const fingerprint = JSON.stringify([client, namespace, expected, state, merge])
      return underKey(model, "put", key, fingerprint, () =>
        put(model, { client, expected, merge, namespace, state })
      )
    }
    case "open": {
      const { client, external, key } = command
      return underKey(model, "open", key, JSON.stringify([client, external]), () =>
        openSession(model, String(n), client, external)
      )
    }
    case "message": {
      const { content, external, key, session } = command
      return underKey(model, "message", key, JSON.stringify([session, external, content]), () =>
        addMessage(model, session, external, content)
      )
    }
    case "close":
      return underKey(model, "close", command.key, JSON.stringify([command.session]), () =>
        close(model, command.session)
      )
    case "context": {
      const { expected, goal, key, session } = command
      return underKey(model, "context", key, JSON.stringify([session, expected, goal]), () =>
        setContext(model, session, expected, goal)
      )
    }
    case "import":
      return runImport(model, n, command)
  }
}

const isEffect = (outcome: Outcome): boolean => outcome.startsWith("new ") || outcome.startsWith("replayed ")
const replayOf = (outcome: Outcome): Outcome => outcome.replace(/^new /u, "replayed ")

const underKey = (
  model: Model,
  operation: string,
  key: string | null,
  fingerprint: string,
  effect: () => Step
): Step => {
  if (key === null) return effect()
  const place = `${operation}/${key}`
  const kept = model.receipts[place]
  if (kept !== undefined)
    return [model, kept.fingerprint === fingerprint ? replayOf(kept.answer) : "IdempotencyKeyReused"]
  const [after, outcome] = effect()
  if (!isEffect(outcome)) return [model, outcome]
  return [{ ...after, receipts: { ...after.receipts, [place]: { fingerprint, answer: outcome } } }, outcome]
}

const register = (
  model: Model,
  maker: string,
  action: Pick<Extract<Command, { kind: "action" }>, "client" | "event" | "source" | "update"> & {
    readonly fingerprint: string
  }
): Step => {
  const { client, event, fingerprint, source, update } = action
  const place = `${client}/${source}/${event}`
  const before = event === null ? undefined : model.events[place]
  if (before !== undefined) {
    const { maker: first, version } = before
    return before.fingerprint === fingerprint
      ? [model, `replayed action ${first} version ${version} deduped`]
      : [model, "ExternalEventConflict"]
  }
  const [after, written] = update === null ? [model, null] : put(model, { ...update, client, merge: false })
  if (written !== null && !isEffect(written)) return [model, written]
  const version = update === null ? null : update.expected + 1
  const events = event === null ? after.events : { ...after.events, [place]: { fingerprint, maker, version } }
  return [{ ...after, events, actions: after.actions + 1 }, `new action ${maker} version ${version}`]
}

const put = (
  model: Model,
  write: Pick<Extract<Command, { kind: "put" }>, "client" | "namespace" | "state" | "merge"> & {
    readonly expected: number | null
  }
): Step => {
  const place = `${write.client}/${write.namespace}`
  const versions = model.states[place] ?? []
  if (versions.length !== (write.expected ?? versions.length))
    return [model, `VersionConflict ${versions.length}`]
  const next = write.merge ? mergePatch(versions.at(-1) ?? null, write.state) : write.state
  return [
    { ...model, states: { ...model.states, [place]: [...versions, next] } },
    `new version ${versions.length + 1} ${JSON.stringify(next)}`
  ]
}

const openSession = (model: Model, maker: string, client: number, external: string | null): Step => {
  const open = model.sessions.find(
    (session) => external !== null && session.external === external && !session.closed
  )
  if (open === undefined) {
    const session = { maker, client, external, closed: false, contexts: [], messages: [] }
    return [{ ...model, sessions: [...model.sessions, session] }, `new session ${maker}`]
  }
  return [model, open.client === client ? `replayed session ${open.maker}` : "ExternalEventConflict"]
}

const changeSession = (model: Model, at: number, change: (session: Session) => Session): Model => ({
  ...model,
  sessions: model.sessions.map((session, i) => (i === at ? change(session) : session))
})

const addMessage = (model: Model, at: number, external: string | null, content: string): Step => {
  const session = model.sessions[at]
  if (session === undefined) return [model, "NotFound"]
  const before = session.messages.findIndex((message) => external !== null && message.external === external)
  if (before >= 0)
    return session.messages[before]?.content === content
      ? [model, `replayed message ${before + 1}`]
      : [model, "ExternalEventConflict"]
  if (session.closed) return [model, "SessionClosed"]
  const messages = [...session.messages, { external, content }]
  return [changeSession(model, at, (found) => ({ ...found, messages })), `new message ${messages.length}`]
}

const close = (model: Model, at: number): Step => {
  const session = model.sessions[at]
  if (session === undefined) return [model, "NotFound"]
  return session.closed
    ? [model, `replayed close ${session.messages.length}`]
    : [
        changeSession(model, at, (found) => ({ ...found, closed: true })),
        `new close ${session.messages.length}`
      ]
}

const setContext = (model: Model, at: number, expected: number, goal: string): Step => {
  const session = model.sessions[at]
  if (session === undefined) return [model, "NotFound"]
  if (session.closed) return [model, "SessionClosed"]
  const { length } = session.contexts
  if (length !== expected) return [model, `VersionConflict ${length}`]
  return [
    changeSession(model, at, (found) => ({ ...found, contexts: [...found.contexts, goal] })),
    `new context ${length + 1} ${goal}`
  ]
}

const runImport = (model: Model, n: number, command: Extract<Command, { kind: "import" }>): Step => {
  const { items, key, source, stopAfter } = command
  const fingerprint = JSON.stringify([source, items])
  const before = model.batches[key]
  if (before !== undefined && before.fingerprint !== fingerprint) return [model, "IdempotencyKeyReused"]
  const from = before?.done.length ?? 0
  const until = endOfGroups(items, from, stopAfter ?? items.length)
  let after = model
  const done = [...(before?.done ?? [])]
  for (const [index, item] of items.entries()) {
    if (index < from || index >= until) continue
    const [next, outcome] = importItem(after, `${n}.${index}`, source, item)
    if (isEffect(outcome)) after = next
    done.push(
      outcome.startsWith("new ") ? "succeeded" : outcome.startsWith("replayed ") ? "replayed" : "failed"
    )
  }
  const batches = { ...after.batches, [key]: { fingerprint, done } }
  const outcome =
    done.length < items.length
      ? "stopped"
      : `${before === undefined ? "new" : "replayed"} batch ${done.join(" ")}`
  return [{ ...after, batches }, outcome]
}

/** The end of `groups` groups from `from`. Adjacent actions and states are one group, and adjacent messages are. */
const endOfGroups = (items: ReadonlyArray<Item>, from: number, groups: number): number => {
  const kindOf = (at: number) => {
    const kind = items[at]?.kind
    return kind === "state" ? "action" : kind
  }
  let [at, left] = [from, groups]
  for (; at < items.length && left > 0; left--) {
    const kind = kindOf(at)
    const isGrouped = kind === "action" || kind === "message"
    const begin = at
    const end = items.findIndex((_, next) => next > begin && (!isGrouped || kindOf(next) !== kind))
    at = end < 0 ? items.length : end
  }
  return at
}

const importItem = (model: Model, maker: string, source: string, item: Item): Step => {
  switch (item.kind) {
    case "faulty":
      return [model, "InvalidRequest"]
    case "action": {
      const { client, content, external } = item
      const fingerprint = JSON.stringify([client, content, external, source, null])
      return register(model, maker, { client, event: external, source, update: null, fingerprint })
    }
    case "state": {
      const { client, expected, external, namespace, state } = item
      const [place, fingerprint] = [
        `${client}/${source}/${external}`,
        JSON.stringify([namespace, expected, state])
      ]
      const before = model.importedStates[place]
      if (before !== undefined)
        return [model, before === fingerprint ? "replayed state" : "ExternalEventConflict"]
      const [after, outcome] = put(model, { client, namespace, expected, state, merge: false })
      return [{ ...after, importedStates: { ...after.importedStates, [place]: fingerprint } }, outcome]
    }
    case "session":
      return openSession(model, maker, item.client, item.external)
    case "message": {
      // The latest session of the external id. If one is open, it is the latest.
      const at = model.sessions.findLastIndex(({ external }) => external === item.session)
      return at < 0 ? [model, "InvalidRequest"] : addMessage(model, at, item.external, item.content)
    }
  }
}

/** The model after these concurrent commands, if some sequential order explains their outcomes. */
export const explain = (
  model: Model,
  group: ReadonlyArray<{ readonly n: number; readonly command: Command; readonly outcome: Outcome }>
): Model | undefined => {
  if (group.length === 0) return model
  for (const { command, n, outcome } of group) {
    const [after, expected] = step(model, n, command)
    if (expected !== outcome) continue
    const end = explain(
      after,
      group.filter((other) => other.n !== n)
    )
    if (end !== undefined) return end
  }
  return undefined
}
