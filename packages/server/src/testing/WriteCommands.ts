// Random commands, and how the use cases run them.
import type { ImportItem } from "@rapport/contract/imports/ImportsApi.ts"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import type { OnceResult } from "@rapport/core/receipts/Receipts.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { stopImportAfter } from "./StoppingImports.ts"
import type { Command, Item, Outcome } from "./WriteModel.ts"
import type { World } from "./WriteWorld.ts"

const client = fc.nat(1)
const key = fc.constantFrom("k1", "k2", "k3", "k4")
const anyKey = fc.option(key, { nil: null })
const event = fc.constantFrom("e1", "e2")
const source = fc.constantFrom("s", null)
const content = fc.constantFrom("a", "б")
const namespace = fc.constantFrom("crm", "cart")
const expected = fc.nat(3)
const state: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.constantFrom(
  { a: 1 },
  { a: { b: "їжак" } },
  { a: null, c: [1] },
  { a: { b: null } }
)
const external = fc.constantFrom("x1", "x2")
const session = fc.nat(5)

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constant("action"), client, external: event, content }),
  fc.record({
    kind: fc.constant("state"),
    client,
    external: event,
    namespace,
    expected: fc.option(expected, { nil: null }),
    state
  }),
  fc.record({ kind: fc.constant("session"), client, external }),
  fc.record({ kind: fc.constant("message"), session: external, external: event, content }),
  fc.record({ kind: fc.constant("faulty"), external: event })
)

const single: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant("action"),
    client,
    key,
    event: fc.option(event, { nil: null }),
    source,
    content,
    update: fc.option(fc.record({ namespace, expected, state }), { nil: null })
  }),
  fc.record({ kind: fc.constant("put"), client, key, namespace, expected, state, merge: fc.boolean() }),
  fc.record({ kind: fc.constant("open"), client, key: anyKey, external: fc.option(external, { nil: null }) }),
  fc.record({
    kind: fc.constant("message"),
    session,
    key: anyKey,
    external: fc.option(event, { nil: null }),
    content
  }),
  fc.record({ kind: fc.constant("close"), session, key: anyKey }),
  fc.record({ kind: fc.constant("context"), session, key: anyKey, expected, goal: content })
)

/** The items of an import are separate writes, so no other command runs concurrently. */
const importing: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant("import"),
  key,
  source: fc.constant("s"),
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
  stopAfter: fc.option(fc.nat(3), { nil: null })
})

const together: fc.Arbitrary<ReadonlyArray<Command>> = fc.oneof(
  { weight: 2, arbitrary: fc.array(single, { minLength: 1, maxLength: 4 }) },
  // The same command several times.
  {
    weight: 1,
    arbitrary: fc
      .tuple(single, fc.integer({ min: 2, max: 4 }))
      .map(([one, n]) => Array.from({ length: n }, () => one))
  }
)
/** An import that is interrupted and repeated, with other commands in between. */
const resumed = fc
  .tuple(importing, fc.array(fc.tuple(together, fc.option(fc.nat(3), { nil: null })), { maxLength: 3 }))
  .map(([one, again]) => [
    [one],
    ...again.flatMap(([between, stopAfter]) => [between, [{ ...one, stopAfter }]])
  ])

/** Groups of concurrent commands. */
export const groups: fc.Arbitrary<ReadonlyArray<ReadonlyArray<Command>>> = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: together.map((group) => [group]) }, { weight: 1, arbitrary: resumed }),
    { minLength: 1, maxLength: 12 }
  )
  .map((parts) => parts.flat())

/** The number of the command that created a record, by the id of the record. */
export type Names = ReadonlyMap<string, string>
/** An answer. `made` is the id of a record that the command created. */
export interface CommandAnswer {
  readonly outcome: (names: Names) => Outcome
  readonly made: string | null
  /** The returned action, and the key of its event in the model. */
  readonly action: { readonly id: string; readonly event: string } | null
}

const at = 1_790_000_000_000
const answerOf = <A, E extends { readonly _tag: string }, R>(
  run: Effect.Effect<OnceResult<A>, E, R>,
  words: (answer: A, names: Names) => string,
  made: (answer: A) => string | null = () => null,
  action: (answer: A) => CommandAnswer["action"] = () => null
): Effect.Effect<CommandAnswer, never, R> =>
  Effect.match(run, {
    onSuccess: ({ answer, replayed }) => ({
      outcome: (names) => `${replayed ? "replayed" : "new"} ${words(answer, names)}`,
      made: replayed ? null : made(answer),
      action: action(answer)
    }),
    onFailure: (error) => ({
      outcome: () => `${error._tag}${"currentVersion" in error ? ` ${String(error.currentVersion)}` : ""}`,
      made: null,
      action: null
    })
  })

/** Runs the command. Its `session` is an index into `sessionIds`. */
export const run = Effect.fnUntraced(function* (
  world: World,
  command: Command,
  sessionIds: ReadonlyArray<string>
) {
  const context = yield* ClientContext
  const sessions = yield* Sessions
  const clientOf = (n: number) => world.clientIds[n === 0 ? 0 : 1]
  const idOf = (n: number) => sessionIds[n] ?? "01999999-0000-7000-8000-000000000000"
  switch (command.kind) {
    case "action": {
      const { client: n, content: type, event: externalEventId, key: k, source: from, update } = command
      const request = {
        ...actionData(type),
        ...(externalEventId === null ? {} : { externalEventId }),
        ...(from === null ? {} : { source: from }),
        ...(update === null
          ? {}
          : {
              stateUpdate: {
                namespace: update.namespace,
                expectedVersion: update.expected,
                state: update.state
              }
            })
      }
      return yield* answerOf(
        context.register(world.session, clientOf(n), request, k),
        ({ action, dedupedBy, state: written }, names) =>
          `action ${names.get(action.id)} version ${written?.version ?? null}${dedupedBy === undefined ? "" : " deduped"}`,
        ({ action }) => action.id,
        ({ action }) => ({ id: action.id, event: `${n}/${from}/${externalEventId}` })
      )
    }
    case "put": {
      const { client: n, expected: expectedVersion, key: k, merge, namespace: where, state: next } = command
      const request = { expectedVersion, state: next, ...(merge ? { mode: "merge" as const } : {}) }
      return yield* answerOf(
        context.put(world.session, clientOf(n), where, request, k),
        ({ state: written }) => `version ${written.version} ${JSON.stringify(written.state)}`
      )
    }
    case "open": {
      const request = {
        clientId: clientOf(command.client),
        ...(command.external === null ? {} : { externalSessionId: command.external })
      }
      return yield* answerOf(
        sessions.create(world.session, request, command.key),
        ({ id }, names) => `session ${names.get(id)}`,
        ({ id }) => id
      )
    }
    case "message": {
      const request = {
        role: "client" as const,
        content: command.content,
        ...(command.external === null ? {} : { externalMessageId: command.external })
      }
      return yield* answerOf(
        sessions.add(world.session, idOf(command.session), request, command.key),
        ({ sequence }) => `message ${sequence}`
      )
    }
    case "close":
      return yield* answerOf(
        sessions.close(world.session, idOf(command.session), null, command.key),
        ({ messageCount }) => `close ${messageCount}`
      )
    case "context": {
      const request = { expectedVersion: command.expected, workingContext: { goals: [command.goal] } }
      return yield* answerOf(
        sessions.setWorkingContext(world.session, idOf(command.session), request, command.key),
        ({ version, workingContext }) => `context ${version} ${String(workingContext.goals[0])}`
      )
    }
    case "import":
      return yield* runImport(world, command)
  }
})

const actionData = (type: string) => ({
  type: type === "a" ? "order.created" : "order.paid",
  occurredAt: at,
  actorType: "client" as const
})

const runImport = Effect.fnUntraced(function* (world: World, command: Extract<Command, { kind: "import" }>) {
  const imports = yield* Imports
  const request = { source: command.source, items: command.items.map((one) => itemOf(world, one)) }
  const exit = yield* stopImportAfter(
    command.stopAfter,
    imports.run(world.session, request, command.key)
  ).pipe(batchAnswer, Effect.exit)
  return Exit.isSuccess(exit) ? exit.value : { outcome: () => "stopped", made: null, action: null }
})
const batchAnswer = <E extends { readonly _tag: string }, R>(
  run: Effect.Effect<OnceResult<{ readonly items: ReadonlyArray<{ readonly status: string }> }>, E, R>
) => answerOf(run, ({ items }) => `batch ${items.map(({ status }) => status).join(" ")}`)

const itemOf = ({ clientIds }: World, one: Item): ImportItem => {
  const { external: externalId, kind } = one
  const clientId = "client" in one && one.client === 1 ? clientIds[1] : clientIds[0]
  switch (kind) {
    case "action": {
      const { actorType, type } = actionData(one.content)
      return {
        kind,
        clientId,
        externalId,
        data: { type, actorType, occurredAt: "2026-09-21T14:13:20.000Z" }
      }
    }
    case "state": {
      const { expected: expectedVersion, namespace: where, state: next } = one
      const data = { namespace: where, state: next, ...(expectedVersion === null ? {} : { expectedVersion }) }
      return { kind, clientId, externalId, data }
    }
    case "session":
      return { kind, clientId, externalId, data: {} }
    case "message":
      return {
        kind,
        sessionExternalId: one.session,
        externalId,
        data: { role: "client", content: one.content }
      }
    case "faulty":
      return { kind: "action", clientId, externalId, data: { type: "BAD" } }
  }
}
