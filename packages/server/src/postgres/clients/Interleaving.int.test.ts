// Concurrent commands return the outcomes of some sequential order. The use cases are compared with a model (contract §1.3, §4, §5).
import type { ImportItem } from "@rapport/contract/imports/ImportsApi.ts"
import { ClientContext } from "@rapport/core/clients/ClientContext.ts"
import { ClientContextStore } from "@rapport/core/clients/ClientContextStore.ts"
import { Imports } from "@rapport/core/imports/Imports.ts"
import { ImportStore } from "@rapport/core/imports/ImportStore.ts"
import { Pages } from "@rapport/core/lists/Pages.ts"
import type { OnceResult } from "@rapport/core/receipts/Receipts.ts"
import { Sessions } from "@rapport/core/sessions/Sessions.ts"
import { SessionStore } from "@rapport/core/sessions/SessionStore.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { rowsOf } from "../sql/Query.ts"
import {
  type Command,
  emptyModel,
  explain,
  groups,
  type Item,
  type Model,
  type Outcome
} from "../../testing/WriteModel.ts"
import { freshWorld, type World, writeStores } from "../../testing/WriteWorld.ts"

const RUNS = 50

/** How many more groups of items an import may write before it is interrupted, as by a client that disconnects. */
const GroupsLeft = Context.Reference<{ groups: number; stoppedAt?: number }>(
  "server/Interleaving/GroupsLeft",
  {
    defaultValue: () => ({ groups: Infinity })
  }
)
const stoppingImportStore = Layer.effect(
  ImportStore,
  Effect.map(ImportStore, (store) =>
    ImportStore.of({
      ...store,
      advance: (ref, index, items, clientIds) =>
        Effect.flatMap(GroupsLeft, (left) => {
          if (left.groups-- > 0) return store.advance(ref, index, items, clientIds)
          left.stoppedAt = index
          return Effect.interrupt
        })
    })
  )
)

const TestLayer = Layer.mergeAll(ClientContext.layer, Sessions.layer, Imports.layer).pipe(
  Layer.provide(Pages.layer),
  Layer.provide(stoppingImportStore),
  Layer.provideMerge(writeStores)
)

const outcomeOf = <A, E extends { readonly _tag: string }, R>(
  run: Effect.Effect<OnceResult<A>, E, R>,
  returned: (answer: A) => Outcome
): Effect.Effect<Outcome, never, R> =>
  Effect.match(run, {
    onSuccess: ({ answer, replayed }) => [replayed ? "replayed" : "new", ...returned(answer)],
    onFailure: (error) => [error._tag, ...("currentVersion" in error ? [error.currentVersion] : [])]
  })

const run = Effect.fnUntraced(function* ({ clientIds, session }: World, command: Command, model: Model) {
  const context = yield* ClientContext
  const sessions = yield* Sessions
  const sessionId = ("session" in command && model.sessions[command.session]?.id) || session.sessionId || ""
  switch (command.kind) {
    case "action":
      return yield* outcomeOf(
        context.register(session, clientIds[command.client], command.request, command.key),
        ({ action, dedupedBy, state }) => [
          action.id,
          state?.version ?? null,
          ...(dedupedBy === undefined ? [] : ["deduped"])
        ]
      )
    case "put": {
      const { client, key, namespace, request } = command
      return yield* outcomeOf(
        context.put(session, clientIds[client], namespace, request, key),
        ({ state }) => [state.version, state.state]
      )
    }
    case "open": {
      const request = { clientId: clientIds[command.client], ...command.request }
      return yield* outcomeOf(sessions.create(session, request, command.key), ({ id }) => [id])
    }
    case "message":
      return yield* outcomeOf(
        sessions.add(session, sessionId, command.request, command.key),
        ({ sequence }) => [sequence]
      )
    case "close":
      return yield* outcomeOf(sessions.close(session, sessionId, null, command.key), ({ messageCount }) => [
        messageCount
      ])
    case "context": {
      const { expectedVersion, goal, key } = command
      return yield* outcomeOf(
        sessions.setWorkingContext(
          session,
          sessionId,
          { expectedVersion, workingContext: { goals: [goal] } },
          key
        ),
        ({ version, workingContext }) => [version, workingContext.goals[0]]
      )
    }
    case "import": {
      const { items, key, source, stopAfter } = command
      const left: { groups: number; stoppedAt?: number } = { groups: stopAfter ?? Infinity }
      const imports = yield* Imports
      const request = { source, items: items.map((item) => itemOf(clientIds, item)) }
      return yield* outcomeOf(imports.run(session, request, key), (batch) => [
        batch.items.map(({ status }) => status)
      ]).pipe(
        Effect.provideService(GroupsLeft, left),
        Effect.catchCause((cause) =>
          left.stoppedAt === undefined ? Effect.failCause(cause) : Effect.succeed(["stopped", left.stoppedAt])
        )
      )
    }
  }
})
const itemOf = (clientIds: World["clientIds"], item: Item): ImportItem => {
  if (item.kind === "message") return item
  const { client, ...rest } = item
  return { ...rest, clientId: clientIds[client] }
}

const follow = Effect.fnUntraced(function* (plan: ReadonlyArray<ReadonlyArray<Command>>) {
  const world = yield* freshWorld
  let model = structuredClone(emptyModel)
  for (const group of plan) {
    const before = model
    const sent = group.map((command) =>
      "session" in command && before.sessions.length > 0
        ? { ...command, session: command.session % before.sessions.length }
        : command
    )
    const seen = yield* Effect.forEach(
      sent,
      (command) => Effect.map(run(world, command, before), (outcome) => ({ command, outcome })),
      { concurrency: "unbounded" }
    )
    const after = explain(before, seen)
    if (after === undefined)
      return assert.fail(`no order explains ${JSON.stringify(seen)} after ${JSON.stringify(before)}`)
    model = after
    yield* findImportedSessions(world, model)
  }
  return yield* compare(world, model)
})

const idRows = rowsOf(Schema.Struct({ id: Schema.String }))

/** Sets the ids of sessions that an import made, in order. */
const findImportedSessions = Effect.fnUntraced(function* ({ session }: World, { sessions }: Model) {
  const sql = yield* SqlClient.SqlClient
  const stored = yield* Effect.orDie(
    idRows.all(
      sql`select id::text as id from context_sessions where instance_id = ${session.instanceId} order by id`
    )
  )
  const known = new Set(sessions.map(({ id }) => id))
  const found = stored.filter(({ id }) => !known.has(id))
  for (const one of sessions) one.id ??= found.shift()?.id ?? null
  assert.deepStrictEqual(found, [], "sessions that no command has made")
})

/** Compares the stored records with the model. */
const compare = Effect.fnUntraced(function* (world: World, model: Model) {
  const context = yield* ClientContextStore
  const store = yield* SessionStore
  const { instanceId } = world.session
  for (const [n, clientId] of world.clientIds.entries())
    for (const namespace of ["crm", "cart"]) {
      const versions = model.states[`${n}/${namespace}`] ?? []
      const found = yield* Effect.orDie(context.findState({ instanceId, clientId, namespace }))
      assert.strictEqual(found?.version ?? 0, versions.length)
      assert.deepStrictEqual(found?.state, versions.at(-1))
    }
  for (const { client, closed, contexts, external, id, messages } of model.sessions) {
    const session = yield* Effect.orDie(store.find(world.session, "context.read", id ?? ""))
    assert.deepInclude(session, {
      clientId: world.clientIds[client],
      externalSessionId: external,
      status: closed ? "closed" : "open",
      messageCount: messages.length,
      workingContextVersion: contexts
    })
    const start = { order: "asc", limit: 100, start: { at: "end" } } as const
    const stored = yield* Effect.orDie(store.messages(instanceId, id ?? "", start))
    assert.deepStrictEqual(
      stored?.records.map(({ content, externalMessageId, sequence }) => [
        sequence,
        externalMessageId,
        content
      ]),
      messages.map(({ content, external }, at) => [at + 1, external, content])
    )
  }
})

layer(TestLayer, { excludeTestServices: true, timeout: 60_000 })("the writing use cases", (it) => {
  it.effect(
    "the writing use cases have the outcomes and the final state of some sequential order in the model",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Layer.Success<typeof TestLayer>>()
        const property = fc.asyncProperty(groups, (plan) => Effect.runPromiseWith(context)(follow(plan)))
        yield* Effect.promise(() => fc.assert(property, { numRuns: RUNS }))
      }),
    240_000
  )
})
